//go:build darwin || dragonfly || freebsd || netbsd

package memory

// lend makes shared memory: the host sees it at the returned address, the guest from lo to hi,
// read-only.
func (s *Space) lend(lo, hi uint64) ([]byte, error) { return s.lendFile(lo, hi) }

const noReserve = 0

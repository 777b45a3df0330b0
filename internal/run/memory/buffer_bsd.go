//go:build darwin || dragonfly || freebsd || netbsd

package memory

// lend makes memory that the host sees at the address that it returns and the guest, read-only, from lo to hi.
func (s *Space) lend(lo, hi uint64) ([]byte, error) { return s.lendFile(lo, hi) }

const noReserve = 0

package wasi

import "github.com/gyrvm/gyr/internal/ir"

// Locks of files, as flock has them: an open file holds one, alone or with others, until it is closed. They
// exclude open files of the programs of the run. Nothing outside sees them.

// Operations of flock.
const (
	lockShared = 1
	lockAlone  = 2
	lockNone   = 8
)

// fileFlock locks an open file, or unlocks it, as the second argument says. It does not wait. A lock is given
// up before the other one is taken, as on Linux.
func fileFlock(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	if e != Success {
		return e
	}
	op := uint8(a[1])
	if u32(a[1]) != lockShared && u32(a[1]) != lockAlone && u32(a[1]) != lockNone {
		return EINVAL
	}
	s.unlock(f)
	if op == lockNone {
		return Success
	}
	for _, other := range s.first().programs() {
		for _, g := range other.fds {
			if g != nil && g != f && g.lock != 0 && g.sameAs(f) && (g.lock == lockAlone || op == lockAlone) {
				return EAGAIN
			}
		}
	}
	s.touched = true
	f.lock = op
	return Success
}

// programs are the systems of the programs of the run.
func (s *System) programs() []*System { return append(s.kids[:len(s.kids):len(s.kids)], s) }

// sameAs reports whether two descriptors are open on one file.
func (f *file) sameAs(g *file) bool {
	switch {
	case f.node != nil:
		return f.node == g.node
	case f.f != nil && g.f != nil:
		return f.id == g.id
	case f.root != nil && g.root != nil:
		return f.mount == g.mount && f.rel == g.rel
	}
	return false
}

// unlock gives up a file's lock. Somebody may wait for it.
func (s *System) unlock(f *file) {
	if f.lock != 0 {
		f.lock = 0
		s.touched = true
		s.host.Unlocked()
	}
}

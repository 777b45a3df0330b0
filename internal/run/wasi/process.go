package wasi

import "github.com/gyrvm/gyr/internal/ir"

// Arguments, environment, clock, randomness, exit; and sockets, which do not exist.

func argsGet(s *System, a *ir.Args) Errno      { return s.strings(s.args, a) }
func environGet(s *System, a *ir.Args) Errno   { return s.strings(s.env, a) }
func argsSizesGet(s *System, a *ir.Args) Errno { return s.stringSizes(s.args, a) }

func environSizesGet(s *System, a *ir.Args) Errno { return s.stringSizes(s.env, a) }

// strings stores pointers to zero-terminated strings at a[0], the strings at a[1].
func (s *System) strings(list []string, a *ir.Args) Errno {
	total := uint64(0)
	for _, v := range list {
		total += uint64(len(v)) + 1
	}
	at := u32(a[1])
	ptrs, ok := s.mem.Bytes(u32(a[0]), 4*uint64(len(list)))
	if !ok {
		return EFAULT
	}
	text, ok := s.mem.Bytes(at, total)
	if !ok {
		return EFAULT
	}
	for i, v := range list {
		le.PutUint32(ptrs[4*i:], uint32(at))
		n := copy(text, v)
		text[n] = 0
		text = text[n+1:]
		at += uint64(n) + 1
	}
	return Success
}

func (s *System) stringSizes(list []string, a *ir.Args) Errno {
	total := 0
	for _, v := range list {
		total += len(v) + 1
	}
	if e := s.count(u32(a[0]), len(list)); e != Success {
		return e
	}
	return s.count(u32(a[1]), total)
}

// AppendArgs and AppendEnv append the arguments or the environment to dst, each string followed by
// a zero byte.
func (s *System) AppendArgs(dst []byte) []byte { return appendStrings(dst, s.args) }
func (s *System) AppendEnv(dst []byte) []byte  { return appendStrings(dst, s.env) }

func appendStrings(dst []byte, list []string) []byte {
	for _, v := range list {
		dst = append(append(dst, v...), 0)
	}
	return dst
}

const (
	clockRealtime   = 0
	clockMonotonic  = 1
	clockProcessCPU = 2
	clockThreadCPU  = 3
)

// time reads a clock. CPU time is the monotonic clock: the virtual one counts
// the guest's work.
func (s *System) time(id uint64) (uint64, Errno) {
	switch id {
	case clockRealtime:
		return s.host.Realtime(), Success
	case clockMonotonic, clockProcessCPU, clockThreadCPU:
		return uint64(s.host.Monotonic()), Success
	}
	return 0, EINVAL
}

func clockTimeGet(s *System, a *ir.Args) Errno {
	b, ok := s.mem.Bytes(u32(a[2]), 8)
	if !ok {
		return EFAULT
	}
	t, e := s.time(u32(a[0]))
	if e == Success {
		le.PutUint64(b, t)
	}
	return e
}

func schedYield(s *System, a *ir.Args) Errno { return Success }

func procExit(s *System, a *ir.Args) Errno {
	s.host.Exit(int(int32(uint32(a[0]))))
	return Exited
}

func randomGet(s *System, a *ir.Args) Errno {
	p, ok := s.mem.Bytes(u32(a[0]), u32(a[1]))
	if !ok {
		return EFAULT
	}
	if e := s.fills(u32(a[0]), u32(a[1])); e != Success {
		return e
	}
	for len(p) > randomPiece {
		s.host.Random(p[:randomPiece])
		p = p[randomPiece:]
		if !s.host.Poll() {
			return Interrupted
		}
	}
	s.host.Random(p)
	return Success
}

// randomPiece is how many bytes are drawn between polls. It is a multiple of the generator's word.
const randomPiece = 64 << 10

func (s *System) noSocket(fd int32) Errno {
	if _, e := s.file(fd, 0); e != Success {
		return e
	}
	return ENOTSOCK
}

func sockAccept(s *System, a *ir.Args) Errno   { return s.noSocket(fdArg(a[0])) }
func sockShutdown(s *System, a *ir.Args) Errno { return s.noSocket(fdArg(a[0])) }

package wasi

import (
	"bytes"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
)

// Standard input, output and error.
//
// One read or write of the guest is one Read or Write of the host's stream, without a buffer in
// between. So a run that a limit ends has lost nothing, and has taken no input that it did not see.
// No call moves more than maxTransfer bytes; the guest sees a partial read or write and continues
// with the rest.

// emptyReads is how often in a row a Reader may return nothing before that is an error.
const emptyReads = 100

// maxTransfer is how much one read or write moves, so that copying takes about a millisecond at
// most.
const maxTransfer = 1 << 20

// input is descriptor 0.
type input struct {
	r   io.Reader
	err error // returned by Read along with bytes, for the next call
}

// readStdin fills part of p, which is not empty. At the end of the input it returns 0.
func (s *System) readStdin(p []byte) (int, Errno) {
	in := s.stdin
	if in.r == nil {
		return 0, Success
	}
	p = p[:min(len(p), maxTransfer)]
	if _, ok := in.r.(Stream); ok {
		n, err := in.r.Read(p)
		if err == ErrInterrupted {
			return 0, Interrupted
		}
		if err != nil {
			return n, readError(err)
		}
		return n, Success
	}
	if err := in.err; err != nil {
		in.err = nil
		return 0, readError(err)
	}
	for range emptyReads {
		call, ok := s.block(hostCall{kind: callReader, reader: in.r, p: p})
		if !ok {
			return 0, Interrupted
		}
		n, err := call.n, call.err
		if s.crash != nil {
			return 0, s.crashed("Stdin")
		}
		if n < 0 || n > len(p) {
			return 0, EIO // not an io.Reader
		}
		if n > 0 {
			in.err = err
			return n, Success
		}
		if err != nil {
			return 0, readError(err)
		}
	}
	return 0, EIO
}

func readError(err error) Errno {
	if err == io.EOF {
		return Success
	}
	return errnoOf(err)
}

// output is descriptor 1 or 2.
type output struct {
	w     io.Writer
	timed api.TimedWriter // w, if it is one
}

func (o *output) init(w io.Writer) {
	o.w = w
	o.timed, _ = w.(api.TimedWriter)
}

// writeOut makes one call of Write, with as many bytes as Config.Output still allows. A write
// beyond that ends the run after the allowed part.
func (s *System) writeOut(fd int, p []byte) (int, Errno) {
	p = p[:min(len(p), maxTransfer)]
	if w := s.out[fd].w; w != nil {
		if _, ok := w.(Stream); ok {
			n, err := w.Write(p)
			if err == ErrInterrupted {
				return 0, Interrupted
			}
			if err != nil {
				return n, errnoOf(err)
			}
			return n, Success
		}
	}
	room := s.outRoom()
	over := int64(len(p)) > room
	if over {
		p = p[:room]
	}
	n, e := 0, Success
	if len(p) > 0 {
		n, e = s.callOut(fd, p[:len(p):len(p)]) // so that a Writer's append copies
		s.first().written += int64(n)
	}
	if over && e == Success && n == len(p) {
		e = OutputLimit
	}
	return n, e
}

// TakeOutput counts n bytes of output of another kind. It returns false, and counts nothing, if
// Config.Output does not allow all of them.
func (s *System) TakeOutput(n int) bool {
	if int64(n) > s.outRoom() {
		return false
	}
	s.first().written += int64(n)
	return true
}

// Written returns how many bytes count as output so far.
func (s *System) Written() int64 { return s.first().written }

// outRoom is how many bytes of output Config.Output leaves room for.
func (s *System) outRoom() int64 {
	if s = s.first(); s.outLimit <= 0 {
		return math.MaxInt64
	}
	return max(0, s.outLimit-s.written)
}

// callOut makes one call of Write. The Writer decides how long that takes.
func (s *System) callOut(fd int, p []byte) (int, Errno) {
	o := &s.out[fd]
	if o.w == nil {
		return len(p), Success
	}
	var at time.Time
	if o.timed != nil {
		at = time.Unix(0, int64(s.host.Realtime())).UTC()
	}
	call, ok := s.block(hostCall{kind: callWriter, out: o, at: at, p: p})
	if !ok {
		return 0, Interrupted
	}
	n, err := call.n, call.err
	if s.crash != nil {
		return 0, s.crashed([...]string{1: "Stdout", 2: "Stderr"}[fd])
	}
	if n < 0 || n > len(p) {
		return 0, EIO // not an io.Writer
	}
	if err != nil && n == 0 {
		return 0, errnoOf(err)
	}
	if n == 0 && len(p) > 0 {
		return 0, EIO
	}
	return n, Success
}

// Write writes to standard output (1) or error (2) without a descriptor, for output of the runtime.
// It returns the number of bytes written.
func (s *System) Write(fd int, p []byte) (int, Errno) {
	if fd != 1 && fd != 2 || len(p) == 0 {
		return 0, Success
	}
	return s.writeOut(fd, p)
}

// MayBlock reports whether a call of the host's Readers, Writers or files may last longer than
// copying bytes takes. The result never changes.
func (s *System) MayBlock() bool {
	if s.mayBlock == unknown {
		s.mayBlock = no
		if s.blocks() {
			s.mayBlock = yes
		}
	}
	return s.mayBlock == yes
}

// blocks computes MayBlock, once: it makes system calls.
func (s *System) blocks() bool {
	asks := func(g *grant) bool { return g.dir != nil || g.volume != nil && !g.volume.quick }
	return slices.ContainsFunc(s.grants, asks) || !neverBlocks(s.stdin.r) || !neverBlocks(s.out[1].w) || !neverBlocks(s.out[2].w)
}

// neverBlocks reports whether reading or writing returns at once.
func neverBlocks(stream any) bool {
	switch f := stream.(type) {
	case Stream:
		return true
	case nil, *bytes.Reader, *bytes.Buffer, *strings.Reader, *strings.Builder:
		return true
	case *os.File:
		if f == nil {
			return true // it returns an error
		}
		fi, err := f.Stat()
		return err == nil && fi.Mode().IsRegular()
	}
	return stream == io.Discard
}

package wasi

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

// Standard input, output and error.
//
// One read or write of the guest is one Read or Write of the host's, with
// nothing kept in between, so that a run which a limit ends has lost nothing
// and taken nothing that it did not see.

// emptyReads is how often a Reader may return nothing before that is an error.
const emptyReads = 100

// input is descriptor 0.
//
// A Reader that may block is called on a goroutine of its own, so that the end
// of the context ends the guest's wait. Such a goroutine reads into a buffer of
// its own: it may come back after the guest's memory has gone.
type input struct {
	r       io.Reader
	err     error // returned by Read along with bytes: for the next call
	done    <-chan struct{}
	request chan int
	reply   chan readReply
	buf     []byte // belongs to the goroutine between request and reply
	pending bool   // the goroutine has not replied to the last request
	rest    []byte // a late reply that is not consumed yet
}

type readReply struct {
	n   int
	err error
}

const inputBuffer = 64 << 10

func (in *input) setDone(done <-chan struct{}) {
	in.done = done
	if done != nil && !in.pending && neverBlocks(in.r) {
		in.done = nil
	}
}

// neverBlocks reports whether reading returns at once.
func neverBlocks(r io.Reader) bool {
	switch r := r.(type) {
	case nil, *bytes.Reader, *bytes.Buffer, *strings.Reader:
		return true
	case *os.File:
		if r == nil {
			return true // Read returns an error
		}
		fi, err := r.Stat()
		return err == nil && fi.Mode().IsRegular()
	}
	return false
}

// close lets the goroutine end when its Read returns.
func (in *input) close() {
	if in.request != nil {
		close(in.request)
		in.request = nil
	}
}

// read fills part of p, which is not empty. At the end of the input it returns 0.
func (in *input) read(p []byte) (int, Errno) {
	if in.r == nil {
		return 0, Success
	}
	if len(in.rest) > 0 {
		n := copy(p, in.rest)
		in.rest = in.rest[n:]
		return n, Success
	}
	if err := in.err; err != nil {
		in.err = nil
		return 0, readError(err)
	}
	for range emptyReads {
		n, err := in.readOnce(p)
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
	switch err {
	case io.EOF:
		return Success
	case errInterrupted:
		return Interrupted
	}
	return errnoOf(err)
}

// errInterrupted marks the end of the context. A Reader that returns the error
// of some context has failed, no more.
var errInterrupted = errors.New("interrupted")

func (in *input) readOnce(p []byte) (int, error) {
	if in.done == nil && !in.pending {
		return in.r.Read(p)
	}
	if in.request == nil {
		in.request = make(chan int, 1)
		in.reply = make(chan readReply, 1)
		in.buf = make([]byte, inputBuffer)
		go serveReads(in.r, in.buf, in.request, in.reply)
	}
	if !in.pending {
		in.request <- min(len(p), len(in.buf))
		in.pending = true
	}
	select {
	case <-in.done:
		return 0, errInterrupted
	case r := <-in.reply:
		in.pending = false
		if r.n < 0 || r.n > len(in.buf) {
			return -1, nil
		}
		n := copy(p, in.buf[:r.n])
		in.rest = in.buf[n:r.n] // only after an interrupted call with a longer buffer
		return n, r.err
	}
}

func serveReads(r io.Reader, buf []byte, request <-chan int, reply chan<- readReply) {
	for n := range request {
		got, err := r.Read(buf[:n])
		reply <- readReply{got, err}
	}
}

// output is descriptor 1 or 2.
type output struct {
	w io.Writer
}

// write makes one call of Write. The Writer decides how long that takes.
func (o *output) write(p []byte) (int, Errno) {
	if o.w == nil {
		return len(p), Success
	}
	n, err := o.w.Write(p)
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

// Write writes to standard output (1) or error (2) without a descriptor, for
// what the runtime prints. It returns the number of bytes written.
func (s *System) Write(fd int, p []byte) int {
	if fd != 1 && fd != 2 || len(p) == 0 {
		return 0
	}
	n, _ := s.out[fd].write(p)
	return n
}

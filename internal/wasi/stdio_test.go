package wasi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"
)

// calls records each Write.
type calls struct{ writes []string }

func (c *calls) Write(p []byte) (int, error) {
	c.writes = append(c.writes, string(p))
	return len(p), nil
}

func TestOneWriteOfTheGuestIsOneOfTheHost(t *testing.T) {
	var out, errs calls
	g := newGuest(t, Config{Stdout: &out, Stderr: &errs})
	g.write(1, "hello ")
	g.write(1, "world")
	g.write(2, "oops")
	if n, e := g.write(1, ""); n != 0 || e != Success {
		t.Errorf("empty write: %d, errno %d", n, e)
	}
	p, n := g.put("ab")
	q, m := g.put("cde")
	v, c := g.iovec(p, n, 0, 0, q, m)
	r := g.alloc(4)
	g.wantErrno("write of pieces", g.call("fd_write", 1, v, c, r), Success)
	if g.u32(r) != 5 {
		t.Errorf("wrote %d of 5", g.u32(r))
	}
	if got := strings.Join(out.writes, "|"); got != "hello |world|abcde" {
		t.Errorf("stdout: %q", got)
	}
	if got := strings.Join(errs.writes, "|"); got != "oops" {
		t.Errorf("stderr: %q", got)
	}
	if n := g.sys.Write(2, []byte("x")); n != 1 || len(errs.writes) != 2 {
		t.Error("System.Write")
	}
}

func TestManyPiecesAreAPartialWrite(t *testing.T) {
	var out calls
	g := newGuest(t, Config{Stdout: &out})
	p := g.alloc(40 << 10)
	v, c := g.iovec(p, 40<<10, p, 40<<10)
	r := g.alloc(4)
	g.wantErrno("write", g.call("fd_write", 1, v, c, r), Success)
	if g.u32(r) != gatherSize || len(out.writes) != 1 {
		t.Errorf("wrote %d in %d calls", g.u32(r), len(out.writes))
	}
}

func TestNoStreams(t *testing.T) {
	g := newGuest(t, Config{})
	if s, e := g.read(0, 10); s != "" || e != Success {
		t.Errorf("read: %q, errno %d", s, e)
	}
	if n, e := g.write(1, "lost"); n != 4 || e != Success {
		t.Errorf("write: %d, errno %d", n, e)
	}
	_, e := g.read(1, 10)
	g.wantErrno("read of stdout", e, EBADF)
	_, e = g.write(0, "x")
	g.wantErrno("write to stdin", e, EBADF)
}

func TestStreamsDoNotShowWhatTheyAre(t *testing.T) {
	g := newGuest(t, Config{Stdin: strings.NewReader("x"), Stdout: io.Discard})
	for fd := range int32(3) {
		st, e := g.fstat(fd)
		if e != Success || st.typ != typeStream || st.size != 0 || st.mtim != 0 {
			t.Errorf("fstat %d: %+v, errno %d", fd, st, e)
		}
		g.wantErrno("seek", g.call("fd_seek", uint64(fd), 0, 1, g.alloc(8)), ESPIPE)
		g.wantErrno("nonblock", g.call("fd_fdstat_set_flags", uint64(fd), flagNonblock), ENOTSUP)
		g.wantErrno("no flags", g.call("fd_fdstat_set_flags", uint64(fd), 0), Success)
	}
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

type writeFunc func(p []byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

func TestReadersThatMisbehave(t *testing.T) {
	oops := errors.New("oops")
	script := []struct {
		n   int
		err error
	}{{0, nil}, {2, oops}, {0, syscall.EAGAIN}, {-1, nil}, {1 << 20, nil}, {0, io.EOF}}
	g := newGuest(t, Config{Stdin: readFunc(func(p []byte) (int, error) {
		s := script[0]
		script = script[1:]
		copy(p, "ab")
		return s.n, s.err
	})})
	if s, e := g.read(0, 8); s != "ab" || e != Success {
		t.Errorf("bytes with an error: %q, errno %d", s, e)
	}
	_, e := g.read(0, 8)
	g.wantErrno("the error after them", e, EIO)
	_, e = g.read(0, 8)
	g.wantErrno("an error number", e, EAGAIN)
	_, e = g.read(0, 8)
	g.wantErrno("negative count", e, EIO)
	_, e = g.read(0, 8)
	g.wantErrno("count too large", e, EIO)
	s, e := g.read(0, 8)
	if s != "" || e != Success {
		t.Errorf("end: %q, errno %d", s, e)
	}

	g = newGuest(t, Config{Stdin: readFunc(func([]byte) (int, error) { return 0, nil })})
	_, e = g.read(0, 8)
	g.wantErrno("nothing for ever", e, EIO)
}

func TestWritersThatMisbehave(t *testing.T) {
	for _, c := range []struct {
		n     int
		err   error
		want  Errno
		count int
	}{
		{0, syscall.EPIPE, EPIPE, 0}, {0, errors.New("x"), EIO, 0}, {2, errors.New("x"), Success, 2},
		{-1, nil, EIO, 0}, {9, nil, EIO, 0}, {0, nil, EIO, 0}, {0, context.Canceled, EIO, 0}, {0, io.ErrClosedPipe, EPIPE, 0},
	} {
		g := newGuest(t, Config{Stdout: writeFunc(func([]byte) (int, error) { return c.n, c.err })})
		n, e := g.write(1, "abc")
		if n != c.count || e != c.want {
			t.Errorf("%d, %v: wrote %d, errno %d; want %d, %d", c.n, c.err, n, e, c.count, c.want)
		}
	}
}

func TestTheContextEndsABlockedRead(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	g := newGuest(t, Config{Stdin: r, Context: ctx})
	go func() { w.Write([]byte("first")) }()
	if s, e := g.read(0, 16); s != "first" || e != Success {
		t.Fatalf("read: %q, errno %d", s, e)
	}
	time.AfterFunc(10*time.Millisecond, cancel)
	_, e := g.read(0, 16)
	g.wantErrno("read", e, Interrupted)
	// What comes late is not lost, and fits any buffer.
	go func() { w.Write([]byte("second")) }()
	in := &g.sys.stdin
	in.done = make(chan struct{})
	var got string
	for len(got) < len("second") {
		s, e := g.read(0, 4)
		if e != Success || s == "" {
			t.Fatalf("read: %q, errno %d", s, e)
		}
		got += s
	}
	if got != "second" {
		t.Errorf("read %q", got)
	}
}

func TestStdioAllocatesNothing(t *testing.T) {
	endless := readFunc(func(p []byte) (int, error) { return copy(p, "x"), nil })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, c := range map[string]Config{
		"direct":      {Stdin: endless, Stdout: io.Discard},
		"cancellable": {Stdin: endless, Stdout: io.Discard, Context: ctx},
		"memory":      {Stdin: bytes.NewReader(make([]byte, 1<<20)), Stdout: io.Discard, Context: ctx},
	} {
		g := newGuest(t, c)
		p := g.alloc(64)
		v, n := g.iovec(p, 64)
		w, m := g.iovec(p, 32, p, 32)
		r := g.alloc(4)
		read, write := Funcs["fd_read"], Funcs["fd_write"]
		var a [16]uint64
		allocs := testing.AllocsPerRun(200, func() {
			a = [16]uint64{0, v, n, r}
			if read(g.sys, &a) != Success {
				t.Error("read")
			}
			a = [16]uint64{1, v, n, r}
			if write(g.sys, &a) != Success {
				t.Error("write")
			}
			a = [16]uint64{1, w, m, r}
			if write(g.sys, &a) != Success {
				t.Error("write of pieces")
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations a round", name, allocs)
		}
	}
}

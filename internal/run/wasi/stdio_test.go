package wasi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

// calls records each Write.
type calls struct{ writes []string }

func (c *calls) Write(p []byte) (int, error) {
	c.writes = append(c.writes, string(p))
	return len(p), nil
}

func TestOneWriteOfTheGuestIsOneOfTheHost(t *testing.T) {
	var out, errs calls
	g := newGuest(t, api.Config{Stdout: &out, Stderr: &errs})
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
	if n, _ := g.sys.Write(2, []byte("x")); n != 1 || len(errs.writes) != 2 {
		t.Error("System.Write")
	}
}

func TestManyPiecesAreAPartialWrite(t *testing.T) {
	var out calls
	g := newGuest(t, api.Config{Stdout: &out})
	p := g.alloc(40 << 10)
	v, c := g.iovec(p, 40<<10, p, 40<<10)
	r := g.alloc(4)
	g.wantErrno("write", g.call("fd_write", 1, v, c, r), Success)
	if g.u32(r) != gatherSize || len(out.writes) != 1 {
		t.Errorf("wrote %d in %d calls", g.u32(r), len(out.writes))
	}
}

func TestNoStreams(t *testing.T) {
	g := newGuest(t, api.Config{})
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
	g := newGuest(t, api.Config{Stdin: strings.NewReader("x"), Stdout: io.Discard})
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
	g := newGuest(t, api.Config{Stdin: readFunc(func(p []byte) (int, error) {
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

	g = newGuest(t, api.Config{Stdin: readFunc(func([]byte) (int, error) { return 0, nil })})
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
		g := newGuest(t, api.Config{Stdout: writeFunc(func([]byte) (int, error) { return c.n, c.err })})
		n, e := g.write(1, "abc")
		if n != c.count || e != c.want {
			t.Errorf("%d, %v: wrote %d, errno %d; want %d, %d", c.n, c.err, n, e, c.count, c.want)
		}
	}
}

// TestStreamsThatPanic: the run is over, and the error names the stream.
func TestStreamsThatPanic(t *testing.T) {
	g := newGuest(t, api.Config{
		Stdin:  readFunc(func([]byte) (int, error) { panic("in") }),
		Stderr: writeFunc(func([]byte) (int, error) { panic(io.ErrNoProgress) }),
	})
	_, e := g.read(0, 8)
	g.wantErrno("read", e, Interrupted)
	if s := fmt.Sprint(g.host.failed); s != "Config.Stdin: Read panicked: in" {
		t.Error(s)
	}
	_, e = g.write(2, "x")
	g.wantErrno("write", e, Interrupted)
	if s := fmt.Sprint(g.host.failed); s != "Config.Stderr: Write panicked: multiple Read calls return no data or error" || !errors.Is(g.host.failed, io.ErrNoProgress) {
		t.Error(s)
	}
	g = newGuest(t, api.Config{Stdout: writeFunc(func(p []byte) (int, error) { return len(append(p, "and more"...)) - 8, nil })})
	b := []byte("0123456789abcdef")
	if n, e := g.sys.writeOut(1, b[:4]); n != 4 || e != Success || string(b) != "0123456789abcdef" {
		t.Errorf("wrote %d, errno %d; memory is %q", n, e, b)
	}
}

// TestInterrupted: nothing is called once the run was interrupted.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	g := newGuest(t, api.Config{
		Stdin:  readFunc(func([]byte) (int, error) { t.Error("Read is called"); return 0, io.EOF }),
		Stdout: writeFunc(func(p []byte) (int, error) { t.Error("Write is called"); return len(p), nil }),
		Dirs:   []api.Dir{{Host: dir, Guest: "/d"}},
	})
	fd := g.open("f", os.O_CREATE|os.O_RDWR)
	g.host.interrupted = true
	_, e := g.read(0, 8)
	g.wantErrno("read of stdin", e, Interrupted)
	_, e = g.write(1, "x")
	g.wantErrno("write to stdout", e, Interrupted)
	_, e = g.write(fd, "x")
	g.wantErrno("write to a file", e, Interrupted)
	_, e = g.read(fd, 8)
	g.wantErrno("read of a file", e, Interrupted)
	v, n := g.iovec(g.alloc(8), 8)
	g.wantErrno("pwrite", g.call("fd_pwrite", uint64(fd), v, n, 0, g.alloc(4)), Interrupted)
	g.wantErrno("pread", g.call("fd_pread", uint64(fd), v, n, 0, g.alloc(4)), Interrupted)
	if _, e := g.sys.Write(2, []byte("x")); e != Success {
		t.Errorf("Write to no stream: errno %d", e)
	}
	if _, e := g.sys.Write(1, []byte("x")); e != Interrupted {
		t.Errorf("Write: errno %d", e)
	}
}

// TestTransfersAreBounded: more than maxTransfer is a partial read or write.
func TestTransfersAreBounded(t *testing.T) {
	var largest int
	g := newGuest(t, api.Config{
		Stdin:  readFunc(func(p []byte) (int, error) { largest = max(largest, len(p)); return len(p), nil }),
		Stdout: writeFunc(func(p []byte) (int, error) { largest = max(largest, len(p)); return len(p), nil }),
	})
	big := make([]byte, 3*maxTransfer)
	if n, e := g.sys.readStdin(big); n != maxTransfer || e != Success {
		t.Errorf("read %d, errno %d", n, e)
	}
	if n, e := g.sys.Write(1, big); n != maxTransfer || e != Success {
		t.Errorf("wrote %d, errno %d", n, e)
	}
	if largest != maxTransfer {
		t.Errorf("one call moved %d bytes", largest)
	}
}

func TestMayBlock(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	for name, c := range map[string]struct {
		api.Config
		want bool
	}{
		"nothing":   {api.Config{}, false},
		"memory":    {api.Config{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: io.Discard}, false},
		"file":      {api.Config{Stdin: file, Stdout: file}, false},
		"pipe in":   {api.Config{Stdin: r}, true},
		"pipe out":  {api.Config{Stdout: w}, true},
		"somebody":  {api.Config{Stderr: &calls{}}, true},
		"directory": {api.Config{Dirs: []api.Dir{{Host: t.TempDir()}}}, true},
	} {
		if got := newGuest(t, c.Config).sys.MayBlock(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestStdioAllocatesNothing(t *testing.T) {
	endless := readFunc(func(p []byte) (int, error) { return copy(p, "x"), nil })
	for name, c := range map[string]api.Config{
		"direct": {Stdin: endless, Stdout: io.Discard},
		"memory": {Stdin: bytes.NewReader(make([]byte, 1<<20)), Stdout: io.Discard},
	} {
		g := newGuest(t, c)
		p := g.alloc(64)
		v, n := g.iovec(p, 64)
		w, m := g.iovec(p, 32, p, 32)
		r := g.alloc(4)
		read, write := Funcs["fd_read"], Funcs["fd_write"]
		var a ir.Args
		allocs := testing.AllocsPerRun(200, func() {
			a = ir.Args{0, v, n, r}
			if read(g.sys, &a) != Success {
				t.Error("read")
			}
			a = ir.Args{1, v, n, r}
			if write(g.sys, &a) != Success {
				t.Error("write")
			}
			a = ir.Args{1, w, m, r}
			if write(g.sys, &a) != Success {
				t.Error("write of pieces")
			}
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations a round", name, allocs)
		}
	}
}

// TestOutputLimit: both streams together get as many bytes as Config.Output says, whatever part of
// each write Writers take. More output ends the run.
func TestOutputLimit(t *testing.T) {
	t.Run("both streams", func(t *testing.T) {
		var out, errs calls
		g := newGuest(t, api.Config{Stdout: &out, Stderr: &errs, Output: 10})
		for _, step := range []struct {
			fd   int32
			text string
			want Errno
		}{{1, "1234", Success}, {2, "567", Success}, {2, "", Success}, {1, "890", Success}, {2, "", Success}, {1, "x", OutputLimit}, {2, "y", OutputLimit}} {
			_, e := g.write(step.fd, step.text)
			g.wantErrno(step.text, e, step.want)
		}
		if got := strings.Join(out.writes, "|") + " " + strings.Join(errs.writes, "|"); got != "1234|890 567" {
			t.Errorf("%q", got)
		}
	})
	t.Run("a write beyond it", func(t *testing.T) {
		var out calls
		g := newGuest(t, api.Config{Stdout: &out, Output: 10})
		_, e := g.write(1, "0123456789x")
		g.wantErrno("write", e, OutputLimit)
		if n, e := g.sys.Write(2, []byte("more")); n != 0 || e != OutputLimit {
			t.Errorf("Write: %d, errno %d", n, e)
		}
		if got := strings.Join(out.writes, "|"); got != "0123456789" {
			t.Errorf("%q", got)
		}
	})
	t.Run("no Writer", func(t *testing.T) {
		g := newGuest(t, api.Config{Output: 3})
		_, e := g.write(1, "abcd")
		g.wantErrno("write", e, OutputLimit)
	})
	t.Run("a Writer that takes less", func(t *testing.T) {
		g := newGuest(t, api.Config{Stdout: writeFunc(func(p []byte) (int, error) { return 1, nil }), Output: 3})
		for range 2 {
			if n, e := g.write(1, "abcd"); n != 1 || e != Success {
				t.Fatalf("%d, errno %d", n, e)
			}
		}
		_, e := g.write(1, "abcd") // takes the third byte, and more remains
		g.wantErrno("write", e, OutputLimit)
	})
	t.Run("a Writer that fails", func(t *testing.T) {
		g := newGuest(t, api.Config{Stdout: writeFunc(func(p []byte) (int, error) { return 0, syscall.EPIPE }), Output: 3})
		for range 3 {
			_, e := g.write(1, "abcd")
			g.wantErrno("write", e, EPIPE)
		}
	})
}

// timed records the text and the time of each write.
type timed struct {
	list []string
	err  error
}

func (w *timed) Write(p []byte) (int, error) { panic("Write instead of WriteTimed") }

func (w *timed) WriteTimed(p []byte, at time.Time) (int, error) {
	if len(p) > 3 {
		panic("long")
	}
	w.list = append(w.list, at.Format(time.RFC3339Nano)+" "+string(p))
	return len(p), w.err
}

// TestTimedWriter: a TimedWriter gets the time of each write, by the guest's clock.
func TestTimedWriter(t *testing.T) {
	w := &timed{}
	g := newGuest(t, api.Config{Stdout: w, Stderr: w})
	g.write(1, "a")
	g.host.now = 1_500_000_000
	g.write(2, "b")
	g.sys.Write(1, []byte("c"))
	want := "2026-01-01T00:00:00.000000001Z a|2026-01-01T00:00:01.5Z b|2026-01-01T00:00:01.5Z c"
	if got := strings.Join(w.list, "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	_, e := g.write(1, "long")
	g.wantErrno("a panic", e, Interrupted)
	var p *api.HostPanicError
	if !errors.As(g.host.failed, &p) || p.Method != "WriteTimed" || p.Value != "long" {
		t.Errorf("%v", g.host.failed)
	}
}

package wasi

import (
	"math"
	"testing"

	"github.com/gyrvm/gyr/api"
)

func TestArgumentsAndEnvironment(t *testing.T) {
	g := newGuest(t, api.Config{Name: "prog", Args: []string{"", "three"}, Env: []string{"A=1", "B="}})
	for _, c := range []struct {
		sizes, get string
		want       []string
	}{{"args_sizes_get", "args_get", g.sys.args}, {"environ_sizes_get", "environ_get", g.sys.env}} {
		p := g.alloc(8)
		g.wantErrno(c.sizes, g.call(c.sizes, p, p+4), Success)
		n, size := g.u32(p), g.u32(p+4)
		if int(n) != len(c.want) {
			t.Fatalf("%s: %d strings", c.sizes, n)
		}
		ptrs, buf := g.alloc(int(4*n)), g.alloc(int(size))
		g.wantErrno(c.get, g.call(c.get, ptrs, buf), Success)
		for i, want := range c.want {
			at := uint64(g.u32(ptrs + uint64(4*i)))
			if got := string(g.bytes(at, uint64(len(want)+1))); got != want+"\x00" {
				t.Errorf("%s: string %d is %q", c.get, i, got)
			}
		}
	}
	if got := string(g.sys.AppendArgs(nil)); got != "prog\x00\x00three\x00" {
		t.Errorf("AppendArgs: %q", got)
	}
	if got := string(g.sys.AppendEnv(nil)); got != "A=1\x00B=\x00" {
		t.Errorf("AppendEnv: %q", got)
	}
	g = newGuest(t, api.Config{})
	p := g.alloc(8)
	g.call("environ_sizes_get", p, p+4)
	if g.u64(p) != 0 {
		t.Error("an environment by default")
	}
}

func TestClocksExitRandom(t *testing.T) {
	g := newGuest(t, api.Config{})
	g.host.now = 12345
	p := g.alloc(8)
	g.wantErrno("realtime", g.call("clock_time_get", clockRealtime, 0, p), Success)
	if g.u64(p) != fakeEpoch+12345 {
		t.Errorf("realtime %d", g.u64(p))
	}
	g.wantErrno("monotonic", g.call("clock_time_get", clockMonotonic, 0, p), Success)
	if g.u64(p) != 12345 {
		t.Errorf("monotonic %d", g.u64(p))
	}
	g.wantErrno("no clock", g.call("clock_time_get", 17, 0, p), EINVAL)
	g.wantErrno("yield", g.call("sched_yield"), Success)
	minus := int64(-3)
	if e := g.call("proc_exit", uint64(minus)); e != Exited || g.host.exit != -3 {
		t.Errorf("exit %d, errno %d", g.host.exit, e)
	}
	q := g.alloc(5)
	g.wantErrno("random", g.call("random_get", q, 5), Success)
	if got := string(g.bytes(q, 5)); got != "\x01\x02\x03\x04\x05" {
		t.Errorf("random %q", got)
	}
	g.wantErrno("no random bytes", g.call("random_get", 0, 0), Success)
	g.wantErrno("accept", g.call("sock_accept", 0, 0, p), ENOTSOCK)
	g.wantErrno("shutdown", g.call("sock_shutdown", 99, 0), EBADF)
}

// subscription writes a subscription; fd < 0 makes it a clock's.
func (g *guest) subscription(p, userdata uint64, tag byte, idOrFd uint32, timeout uint64, flags uint16) {
	b := g.bytes(p, subscriptionSize)
	le.PutUint64(b, userdata)
	b[8] = tag
	le.PutUint32(b[16:], idOrFd)
	le.PutUint64(b[24:], timeout)
	le.PutUint16(b[40:], flags)
}

func TestPoll(t *testing.T) {
	g := newGuest(t, api.Config{})
	in, out, r := g.alloc(4*subscriptionSize), g.alloc(4*eventSize), g.alloc(4)
	poll := func(n uint64) []uint64 {
		t.Helper()
		g.wantErrno("poll", g.call("poll_oneoff", in, out, n, r), Success)
		var got []uint64
		for i := range uint64(g.u32(r)) {
			e := g.bytes(out+i*eventSize, eventSize)
			got = append(got, le.Uint64(e), uint64(le.Uint16(e[8:])), uint64(e[10]))
		}
		return got
	}
	equal := func(what string, got []uint64, want ...uint64) {
		t.Helper()
		if len(got) != len(want) {
			t.Errorf("%s: events %d, want %d", what, got, want)
			return
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s: events %d, want %d", what, got, want)
				return
			}
		}
	}
	g.host.now = 100
	g.subscription(in, 7, eventClock, clockMonotonic, 5000, 0)
	g.subscription(in+subscriptionSize, 8, eventClock, clockMonotonic, 4000, 1)
	equal("two clocks", poll(2), 8, 0, eventClock)
	if g.host.now != 4000 {
		t.Errorf("the clock shows %d", g.host.now)
	}
	equal("relative clock", poll(1), 7, 0, eventClock)
	if g.host.now != 9000 {
		t.Errorf("the clock shows %d", g.host.now)
	}
	g.subscription(in, 1, eventClock, clockRealtime, fakeEpoch+20000, 1)
	equal("absolute real time", poll(1), 1, 0, eventClock)
	if g.host.now != 20000 {
		t.Errorf("the clock shows %d", g.host.now)
	}
	g.subscription(in, 1, eventClock, clockMonotonic, 5000, 0)
	g.subscription(in+subscriptionSize, 2, eventRead, 0, 0, 0)
	g.subscription(in+2*subscriptionSize, 3, eventWrite, 1, 0, 0)
	g.subscription(in+3*subscriptionSize, 4, eventRead, 77, 0, 0)
	equal("descriptors are ready", poll(4), 2, 0, eventRead, 3, 0, eventWrite, 4, uint64(EBADF), eventRead)
	if g.host.now != 20000 {
		t.Errorf("the clock shows %d", g.host.now)
	}
	g.subscription(in, 1, 9, 0, 0, 0)
	g.subscription(in+subscriptionSize, 2, eventClock, 99, 0, 0)
	equal("nonsense", poll(2), 1, uint64(EINVAL), 9, 2, uint64(EINVAL), eventClock)
	g.wantErrno("nothing", g.call("poll_oneoff", in, out, 0, r), EINVAL)
	g.wantErrno("too much", g.call("poll_oneoff", in, out, math.MaxUint32, r), EINVAL)
	g.subscription(in, 1, eventClock, clockMonotonic, math.MaxUint64, 0)
	poll(1)
	if g.host.now != math.MaxInt64 {
		t.Errorf("the clock shows %d", g.host.now)
	}
	g.host.now, g.host.idle = 0, true
	g.wantErrno("interrupted", g.call("poll_oneoff", in, out, 1, r), Interrupted)
}

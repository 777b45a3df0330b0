package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/gyrvm/gyr/stream"
)

func logger(to *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(&locked{to: to}, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

type locked struct {
	mu sync.Mutex
	to *bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.to.Write(p)
}

// waitFor waits until something is so, as long as the test may take.
func waitFor(t *testing.T, is func() bool) {
	t.Helper()
	for !is() {
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestKill kills workers and servers while messages come, at random moments: nothing is lost, and
// nothing is counted twice.
func TestKill(t *testing.T) {
	p := newPipe(t, 4, nil)
	const workers = 2
	cmds := make([]*exec.Cmd, workers)
	for i := range cmds {
		cmds[i] = p.child(fmt.Sprintf("w%d-0", i))
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for k := range *kills {
			time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond)
			i := k % workers
			_ = cmds[i].Process.Kill()
			_ = cmds[i].Wait()
			cmds[i] = p.child(fmt.Sprintf("w%d-%d", i, k+1))
			time.Sleep(time.Duration(rand.IntN(1500)) * time.Millisecond)
			s := rand.IntN(servers.Servers())
			servers.Kill(s)
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond)
			if err := servers.Restart(s); err != nil {
				t.Error(err)
			}
			// Two of three servers have to be there for JetStream to go on: the next is not killed before
			// this one is back.
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if err := servers.Ready(ctx); err != nil {
				t.Error(err)
			}
			cancel()
		}
	}()
	id := 0
	for running := true; running || id < *messages; {
		p.count(fmt.Sprintf("k%d", id%23), id%100, id)
		id++
		select {
		case <-over:
			running = false
		default:
		}
	}
	p.settle(id)
	p.check()
	t.Logf("%d workers and %d servers were killed", *kills, *kills)
}

// TestStopped: a worker that is stopped past its lease, and wakes up in the middle of a batch, commits
// nothing. Another process has taken its partitions over.
func TestStopped(t *testing.T) {
	p := newPipe(t, 2, nil)
	first := p.child("first")
	id := 0
	add := func(n int) {
		for range n {
			p.count(fmt.Sprintf("k%d", id%5), id, id)
			id++
		}
	}
	for round := range 2 {
		add(100)
		p.settle(id - 50) // it works
		if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		add(100)
		second := p.child(fmt.Sprintf("second-%d", round))
		p.settle(id) // all by the second one
		if err := first.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		add(200)
		p.settle(id)
		_ = second.Process.Signal(os.Interrupt)
		_ = second.Wait()
	}
	p.settle(id)
	p.check()
}

// TestFenced: when another worker has become the owner of a partition, the next commit of the one
// before is refused, with all that its batch publishes, although it has a lease still.
func TestFenced(t *testing.T) {
	metrics := stream.NewMetrics()
	p := newPipe(t, 1, func(c *stream.Config) { c.Metrics = metrics })
	stop := p.start()
	id := 0
	for round := range 5 {
		for range 20 {
			id++
			p.count("a", id, id)
		}
		p.settle(id)
		cfg := p.cfg
		cfg.Metrics, cfg.ID = nil, fmt.Sprint("other-", round)
		other, err := stream.Open(t.Context(), p.nc, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := stream.Take(t.Context(), other, 0); err != nil {
			t.Fatal(err)
		}
		id++
		p.count("a", id, id)
		waitFor(t, func() bool { return testutil.ToFloat64(stream.Fenced(metrics)) == float64(round+1) })
	}
	p.settle(id)
	stop()
	p.check()
}

// TestOutage: all servers end for a while. Workers go on afterwards.
func TestOutage(t *testing.T) {
	p := newPipe(t, 2, nil)
	stop := p.start()
	id := 0
	for ; id < 100; id++ {
		p.count(fmt.Sprintf("k%d", id%5), id, id)
	}
	p.settle(50)
	for i := range servers.Servers() {
		servers.Kill(i)
	}
	time.Sleep(2 * p.cfg.Lease)
	for i := range servers.Servers() {
		if err := servers.Restart(i); err != nil {
			t.Fatal(err)
		}
	}
	if err := servers.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for ; id < 200; id++ {
		p.count(fmt.Sprintf("k%d", id%5), id, id)
	}
	p.settle(id)
	stop()
	p.check()
}

// TestScaleOut: a second process takes its share of the partitions, and the first one gets them back
// when it ends.
func TestScaleOut(t *testing.T) {
	var log bytes.Buffer
	metrics := stream.NewMetrics()
	p := newPipe(t, 4, func(c *stream.Config) { c.Metrics, c.Log = metrics, logger(&log) })
	stop := p.start()
	held := func(n int) func() bool {
		return func() bool { return testutil.ToFloat64(stream.Held(metrics)) == float64(n) }
	}
	waitFor(t, held(4))
	second := p.child("second")
	id := 0
	add := func() {
		for range 50 {
			p.count(fmt.Sprintf("k%d", id%9), id, id)
			id++
		}
	}
	add()
	waitFor(t, held(2))
	add()
	p.settle(id)
	_ = second.Process.Signal(os.Interrupt)
	if err := second.Wait(); err != nil {
		t.Error(err)
	}
	add()
	waitFor(t, held(4))
	p.settle(id)
	stop()
	p.check()
	if strings.Contains(log.String(), "level=ERROR") {
		t.Error(log.String())
	}
}

// TestSwap: another version of the function takes the counts over, between two batches, in every
// process. One that refuses them is not used.
func TestSwap(t *testing.T) {
	p := newPipe(t, 2, nil)
	stop := p.start()
	id := 0
	add := func(n int) {
		for range n {
			p.count(fmt.Sprintf("k%d", id%5), id, id)
			id++
		}
	}
	add(60)
	p.settle(60)
	if v, err := p.pipe.Deploy(t.Context(), image(t, "count2")); v != 2 || err != nil {
		t.Fatal(v, err)
	}
	add(20)
	tail := func() string { list := p.read("counted.*"); return list[len(list)-1].text }
	for !func() bool { p.settle(id); return strings.HasSuffix(tail(), "version 2") }() {
		add(5)
	}
	// A process that begins now restores states of version 2.
	stop()
	child := p.child("late")
	add(20)
	p.settle(id)
	if !strings.HasSuffix(tail(), "version 2") {
		t.Error(tail())
	}
	_ = child
	p.check()
	if _, err := p.pipe.Deploy(t.Context(), image(t, "bare")); err == nil || !strings.Contains(err.Error(), "Import") {
		t.Errorf("a version without Import: %v", err)
	}
}

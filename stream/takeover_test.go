package stream_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/gyrvm/gyr/stream"
)

// A journal is what a worker logs.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text.Reset()
}

func logger(to *journal) *slog.Logger {
	return slog.New(slog.NewTextHandler(to, &slog.HandlerOptions{Level: slog.LevelInfo}))
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
	var log journal
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

// TestReplay: the last atomic batch of a partition, sent again after any duplicate window, is refused
// as a whole, and so is its last message alone.
func TestReplay(t *testing.T) {
	p := newPipe(t, 1, nil)
	stop := p.start()
	for id := range 30 {
		p.count("a", id, id)
	}
	p.settle(30)
	stop()
	s, err := p.js.Stream(t.Context(), "GYR_"+p.name)
	if err != nil {
		t.Fatal(err)
	}
	last, err := s.GetLastMsgForSubject(t.Context(), "gyr."+p.name+".commit.0")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.GetLastMsgForSubject(t.Context(), "counted.a")
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	commit := &nats.Msg{Subject: last.Subject, Data: last.Data, Header: last.Header}
	again := &nats.Msg{Subject: out.Subject, Data: out.Data, Header: out.Header}
	for _, h := range []nats.Header{commit.Header, again.Header} {
		h.Del("Nats-Batch-Id")
		h.Del("Nats-Batch-Sequence")
		h.Del("Nats-Batch-Commit")
	}
	if commit.Header.Get("Nats-Expected-Last-Subject-Sequence") == "" {
		t.Fatalf("the server keeps no expected sequence: %v", commit.Header)
	}
	for round, batch := range []bool{true, false} {
		if batch {
			again.Header.Set("Nats-Batch-Id", "again")
			again.Header.Set("Nats-Batch-Sequence", "1")
			commit.Header.Set("Nats-Batch-Id", "again")
			commit.Header.Set("Nats-Batch-Sequence", "2")
			commit.Header.Set("Nats-Batch-Commit", "1")
			if err := p.nc.PublishMsg(again); err != nil {
				t.Fatal(err)
			}
		} else {
			commit.Header.Del("Nats-Batch-Id")
			commit.Header.Del("Nats-Batch-Sequence")
			commit.Header.Del("Nats-Batch-Commit")
		}
		answer, err := p.nc.RequestMsgWithContext(t.Context(), commit)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(answer.Data), "wrong last sequence") {
			t.Errorf("round %d: %s", round, answer.Data)
		}
	}
	if after, err := s.Info(t.Context()); err != nil || after.State.LastSeq != before.State.LastSeq {
		t.Errorf("the stream has changed: %v", err)
	}
	p.check()
}

// TestConsumerGone: a partition's consumer is deleted under load, again and again. The reader makes it
// anew, and what comes again is skipped.
func TestConsumerGone(t *testing.T) {
	p := newPipe(t, 1, func(c *stream.Config) { c.Batch = 10 })
	stop := p.start()
	in, err := p.js.Stream(t.Context(), p.name)
	if err != nil {
		t.Fatal(err)
	}
	id, deleted := 0, 0
	for deleted < 5 {
		for range 50 {
			p.count("a", id, id)
			id++
		}
		p.settle(id - 25) // a consumer that is deleted while it is made takes the server 10 s
		names := in.ConsumerNames(t.Context())
		for name := range names.Name() {
			if in.DeleteConsumer(t.Context(), name) == nil {
				deleted++
			}
		}
		if err := names.Err(); err != nil {
			t.Fatal(err)
		}
	}
	p.settle(id)
	stop()
	p.check()
}

// TestWindows: clicks fall into the minute of their own time, whatever is killed between them, and
// each minute of a page is published once.
func TestWindows(t *testing.T) {
	p := newPipeOf(t, filepath.Join("..", "examples", "clicks"), 2, func(c *stream.Config) {
		c.Outputs, c.TimeHeader = []string{"minutes.*"}, "Clicked"
	})
	want := map[string]int{}
	start := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	worker := p.child("a")
	const minutes, pages = 5, 3
	for i := range minutes * 60 {
		at := start.Add(time.Duration(i) * time.Second)
		page := fmt.Sprint("p", i%pages)
		m := nats.NewMsg(strings.TrimSuffix(p.cfg.Subject, "*") + page)
		m.Data = fmt.Append(nil, "user", i%7)
		m.Header.Set("Clicked", at.Format(time.RFC3339Nano))
		if _, err := p.js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		want[fmt.Sprintf(`{"page":"%s","minute":"%s","clicks":20,"users":7}`, page, at.Truncate(time.Minute).Format(time.RFC3339))]++
		if i == 100 || i == 200 {
			_ = worker.Process.Kill()
			_ = worker.Wait()
			worker = p.child(fmt.Sprint("b", i))
		}
	}
	for i := range pages { // ends the last minute
		m := nats.NewMsg(strings.TrimSuffix(p.cfg.Subject, "*") + fmt.Sprint("p", i))
		m.Data = []byte("late")
		m.Header.Set("Clicked", start.Add(time.Hour).Format(time.RFC3339Nano))
		if _, err := p.js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	p.settleOn(minutes*pages, "minutes.*")
	for _, m := range p.read("minutes.*") {
		if want[m.text] != 20 {
			t.Errorf("%s: %d clicks of it were published", m.text, want[m.text])
		}
		delete(want, m.text)
	}
	if len(want) != 0 {
		t.Errorf("not published: %v", want)
	}
}

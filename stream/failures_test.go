package stream_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/stream"
)

// TestDeadLetters: a message whose call fails changes nothing, and becomes a dead letter with the
// error, its place and the message's sequence. Those around it are handled.
func TestDeadLetters(t *testing.T) {
	p := newPipe(t, 1, nil)
	bad := []struct{ text, kind, place string }{
		{"error 1", "guest", "refused: error 1"},
		{"panic", "panic", "poison"},
		{"loop", "gas", "count.go:"},
		{"alloc", "memory", "count.go:"},
		{"elsewhere", "other", `"nobody.wants"`},
		{strings.Repeat("x", 900<<10), "", ""}, // large, and handled: batches end where a commit would be too large
	}
	id := 0
	next := func() int { id++; return id }
	p.count("a", 1, next())
	for range 3 {
		for i, b := range bad {
			if b.kind == "" {
				continue
			}
			p.publish("a", b.text, next())
			if i%2 == 0 {
				p.count("a", i, next())
			}
		}
	}
	p.count("a", 1, next())
	stop := p.start()
	p.settle(id)
	stop()
	p.check()
	letters := p.read("gyr." + p.name + ".dead.*")
	if len(letters) != 15 {
		t.Fatalf("%d dead letters", len(letters))
	}
	in, err := p.js.Stream(t.Context(), p.name)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range letters {
		b := bad[i%5]
		h := m.header
		if m.text != b.text || h.Get(stream.HeaderKind) != b.kind || !strings.Contains(h.Get(stream.HeaderError), b.place) {
			t.Errorf("letter %d: %.40q %s: %s; want %q %s", i, m.text, h.Get(stream.HeaderKind), h.Get(stream.HeaderError), b.text, b.kind)
		}
		var seq uint64
		fmt.Sscan(h.Get(stream.HeaderSequence), &seq)
		if origin, err := in.GetMsg(t.Context(), seq); err != nil || string(origin.Data) != m.text || h.Get(stream.HeaderStream) != p.name {
			t.Errorf("letter %d: sequence %d of stream %s: %v", i, seq, h.Get(stream.HeaderStream), err)
		}
		if !strings.HasSuffix(h.Get(stream.HeaderSubject), ".a") {
			t.Errorf("letter %d: subject %s", i, h.Get(stream.HeaderSubject))
		}
	}
}

// TestLargeDeadLetter: a message of the largest size that fails does not stop its partition.
func TestLargeDeadLetter(t *testing.T) {
	p := newPipe(t, 1, nil)
	large := "error " + strings.Repeat("x", int(p.nc.MaxPayload())-200)
	p.publish("a", large, 1)
	p.count("a", 2, 2)
	stop := p.start()
	p.settle(2)
	stop()
	p.check()
	letters := p.read("gyr." + p.name + ".dead.*")
	if len(letters) != 1 || !strings.HasPrefix(large, letters[0].text) || letters[0].header.Get(stream.HeaderCut) != fmt.Sprint(len(large)) {
		t.Errorf("%d letters", len(letters))
	}
}

// TestLend: a batch that is lent has the results of one that is copied, also if the function writes
// to a message, keeps it, or fails.
func TestLend(t *testing.T) {
	var texts []string
	for i := range 40 {
		texts = append(texts, fmt.Sprint(i))
	}
	texts = append(texts, "write 1", "2", "keep 3", "4", "error", "5", "panic", "6", "7")
	var results [2]string
	for i, lend := range []int{1, -1} {
		t.Run(fmt.Sprint(lend), func(t *testing.T) {
			p := newPipe(t, 1, func(c *stream.Config) { c.Lend = lend })
			for i, text := range texts {
				p.publish("a", text, i)
			}
			stop := p.start()
			p.settle(len(texts))
			stop()
			var b strings.Builder
			for _, m := range p.read("counted.*") {
				fmt.Fprintln(&b, m.subject, m.text)
			}
			fmt.Fprintln(&b, p.dead())
			results[i] = b.String()
		})
	}
	if results[0] != results[1] || strings.Count(results[0], "\n") != len(texts)-2+1 {
		t.Errorf("lent:\n%s\ncopied:\n%s", results[0], results[1])
	}
}

// TestDuplicates: a message of the input that a consumer delivers again changes nothing, whatever the
// duplicate window of the streams is: the next worker starts from the commit.
func TestDuplicates(t *testing.T) {
	p := newPipe(t, 2, nil)
	id := 0
	for round := range 3 {
		stop := p.start()
		for i := range 40 {
			p.count(fmt.Sprintf("k%d", i%7), i+round, id)
			id++
		}
		p.settle(id)
		stop()
		// No duplicate window remembers what was published before.
		for _, name := range []string{p.name, "GYR_" + p.name} {
			s, err := p.js.Stream(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			cfg := s.CachedInfo().Config
			cfg.Duplicates = 100_000_000 // the least that JetStream takes
			if _, err := p.js.UpdateStream(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.check()
}

// TestBadInput: what does not fit is an error with a type, which names the thing.
func TestBadInput(t *testing.T) {
	p := newPipe(t, 2, nil)
	open := func(change func(*stream.Config)) error {
		cfg := p.cfg
		change(&cfg)
		_, err := stream.Open(t.Context(), p.nc, cfg)
		return err
	}
	check := func(what string, err error, target any, words ...string) {
		t.Helper()
		if err == nil || !errors.As(err, target) {
			t.Errorf("%s: %T %v", what, err, err)
			return
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v: no %q", what, err, w)
			}
		}
	}
	missing, config, function := new(*stream.MissingError), new(*stream.ConfigError), new(*stream.FunctionError)
	check("no such subject", open(func(c *stream.Config) { c.Name, c.Subject = "other", "nobody.publishes" }), missing, "nobody.publishes", "gyr-stream init")
	check("another subject", open(func(c *stream.Config) { c.Subject = strings.ToLower(p.name) + ".a" }), config, "another name")
	check("a bad name", open(func(c *stream.Config) { c.Name = "a b" }), config, "Name", `"a b"`)
	check("a bad output", open(func(c *stream.Config) { c.Outputs = []string{"a..b"} }), config, "Outputs", "a..b")
	check("a short lease", open(func(c *stream.Config) { c.Lease = 1 }), config, "Lease")
	if err := open(func(c *stream.Config) { c.Outputs = []string{strings.ToLower(p.name) + ".x"} }); err == nil || !strings.Contains(err.Error(), "overlap") {
		t.Errorf("an output that the input has: %v", err)
	}

	_, err := p.pipe.Deploy(t.Context(), []byte("no image"))
	check("no image", err, function)
	check("no image", err, new(*gyr.ImageError))
	_, err = p.pipe.Deploy(t.Context(), image(t, "other"))
	check("another signature", err, function, "Handle", "func Handle(subject string")

	// A state of other limits.
	stop := p.start()
	p.count("a", 1, 1)
	p.settle(1)
	stop()
	var log journal
	other := *p
	other.cfg.Memory = 16 << 20
	other.cfg.Log = logger(&log)
	if other.pipe, err = stream.Open(t.Context(), p.nc, other.cfg); err != nil {
		t.Fatal(err)
	}
	stop = other.start()
	waitFor(t, func() bool { return strings.Contains(log.String(), "partition failed") })
	stop()
	for _, w := range []string{"the state of partition", p.name, "limits"} {
		if !strings.Contains(log.String(), w) {
			t.Errorf("a state of other limits: %s", log.String())
		}
	}

	// A snapshot that is gone, then the bucket, then the store.
	objects, err := p.js.ObjectStore(t.Context(), "gyr-"+p.name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := objects.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(o *jetstream.ObjectInfo) bool { return !strings.HasPrefix(o.Name, "state/") })
	for _, o := range list {
		if err := objects.Delete(t.Context(), o.Name); err != nil {
			t.Fatal(err)
		}
	}
	log.Reset()
	other.cfg.Memory = p.cfg.Memory
	if other.pipe, err = stream.Open(t.Context(), p.nc, other.cfg); err != nil {
		t.Fatal(err)
	}
	stop = other.start()
	waitFor(t, func() bool { return strings.Contains(log.String(), "there is no snapshot state/") })
	stop()
	if err := p.js.DeleteKeyValue(t.Context(), "gyr-"+p.name+"-leases"); err != nil {
		t.Fatal(err)
	}
	check("no bucket", open(func(*stream.Config) {}), missing, "KV bucket gyr-"+p.name+"-leases", "nats kv add")
	if err := p.js.DeleteObjectStore(t.Context(), "gyr-"+p.name); err != nil {
		t.Fatal(err)
	}
	check("no object store", open(func(*stream.Config) {}), missing, "object store gyr-"+p.name)
}

// TestDamage: a commit whose state is not that of its root is refused.
func TestDamage(t *testing.T) {
	p := newPipe(t, 1, nil)
	stop := p.start()
	p.count("a", 1, 1)
	p.settle(1)
	stop()
	s, err := p.js.Stream(t.Context(), "GYR_"+p.name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.GetLastMsgForSubject(t.Context(), "gyr."+p.name+".commit.0")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(m.Data), "\n")
	for what, data := range map[string]string{"text": "garbage", "no difference": line + "\n", "cut": string(m.Data[:len(m.Data)-9])} {
		if _, err := p.js.PublishMsg(t.Context(), &nats.Msg{Subject: m.Subject, Data: []byte(data)}); err != nil {
			t.Fatal(err)
		}
		var log journal
		other := *p
		other.cfg.Log = logger(&log)
		if other.pipe, err = stream.Open(t.Context(), p.nc, other.cfg); err != nil {
			t.Fatal(err)
		}
		stop := other.start()
		waitFor(t, func() bool { return strings.Contains(log.String(), "partition failed") })
		stop()
		if !strings.Contains(log.String(), "the state of partition 0 of pipeline "+p.name) {
			t.Errorf("%s: %s", what, log.String())
		}
	}
}

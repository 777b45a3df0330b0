package embedding_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/state"
)

var processesFlag = flag.Int("processes", 3, "processes of TestProcesses")

// followerVariable is the variable that tells a process of TestProcesses its task: a follower as
// JSON.
const followerVariable = "GYR_TEST_FOLLOWER"

// A follower makes the calls of a log in an instance of its own, and notes the result of each
// round. The number of rounds determines the log.
type follower struct {
	Number, Of int    // which one of how many; 0 of 0: the one that is never restored
	Rounds     int    // of the log
	Dir        string // directory of the notes, and of the states that followers exchange
}

// A note is the result that every follower must have after a round.
type note struct {
	Round   int
	Root    string
	Gas     int64 // of the round
	Output  []string
	Figures string // of the heap
}

// passes returns the passes of phase B that are off for a follower: none, all, or some of them.
func (f *follower) passes() (off []string) {
	switch f.Number % 3 {
	case 1:
		return []string{"phaseb"}
	case 2:
		r := rand.New(rand.NewPCG(uint64(f.Number), 7))
		for _, name := range opt.Passes("phaseb") {
			if r.IntN(2) == 0 {
				off = append(off, name)
			}
		}
	}
	return off
}

// follow makes the calls, and passes each note to a function.
func (f *follower) follow(t *testing.T, tell func(note)) {
	ctx := t.Context()
	p := compileWithState(t, bank, f.passes()...)
	own := rand.New(rand.NewPCG(uint64(f.Number), 11)) // draws the differences between followers
	cfg := boundsOf(1 << 50)
	cfg.Tier = tiers()[f.Number%2]
	in := newInstance(t, p, cfg)
	if _, err := in.State(ctx); err != nil { // initialises packages
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 5))
	var last *state.File // the last one handed over
	for round := range f.Rounds {
		seed, calls, kind, handed, whole := r.Uint64(), 1+r.IntN(6), r.IntN(4), r.IntN(4) == 0, r.IntN(3) == 0
		rolls := kind == 0
		transaction := rolls || kind == 1
		if own.IntN(4) == 0 {
			x := runner{in: in}
			x.undo(t, func() bool {
				_, ended := steps(t, in, rand.New(rand.NewPCG(own.Uint64(), 1)), 1+own.IntN(4), true)
				return ended
			})
		}
		gas := in.Stats().Gas
		if transaction {
			if err := in.Begin(ctx); err != nil {
				t.Fatal(err)
			}
		}
		n := note{Round: round}
		c := rand.New(rand.NewPCG(seed, 1))
		ended := false
		for range calls {
			text, err := step(in, c, transaction)
			n.Output = append(n.Output, text)
			if ended = err != nil && !errors.As(err, new(*gyr.GuestError)); ended {
				break
			}
		}
		switch {
		case rolls:
			if err := in.Rollback(); (err != nil) != ended {
				t.Fatal(err)
			}
		case transaction:
			if err := in.Commit(); (err != nil) != ended {
				t.Fatal(err)
			}
		case ended:
			t.Fatal(n.Output)
		}
		st, err := in.State(ctx)
		if err != nil {
			t.Fatal(err)
		}
		s := in.Stats()
		n.Root, n.Gas = st.Root.String(), s.Gas-gas
		n.Figures = fmt.Sprint(s.Mallocs, s.AllocBytes, s.HeapPeak, s.Collections)
		tell(n)
		if !handed || f.Of == 0 {
			continue
		}
		if whole {
			last = nil
		}
		last = f.exchange(t, round, st, last)
		in.Close()
		cfg.Tier = tiers()[own.IntN(2)]
		if p.NativeError() != nil {
			cfg.Tier = gyr.TierInterp
		}
		if in, err = p.Restore(ctx, cfg, st.Root, last); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
	}
}

// exchange writes a state for the other followers, as the difference from the last one unless that
// is nil. It returns the next follower's state: the same state, in other bytes of memory.
func (f *follower) exchange(t *testing.T, round int, st *gyr.State, last *state.File) *state.File {
	name := func(number int) string { return filepath.Join(f.Dir, fmt.Sprintf("state-%d-%d", round, number)) }
	var base *state.Tree
	if last != nil {
		tree := last.Tree()
		base = &tree
	}
	var own bytes.Buffer
	if err := state.Write(&own, base, &st.Tree, st.Sections, st.Page); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name(f.Number)+".new", own.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name(f.Number)+".new", name(f.Number)); err != nil {
		t.Fatal(err)
	}
	for {
		text, err := os.ReadFile(name((f.Number + 1) % f.Of))
		switch {
		case err == nil:
			if !bytes.Equal(text, own.Bytes()) {
				t.Fatalf("round %d: the state of the next follower has %d bytes, the own one %d, and they differ", round, len(text), own.Len())
			}
			file, err := state.Read(bytes.NewReader(text), last)
			if err != nil {
				t.Fatal(err)
			}
			return file
		case !errors.Is(err, fs.ErrNotExist):
			t.Fatal(err)
		}
		select {
		case <-t.Context().Done(): // the other process has ended, so the parent ends this one
			t.Fatal("no state of the next follower")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// TestFollower is a process of TestProcesses.
func TestFollower(t *testing.T) {
	text := os.Getenv(followerVariable)
	if text == "" {
		t.Skip("it is for TestProcesses")
	}
	var f follower
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(f.Dir, fmt.Sprintf("notes-%d", f.Number)))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	e := json.NewEncoder(out)
	f.follow(t, func(n note) {
		if err := e.Encode(n); err != nil {
			t.Fatal(err)
		}
	})
}

// TestProcesses makes the same random calls in an instance of this process, which is never
// restored, and in several other processes. Some calls are in transactions, some of which are
// rolled back; each instance also has its own calls that are rolled back. The processes differ in
// tier, passes and number of threads, and continue from states that another process has written.
// After every round root, gas, output and figures of the heap are the same.
func TestProcesses(t *testing.T) {
	daily.Turn(t, 3, false)
	rounds, count := *rootsFlag/2, *processesFlag
	if testing.Short() {
		rounds, count = min(rounds, 12), min(count, 2)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir := t.TempDir()
	type end struct {
		number int
		err    error
		out    []byte
	}
	ends := make(chan end, count)
	for i := range count {
		text, err := json.Marshal(follower{i, count, rounds, dir})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestFollower$", "-test.timeout=0")
		cmd.Env = append(os.Environ(), followerVariable+"="+string(text), fmt.Sprint("GOMAXPROCS=", 1+i%4))
		go func() {
			out, err := cmd.CombinedOutput()
			ends <- end{i, err, out}
		}()
	}
	var want []note
	alone := follower{Rounds: rounds}
	alone.follow(t, func(n note) { want = append(want, n) })
	for range count {
		if e := <-ends; e.err != nil {
			cancel() // the others wait for its states
			t.Fatalf("process %d: %v\n%s", e.number, e.err, e.out)
		}
	}
	for i := range count {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("notes-%d", i)))
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(text))
		for round := range want {
			var got note
			if err := d.Decode(&got); err != nil {
				t.Fatalf("process %d, round %d: %v", i, round, err)
			}
			if a, b := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want[round]); a != b {
				t.Fatalf("process %d, without %s:\n%s\nthis one:\n%s", i, strings.Join((&follower{Number: i}).passes(), ","), a, b)
			}
		}
	}
	handed, err := filepath.Glob(filepath.Join(dir, "state-*-0"))
	if err != nil || len(handed) == 0 {
		t.Errorf("no state was handed over: %v", err)
	}
	t.Logf("%d rounds, %d of %d processes were restored %d times each", len(want), count, count+1, len(handed))
}

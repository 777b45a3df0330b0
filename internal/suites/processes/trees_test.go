package processes

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var all = flag.Bool("processes.all", false, "all trees and all hostile guests; otherwise a part each day")

const (
	numTrees = 200
	fewTrees = 40 // a day, in CI
)

// A node and a kid are those of testdata/tree.
type node struct {
	Name  string
	Lines int    `json:",omitempty"`
	Exit  int    `json:",omitempty"`
	Echo  bool   `json:",omitempty"`
	Serve bool   `json:",omitempty"`
	Wait  string `json:",omitempty"`
	Kids  []kid  `json:",omitempty"`
	Race  bool   `json:",omitempty"`
}

type kid struct {
	Node   node
	In     int    `json:",omitempty"`
	Out    string `json:",omitempty"`
	Signal int    `json:",omitempty"`
}

// tree makes a random tree. It has no order that native Go fixes if race is set in one of its nodes.
func tree(rng *rand.Rand, name string, deep int, races *bool) node {
	n := node{Name: name, Lines: rng.IntN(4)}
	if rng.IntN(4) == 0 {
		n.Exit = 1 + rng.IntN(100)
	}
	if rng.IntN(8) == 0 {
		n.Lines = 3000 // more than a pipe holds
	}
	if deep == 0 {
		return n
	}
	n.Race = rng.IntN(5) == 0
	for i := range 1 + rng.IntN(3) {
		k := kid{Node: tree(rng, fmt.Sprint(name, ".", i), deep-1-rng.IntN(deep), races)}
		if rng.IntN(3) == 0 {
			k.In = 1 + rng.IntN(6)
			k.Node.Echo = rng.IntN(3) > 0
			if rng.IntN(3) == 0 {
				k.In = 20000
			}
		}
		k.Out = []string{"inherit", "capture", "both", "file", "talk", "pipe"}[rng.IntN(6)]
		if k.Out == "talk" {
			k.In = 1 + rng.IntN(6)
			k.Node.Echo, k.Node.Kids = false, nil
			k.Node.Lines = rng.IntN(4)
		}
		if !n.Race && rng.IntN(5) == 0 {
			k.Node.Wait = []string{"spin", "sleep", "read", "signal"}[rng.IntN(4)]
			k.Node.Echo, k.Node.Kids, k.Out, k.In = false, nil, "", 0
			k.Signal = []int{9, 15, 2}[rng.IntN(3)]
			if i > 0 && n.Kids[i-1].Out == "pipe" {
				n.Kids[i-1].Out = "capture" // the second one of a pipeline gets no signal, and would wait for ever
			}
		}
		n.Kids = append(n.Kids, k)
	}
	*races = *races || n.Race && len(n.Kids) > 1
	return n
}

// tiers returns the tiers of this machine.
func tiers() []gyr.Tier {
	list := []gyr.Tier{gyr.TierInterp}
	if gyr.CheckNative() == nil {
		list = append(list, gyr.TierNative)
	}
	return list
}

// compiled compiles a program of testdata.
func compiled(t *testing.T, dir string) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(t.Context(), gyr.Source{Dir: filepath.Join("testdata", dir), Patterns: []string{"."}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An outcome is how a program ended.
type outcome struct {
	out, end string
	stats    gyr.Stats
}

func run(t *testing.T, p *gyr.Program, cfg gyr.Config) (o outcome) {
	t.Helper()
	var out bytes.Buffer
	cfg.Stdout, cfg.Stderr = &out, &out
	in, err := p.NewInstance(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(t.Context()); err != nil {
		o.end = err.Error()
	}
	o.out, o.stats = out.String(), in.Stats().Repeatable()
	return o
}

// TestTrees runs random trees of processes: each twice, in each tier, with equal output, end and
// figures; and natively, with equal output and end, if native Go fixes their order.
func TestTrees(t *testing.T) {
	native := filepath.Join(t.TempDir(), "tree")
	cmd := exec.Command("go", "build", "-o", native, ".")
	cmd.Dir = filepath.Join("testdata", "tree")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := compiled(t, "tree")
	fixed, processes := 0, 0
	for _, i := range daily.Numbers(t, numTrees, fewTrees, *all) {
		races := false
		n := tree(rand.New(rand.NewPCG(uint64(i), 1)), "t", 3, &races)
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		processes += n.count()
		var first *outcome
		for _, tier := range tiers() {
			for range 2 {
				o := run(t, p, gyr.Config{Name: "tree", Args: []string{string(text)}, Tier: tier, Gas: 2e9}) // a tree that goes on for ever is an error
				if first == nil {
					first = &o
				} else if o != *first {
					t.Errorf("tree %d in %s: %s, %+v\n%s\nbefore: %s, %+v\n%s\n%s", i, tier, o.end, o.stats, o.out, first.end, first.stats, first.out, text)
				}
			}
		}
		if races {
			continue
		}
		fixed++
		cmd := exec.Command(native, string(text))
		out, err := cmd.CombinedOutput()
		end := ""
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			end = exit.Error()
		} else if err != nil {
			t.Fatal(err)
		}
		if string(out) != first.out || end != first.end {
			t.Errorf("tree %d: %s\n%s\nnatively: %s\n%s\n%s", i, first.end, first.out, end, out, text)
		}
	}
	t.Logf("%d processes, %d trees compared with native ones", processes, fixed)
}

// TestTurns: a program gets on with its work beside a child that never rests. What the child uses is paid
// for, but does not end the quantum of the parent's goroutine.
func TestTurns(t *testing.T) {
	p := compiled(t, "tree")
	text, err := json.Marshal(node{Name: "t", Kids: []kid{{Node: node{Name: "a", Lines: 3000, Wait: "spin"}, Signal: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range tiers() {
		o := run(t, p, gyr.Config{Name: "tree", Args: []string{string(text)}, Tier: tier, Gas: 100e6})
		if o.end != "" || !bytes.Contains([]byte(o.out), []byte("signal: interrupt")) {
			t.Errorf("%s: %s\n%s", tier, o.end, o.out)
		}
	}
}

func (n *node) count() int {
	c := 1
	for i := range n.Kids {
		c += n.Kids[i].Node.count()
	}
	return c
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

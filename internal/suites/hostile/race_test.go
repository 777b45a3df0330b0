package hostile

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/gyrvm/gyr"
)

// concurrent are programs of programs/ that together use most of the engine, at small sizes.
var concurrent = []struct{ name, size string }{
	{"binarytrees", "8"}, {"channels", "5"}, {"closures", "50"}, {"fannkuch", "5"},
	{"knucleotide", "100"}, {"maps", "300"}, {"regexredux", "50"}, {"strbuild", "300"},
}

// TestRace compiles and runs 8 different programs at once, and 8 instances of one program whose
// functions are not compiled yet, in each tier. It is for the race detector, and for state that
// programs of a process might share. Each prints and costs the same as alone, and no function is
// compiled twice.
func TestRace(t *testing.T) {
	var wg sync.WaitGroup
	programs := make([]*gyr.Program, len(concurrent))
	results := make([][2]string, len(concurrent))
	for i, c := range concurrent {
		wg.Go(func() {
			dir := filepath.Join("../../../programs", c.name)
			p, err := gyr.Compile(context.Background(), gyr.Source{Dir: dir}, nil)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			programs[i] = p
			// Functions are compiled at their first call: two instances of the program compete
			// there.
			var both sync.WaitGroup
			for k := range 2 {
				both.Go(func() { results[i][k] = outcome(p, c.size, "") })
			}
			both.Wait()
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for i, c := range concurrent {
		alone := outcome(programs[i], c.size, "")
		for _, r := range results[i] {
			if r != alone {
				t.Errorf("%s: among others\n%s\nalone\n%s", c.name, r, alone)
			}
		}
	}
	for _, tier := range tiers() {
		c := concurrent[1]
		var compiled [2]int
		var outcomes [8]string
		for k := range compiled { // by one instance, by eight
			p, err := gyr.Compile(context.Background(), gyr.Source{Dir: filepath.Join("../../../programs", c.name)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range outcomes {
				if k == 1 || i == 0 {
					wg.Go(func() { outcomes[i] = outcome(p, c.size, tier) })
				}
			}
			wg.Wait()
			compiled[k] = p.Stats().Compiled
		}
		for i, r := range outcomes {
			if r != outcomes[0] {
				t.Errorf("%s, instance %d\n%s\ninstance 0\n%s", tier, i, r, outcomes[0])
			}
		}
		if compiled[0] != compiled[1] {
			t.Errorf("%s: 8 instances compile %d functions, one %d", tier, compiled[1], compiled[0])
		}
	}
}

// outcome runs a program and returns everything visible of the run.
func outcome(p *gyr.Program, arg string, tier gyr.Tier) string {
	var out bytes.Buffer
	in, err := p.NewInstance(context.Background(), gyr.Config{Args: []string{arg}, Stdout: &out, Stderr: &out, Gas: 200_000_000, Tier: tier})
	if err != nil {
		return err.Error()
	}
	defer in.Close()
	err = in.Run(context.Background())
	s := in.Stats()
	s = s.Repeatable()
	return fmt.Sprintf("%s%v %+v", &out, err, s)
}

package vet

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

var update = flag.Bool("update", false, "write the table of facts of the standard library")

// TestStdFacts runs the passes that make facts over the whole standard library and compares them with the table.
func TestStdFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("it analyses the whole standard library")
	}
	list, _, err := List(context.Background(), &engine.Source{}, []string{"std"})
	if err != nil {
		t.Skip("no Go installation: ", err)
	}
	list = slices.DeleteFunc(list, func(x load.Listed) bool { return !x.HasGo })
	for i := range list {
		list[i].HasTests = false
	}
	o := Options{Source: engine.Source{}}
	r := newRun(context.Background(), &o)
	r.list, r.makers = o.chosen()
	r.list = r.makers
	if r.units, err = engine.Units(context.Background(), o.Source, list); err != nil {
		t.Fatal(err)
	}
	defer r.units.Close()
	if err := r.all(&Stats{}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, u := range r.order {
		if u.Err != nil || u.Failed {
			t.Errorf("%s: %v", u.Path, u.Err)
		}
		for i, f := range u.facts.encode(r.makers) {
			if i == 0 {
				fmt.Fprintf(&b, "%s\n", u.Path)
			}
			fmt.Fprintf(&b, "\t%s %s %s\n", f.Path, f.Type, f.Value)
		}
	}
	if *update {
		if err := os.WriteFile("stdfacts.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if b.String() != stdText {
		t.Errorf("stdfacts.txt is not what %s has: run this test with -update", r.units.Release)
	}
}

package testrun

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// Cover says what coverage to report.
type Cover struct {
	Mode     string    // set, count or atomic
	Packages []string  // patterns; nil: the package under test
	Profile  io.Writer // nil: no profile
}

// covered is what -coverpkg selects. It is nil if each package is covered by its own tests.
type covered struct {
	paths  []string         // matching import paths
	blocks []api.CoverBlock // of the matching packages under test
}

// findCovered loads the syntax of all test binaries. A matching package under test is in the report
// of each binary; its blocks count as not executed in a binary that does not contain it.
func (r *runner) findCovered(ctx context.Context, cfg load.Options) error {
	o := r.o
	if o.Cover.Profile != nil {
		if _, err := fmt.Fprintf(o.Cover.Profile, "mode: %s\n", o.Cover.Mode); err != nil {
			return err
		}
	}
	if o.Cover.Packages == nil {
		return nil
	}
	pattern := map[string][]string{} // by import path: the patterns that matched
	for _, p := range o.Cover.Packages {
		cfg.Patterns = []string{p}
		list, _, err := o.list(ctx, cfg)
		if err != nil {
			return err
		}
		for _, x := range list {
			pattern[x.Path] = append(pattern[x.Path], p)
		}
	}
	c := &covered{}
	for path := range pattern {
		c.paths = append(c.paths, path)
	}
	slices.Sort(c.paths)
	have := map[string]bool{} // patterns
	for _, j := range r.list {
		if j.Err != nil {
			continue
		}
		src := j.source()
		src.Cover = c.paths
		blocks, err := engine.CoverBlocks(ctx, src)
		if err != nil {
			continue // its test will report that
		}
		for _, b := range blocks {
			if b.Package == j.Path {
				c.blocks = append(c.blocks, b)
			}
			for _, p := range pattern[b.Package] {
				have[p] = true
			}
		}
	}
	for _, p := range o.Cover.Packages {
		if !have[p] {
			fmt.Fprintf(o.Stderr, "warning: no packages being tested depend on matches for pattern %s\n", p)
		}
	}
	r.covered = c
	return nil
}

// cover returns the packages to cover in the test binary of j.
func (j *job) cover() []string {
	switch {
	case j.o.Cover == nil:
		return nil
	case j.covered != nil:
		return j.covered.paths
	}
	return []string{j.Path}
}

// coverage records what the tests executed and returns the text about it.
func (j *job) coverage(blocks []api.CoverBlock) string {
	if j.covered != nil {
		have := map[string]bool{}
		for _, b := range blocks {
			have[b.Package] = true
		}
		for _, b := range j.covered.blocks {
			if !have[b.Package] {
				blocks = append(blocks, b)
			}
		}
	}
	j.profile = profileOf(blocks, j.o.Cover.Mode)
	done, all := 0, 0
	for _, b := range blocks {
		all += b.Stmts
		if b.Count > 0 {
			done += b.Stmts
		}
	}
	if all == 0 {
		return "coverage: [no statements]"
	}
	s := fmt.Sprintf("coverage: %.1f%% of statements", 100*float64(done)/float64(all))
	if j.o.Cover.Packages != nil {
		s += " in " + strings.Join(j.o.Cover.Packages, ", ")
	}
	return s
}

// notCovered is the line for a package without tests; empty if the package has nothing to cover.
func (j *job) notCovered(ctx context.Context) string {
	if j.o.Cover == nil || !j.HasGo {
		return ""
	}
	src := j.source()
	src.Cover = []string{j.Path}
	blocks, err := engine.CoverBlocks(ctx, src)
	if err != nil || len(blocks) == 0 {
		return ""
	}
	j.profile = profileOf(blocks, j.o.Cover.Mode)
	return fmt.Sprintf("\t%s\t\tcoverage: 0.0%% of statements\n", j.Path)
}

// profileOf returns the lines of a profile.
func profileOf(blocks []api.CoverBlock, mode string) []byte {
	slices.SortStableFunc(blocks, func(x, y api.CoverBlock) int {
		return cmp.Or(strings.Compare(x.Package, y.Package), strings.Compare(x.File, y.File),
			cmp.Compare(x.StartLine, y.StartLine), cmp.Compare(x.StartCol, y.StartCol),
			cmp.Compare(x.EndLine, y.EndLine), cmp.Compare(x.EndCol, y.EndCol))
	})
	var buf bytes.Buffer
	for _, b := range blocks {
		n := b.Count
		if mode == "set" {
			n = min(n, 1)
		}
		fmt.Fprintf(&buf, "%s:%d.%d,%d.%d %d %d\n", b.File, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.Stmts, n)
	}
	return buf.Bytes()
}

package research

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Hotspots say where the time and the memory of the branch's tip go, for a proposer.
type hotspots struct {
	key   string            // of the program that was profiled
	texts map[string][]byte // the profilers' lists, by file name
	hot   []hotFunction
}

// A hotFunction is a function of the repository with its shares of the processor time, in percent.
type hotFunction struct {
	Name string  `json:"name"`
	File string  `json:"file"`
	Flat float64 `json:"flat"` // in its own code
	Cum  float64 `json:"cum"`  // with what it calls
}

// mostHot is how many functions a brief names.
const mostHot = 15

// profile runs the first benchmark of the branch's tip under the profilers. A benchmark that does
// not run leaves no profile. The profile of one tip serves all proposals on it.
func (s *Session) profile(ctx context.Context) (*hotspots, error) {
	i := slices.IndexFunc(s.config.sources(), func(x *source) bool { return x.from == "gobench" })
	if i < 0 {
		return &hotspots{}, nil
	}
	src := s.config.sources()[i]
	key := fmt.Sprint(s.parentTree, "|", s.state.settings, "|", src.metrics[0].benchKey())
	if s.profiled != nil && s.profiled.key == key {
		return s.profiled, nil
	}
	if err := errors.Join(s.parent.dress(s.state.settings),
		s.parent.checkout(ctx, s.state.tip, s.parentTree)); err != nil {
		return nil, err
	}
	p := &hotspots{key: key, texts: map[string][]byte{}}
	var bad *sampleError
	if err := s.runner.prepare(ctx, src, s.parent); errors.As(err, &bad) {
		return p, nil
	} else if err != nil {
		return nil, err
	}
	m := src.metrics[0]
	bin, dir := s.parent.built[m.Pkg].path, filepath.Join(s.work, "profile")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o777)); err != nil {
		return nil, err
	}
	run := func(in string, name string, args ...string) (out []byte, ok bool, err error) {
		o, err := s.runner.boxed(ctx, s.parent, false, []string{dir}, in, nil, sampleTimeout, name, args...)
		if err != nil {
			return nil, false, err
		}
		return o.Stdout, o.Err() == nil, nil
	}
	for _, kind := range []struct{ flag, name, sample string }{{"-test.cpuprofile", "cpu", "cpu"},
		{"-test.memprofile", "alloc", "alloc_space"}} {
		prof := filepath.Join(dir, kind.name+".prof")
		_, ok, err := run(filepath.Join(s.parent.wt.Dir, m.Pkg), bin, "-test.run=^$", "-test.bench="+benchPattern(m.Bench), kind.flag+"="+prof)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		top, ok, err := run(dir, "go", "tool", "pprof", "-top", "-sample_index="+kind.sample, bin, prof)
		if err != nil {
			return nil, err
		}
		if ok {
			p.texts[kind.name+".txt"] = top
		}
		if kind.name != "cpu" {
			continue
		}
		files, ok, err := run(dir, "go", "tool", "pprof", "-top", "-filefunctions", "-sample_index=cpu", bin, prof)
		if err != nil {
			return nil, err
		}
		if ok {
			p.hot = hotFunctions(string(files), s.parent.wt.Dir)
		}
	}
	s.profiled = p
	return p, nil
}

// topLine is a line of pprof -top -filefunctions.
var topLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*\S+\s+([\d.]+)%\s+[\d.]+%\s+\S+\s+([\d.]+)%\s+(\S.*?) (/\S.*?)(?: \(inline\))?$`)
})

// hotFunctions are the functions of a checkout in a list of pprof's, without tests.
func hotFunctions(list, top string) []hotFunction {
	byName := map[string]hotFunction{}
	for line := range strings.Lines(list) {
		m := topLine().FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || strings.HasSuffix(m[4], "_test.go") {
			continue
		}
		file, err := filepath.Rel(top, m[4])
		if err != nil || !filepath.IsLocal(file) {
			continue
		}
		flat, _ := strconv.ParseFloat(m[1], 64) // digits and points alone
		cum, _ := strconv.ParseFloat(m[2], 64)
		h := byName[m[3]]
		byName[m[3]] = hotFunction{m[3], filepath.ToSlash(file), h.Flat + flat, max(h.Cum, cum)}
	}
	hot := slices.SortedFunc(maps.Values(byName), func(a, b hotFunction) int {
		return cmp.Or(cmp.Compare(b.Flat, a.Flat), cmp.Compare(b.Cum, a.Cum), strings.Compare(a.Name, b.Name))
	})
	return hot[:min(len(hot), mostHot)]
}

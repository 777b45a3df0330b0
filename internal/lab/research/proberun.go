package research

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/probe"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// Both versions of a package are called by programs (probebuild.go): one with the package's own tests
// and benchmarks, and one for each other package whose measured benchmarks may use it.

// A program calls both versions of a package.
type program struct {
	order probe.Order
	state []string                                                 // variables to watch in the candidate
	bins  [2]*calls                                                // of the parent and of the candidate
	race  func(version int) (bin *calls, reason string, err error) // a program with the race detector
}

// probeTime limits the calls of one version of a package, with room for a busy machine.
const probeTime = 6 * time.Minute

func (s *Session) probePackage(ctx context.Context, c *subject, dir string, p *probes) error {
	leave := func(format string, args ...any) error {
		p.left = append(p.left, dir+": "+fmt.Sprintf(format, args...))
		return nil
	}
	sides := [2]*side{s.parent, c.side}
	var texts [2]*sourcePackage
	for i, d := range sides {
		texts[i] = readSourcePackage(filepath.Join(d.wt.Dir, dir))
	}
	old, now := texts[0], texts[1]
	if now.name == "" || old.name != now.name {
		return nil // no package, or a different one
	}
	x := &probed{name: path.Join(dir, now.name), exported: map[string]bool{}}
	common := x.targets(old, now)
	if len(x.surface)+len(x.inner) == 0 {
		return leave("no function that both versions have")
	}
	words, numbers := dictionary(old, now)
	measuredBy := s.measuredTests()
	mine := measuredBy[path.Clean(filepath.ToSlash(dir))]
	order := probe.Order{Functions: append(slices.Clone(x.surface), x.inner...), Tests: len(now.tests)+len(now.outer) > 0,
		Benches: len(now.benches[0])+len(now.benches[1]) > 0,
		First:   mine.tests,
		Parts:   mine.parts,
		Strings: words, Ints: numbers}
	order.Changed = changedFunctions(old, now)
	order.Skip = s.skippedParts(order.Functions)
	order.Types, order.Nils = differentTypes(old, now), old.nils()
	order.News, order.Floats, order.Words = differentLiterals(old, now)
	var modules [2]module
	for i, d := range sides {
		var reason string
		var err error
		if modules[i], reason, err = s.moduleOf(ctx, d, dir); err != nil {
			return err
		}
		if reason != "" {
			return leave("not called: %s", reason)
		}
	}
	reaches := cmp.Or(modules[1].reaches, modules[0].reaches)
	inEngine := reaches != "" && s.box == nil
	build := func(users [2]*sourcePackage, order probe.Order) (*program, string, error) {
		g := &program{order: order, state: c.state[dir]}
		for i, d := range sides {
			bin, reason, err := s.probeBinary(ctx, d, texts[i], users[i], common, modules[i], inEngine, false)
			if err != nil || reason != "" {
				return nil, reason, err
			}
			g.bins[i] = bin
		}
		g.race = func(i int) (*calls, string, error) {
			return s.probeBinary(ctx, sides[i], texts[i], users[i], common, modules[i], false, true)
		}
		return g, "", nil
	}
	own, reason, err := build(texts, order)
	switch {
	case err != nil:
		return err
	case reason != "" && inEngine:
		return leave("not called with random inputs: %s, there is no bubblewrap: %s; and gyr's sandbox does not do: %s", reaches, s.boxReason, reason)
	case reason != "":
		p.broken = true
		return leave("%s", reason)
	}
	if inEngine {
		p.places = append(p.places, fmt.Sprintf("%s: called in gyr's sandbox: %s, and there is no bubblewrap: %s", dir, reaches, s.boxReason))
	}
	list := []*program{own}
	users, err := s.users(ctx, c, dir, modules[1], measuredBy)
	if err != nil {
		return err
	}
	for _, user := range users {
		var of [2]*sourcePackage
		for i, d := range sides {
			of[i] = readSourcePackage(filepath.Join(d.wt.Dir, user)).only(measuredBy[user].tests)
		}
		o := order
		o.Outside, o.First, o.Parts = true, measuredBy[user].tests, measuredBy[user].parts
		o.Tests, o.Benches = len(of[1].tests)+len(of[1].outer) > 0, len(of[1].benches[0])+len(of[1].benches[1]) > 0
		g, reason, err := build(of, o)
		if err != nil {
			return err
		}
		if reason != "" {
			leave("not called by %s: %s", user, reason)
			continue
		}
		list = append(list, g)
	}

	var building sync.WaitGroup
	defer building.Wait()
	if s.runner.golang.CGO == "1" && !inEngine {
		all := slices.Clone(list)
		building.Go(func() { // while the parent runs: most changes need it
			for _, g := range all {
				g.race(1) // an error shows when it is asked for again
			}
		})
	}
	before, err := s.callBy(ctx, s.parent, list, 0, false)
	if err != nil {
		return err
	}
	kept := list[:0]
	for k, g := range list {
		if v := before[k]; k == 0 || len(v.tests)+len(v.bench) > 0 {
			g.limit(v)
			kept = append(kept, g)
			for _, name := range sortedKeys(v.stuck) {
				leave("%s: the parent's %s", name, v.stuck[name])
			}
		}
	}
	list = kept
	again, first, err := s.callBoth(ctx, c, list, true, false)
	if err != nil {
		return err
	}
	x.before, x.now = []*version{joined(before), again}, []*version{first}
	if err := s.confirm(ctx, c, x, list); err != nil {
		return err
	}
	building.Wait()
	if inEngine {
		x.detector = "without the race detector: they run in gyr's sandbox"
	} else {
		names, err := s.lucky(ctx, c, x, list)
		if err == nil {
			err = s.detectRaces(ctx, c, x, list)
		}
		if err != nil {
			return err
		}
		if len(names) > 0 {
			leave("several goroutines: the parent has a data race there, too: %s", strings.Join(names, ", "))
		}
	}
	for _, name := range sortedKeys(x.now[0].calls) {
		if r := x.now[0].calls[name]; r.Unsupported != "" {
			leave("%s %s", name, r.Unsupported)
		}
	}
	for _, v := range append(slices.Clone(x.before), x.now...) {
		for _, text := range v.fault {
			leave("%s", probeFailed+text)
		}
	}
	p.list = append(p.list, x)
	return nil
}

// A measured package has these tests and benchmarks that metrics name, and sub-benchmarks by their
// whole names where the others of their benchmark are not measured.
type measured struct{ tests, parts []string }

// measuredTests are the tests and benchmarks that metrics name, by the directory of their package.
func (s *Session) measuredTests() map[string]measured {
	list, whole := map[string]measured{}, map[string]bool{}
	for _, m := range s.config.Metrics {
		dir := path.Clean(filepath.ToSlash(m.Pkg))
		of := list[dir]
		bench := m.Bench
		if bench != "" && !strings.HasPrefix(bench, "Benchmark") {
			bench = "Benchmark" + bench
		}
		for _, full := range []string{bench, strings.Trim(m.Test, "^$")} {
			name, _, isPart := strings.Cut(full, "/")
			if name == "" {
				continue
			}
			if !slices.Contains(of.tests, name) {
				of.tests = append(of.tests, name)
			}
			if !isPart {
				whole[dir+" "+name] = true
			} else if !slices.Contains(of.parts, full) {
				of.parts = append(of.parts, full)
			}
			list[dir] = of
		}
	}
	for dir, of := range list {
		of.parts = slices.DeleteFunc(of.parts, func(part string) bool {
			name, _, _ := strings.Cut(part, "/")
			return whole[dir+" "+name]
		})
		list[dir] = of
	}
	return list
}

// mostUsers bounds the other packages whose benchmarks run, if none is measured.
const mostUsers = 2

// users are the directories of other packages whose benchmarks may call a package: those with
// measured benchmarks or tests; if no metric names any, the first ones of its module.
func (s *Session) users(ctx context.Context, c *subject, dir string, m module, measuredBy map[string]measured) (dirs []string, err error) {
	root := c.side.wt.Dir
	const format = "{{.Dir}}\t{{join .Deps \"\t\"}}"
	find := func(at, pattern string, most int) error {
		lines, err := s.goList(ctx, c.side, at, []string{"-test", "-f", format, pattern})
		for _, line := range lines {
			fields := strings.Split(line, "\t")
			user, err := filepath.Rel(root, fields[0])
			if user = filepath.ToSlash(user); err != nil || user == path.Clean(dir) || slices.Contains(dirs, user) || len(dirs) >= most {
				continue
			}
			uses := slices.ContainsFunc(fields[1:], func(f string) bool {
				f, _, _ = strings.Cut(f, " [") // the variant of a package that is built for a test
				return f == m.pkg
			})
			if now := readSourcePackage(fields[0]).only(measuredBy[user].tests); uses && now.runs() {
				dirs = append(dirs, user)
			}
		}
		return err
	}
	for _, user := range sortedKeys(measuredBy) {
		if user != path.Clean(dir) {
			if err := find(filepath.Join(root, user), ".", len(measuredBy)); err != nil {
				return nil, err
			}
		}
	}
	if len(measuredBy) == 0 {
		err = find(m.dir, "./...", mostUsers)
	}
	return dirs, err
}

// callBy calls a version by all programs.
func (s *Session) callBy(ctx context.Context, d *side, list []*program, version int, again bool) (out []*version, err error) {
	for _, g := range list {
		order := g.order
		if version == 1 {
			order.State = g.state
		}
		v, err := s.callAll(ctx, d, g.bins[version], order, again)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// callBoth calls the parent and the candidate at the same time.
func (s *Session) callBoth(ctx context.Context, c *subject, list []*program, parentAgain, candidateAgain bool) (parent, candidate *version, err error) {
	var versions [2][]*version
	var errs [2]error
	done := make(chan bool)
	go func() {
		versions[0], errs[0] = s.callBy(ctx, s.parent, list, 0, parentAgain)
		close(done)
	}()
	versions[1], errs[1] = s.callBy(ctx, c.side, list, 1, candidateAgain)
	<-done
	if err := errors.Join(errs[:]...); err != nil {
		return nil, nil, err
	}
	return joined(versions[0]), joined(versions[1]), nil
}

// limit lets the candidate make no calls that do not end in the parent, or that take long there.
func (g *program) limit(v *version) {
	g.order.Limits = map[string]int{}
	for _, list := range []map[string]*probe.Report{v.calls, v.parts} {
		for name, r := range list {
			g.order.Limits[name] = len(r.Cases) - r.Floats
			g.order.Limits[probe.WithFloats(name)] = r.Floats
			g.order.Misuse = probe.MisuseOf(g.order.Misuse, r)
		}
	}
	g.order.Together = map[string]bool{}
	for key, r := range v.parts {
		if name, ok := strings.CutPrefix(key, probe.Concurrent+" "); ok && r.Together {
			g.order.Together[name] = true
		}
	}
	g.order.Skip = append(append(g.order.Skip, v.endless...), sortedKeys(v.stuck)...)
	g.order.Tests, g.order.Benches = g.order.Tests && v.tested, g.order.Benches && v.benched
}

// joined are the reports of all programs. Only the first one makes calls of its own.
func joined(list []*version) *version {
	v := list[0]
	for _, w := range list[1:] {
		for _, x := range [][2]map[string]*probe.Report{{v.tests, w.tests}, {v.bench, w.bench}, {v.parts, w.parts}} {
			for name, r := range x[1] {
				if x[0][name] == nil {
					x[0][name] = r
				} else {
					x[0][name].Join(r)
				}
			}
		}
		for key, how := range w.stuck {
			if isPart(key) {
				v.stuck[key] = how
			}
		}
		v.fault = append(v.fault, w.fault...)
	}
	return v
}

// isPart reports whether a key is that of a part of a function's examination.
func isPart(key string) bool {
	part, _, _ := strings.Cut(key, " ")
	return slices.Contains(probeParts, part)
}

// confirmRuns is how often both versions are called again before a candidate is refused. A result
// that a busy machine or the order of goroutines caused must not count.
const confirmRuns = 2

// confirm calls both versions again if a difference was found. First it makes only the calls that
// showed a difference. If they do not show it again, the others may have mattered: then it makes
// them all.
func (s *Session) confirm(ctx context.Context, c *subject, x *probed, list []*program) error {
	first := x.refusing()
	for _, all := range []bool{false, true} {
		programs, y := list, *x
		if !all {
			programs = nil
			for _, g := range list {
				programs = append(programs, g.showing(first))
			}
		}
		y.before, y.now = slices.Clone(x.before), slices.Clone(x.now)
		one := *x.now[0]
		one.stuck = maps.Clone(one.stuck)
		y.now[0] = &one
		for n := 0; len(y.refusing()) > 0 && n < y.confirmations(s.config.effort); n++ {
			again, last, err := s.callBoth(ctx, c, programs, false, n == 0)
			if err != nil {
				return err
			}
			y.before, y.now = append(y.before, again), append(y.now, last)
			maps.DeleteFunc(one.stuck, func(name, _ string) bool {
				return last.stuck[name] == "" && !strings.HasPrefix(name, probe.Concurrent+" ") // which may have luck
			})
		}
		if all || len(first) == 0 || len(y.refusing()) > 0 {
			*x = y
			return nil
		}
	}
	return nil
}

// showing is a program with only the calls that show differences.
func (g *program) showing(list []difference) *program {
	keys, names := map[string]bool{}, map[string]bool{}
	for _, x := range list {
		if keys[x.key] = true; x.key == probe.Tests || x.key == probe.Benches {
			continue
		}
		names[x.name] = true
		if method, ok := strings.CutPrefix(x.name, "("); ok && x.key == x.name {
			recv, _, _ := strings.Cut(strings.TrimPrefix(method, "*"), ")")
			names["type "+recv] = true
		}
	}
	h := *g
	h.order.Functions = slices.DeleteFunc(slices.Clone(g.order.Functions), func(name string) bool { return !names[name] })
	h.order.Skip = slices.Clone(g.order.Skip)
	for _, name := range h.order.Functions {
		for _, part := range probeParts {
			if key := part + " " + name; !keys[key] {
				h.order.Skip = append(h.order.Skip, key)
			}
		}
	}
	return &h
}

// probeFailed begins the note on a part in which the probe itself panicked. That says nothing about
// the candidate.
const probeFailed = "the probe itself failed in "

// neverEnds is what a function does that does not return.
const neverEnds = "does not come to an end"

// ends is what a function does in which a process ends.
func ends(o *process.Outcome) string {
	if o.TimedOut {
		return neverEnds
	}
	for line := range strings.Lines(string(o.Stderr)) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return "ends the process (" + strings.TrimSpace(line) + ")"
		}
	}
	return "ends the process"
}

// mostRestarts bounds how often the calls restart after one that does not end.
const mostRestarts = 6

// callAll calls the functions of a version of a package. It notes calls that do not end, and makes
// the remaining ones in another process.
func (s *Session) callAll(ctx context.Context, d *side, bin *calls, order probe.Order, again bool) (*version, error) {
	v := newVersion()
	desk := filepath.Join(s.work, "probe-desk-"+filepath.Base(d.wt.Dir))
	for range mostRestarts {
		text, err := json.Marshal(order)
		if err != nil {
			return nil, err
		}
		orderFile, reportFile := filepath.Join(desk, "order.json"), filepath.Join(desk, "report.jsonl")
		if err := errors.Join(os.RemoveAll(desk), os.MkdirAll(desk, 0o777), os.WriteFile(orderFile, text, 0o666)); err != nil {
			return nil, err
		}
		env, name, args := bin.command(s.runner.self, desk, d.settings, map[string]string{probe.OrderFile: orderFile, probe.ReportFile: reportFile}, again)
		o, err := s.runner.boxed(ctx, d, false, []string{desk}, bin.dir, env, probeTime, name, args...)
		if err != nil {
			return nil, err
		}
		at, ended, fault, how := "", false, false, ends(o)
		text, _ = readWritten(reportFile) // a process that wrote nothing ended earlier
		for line := range strings.Lines(string(text)) {
			r := &probe.Report{}
			if json.Unmarshal([]byte(line), r) != nil {
				break
			}
			kind, name, _ := strings.Cut(r.Name, " ")
			switch {
			case r.Name == "end":
				ended = true
			case r.Stuck:
				at, how = r.Name, neverEnds
				continue
			case r.Begins:
				at = r.Name
				continue
			case r.Fault != "":
				at, fault = r.Name, true
				v.fault = append(v.fault, r.Name+": "+r.Fault)
				continue
			case kind == "test":
				v.tests[name] = r
			case kind == "bench":
				v.bench[name] = r
			case slices.Contains(probeParts, kind):
				v.parts[r.Name] = r
			default:
				v.calls[r.Name] = r
			}
			at = ""
		}
		v.tested, v.benched = order.Tests, order.Benches
		if ended {
			return v, nil
		}
		i := slices.IndexFunc(order.Functions, func(name string) bool { return v.calls[name] == nil && !slices.Contains(order.Skip, name) })
		switch {
		case at == probe.Tests:
			order.Tests = false
		case at == probe.Benches:
			order.Benches = false
		case fault:
			order.Skip = append(order.Skip, at)
			if i >= 0 && order.Functions[i] == at {
				i++
			}
			if i < 0 || i >= len(order.Functions) {
				return v, nil
			}
			order.Functions = order.Functions[i:]
		case isPart(at):
			v.stuck[at] = how
			if text := dataRace(string(o.Stderr) + string(o.Stdout)); text != "" {
				v.raced[at] = text
			}
			order.Skip = append(order.Skip, at)
			if i < 0 {
				return v, nil
			}
			order.Functions = order.Functions[i:]
		case at != "" && !slices.Contains(order.Functions, at):
			order.Skip = append(order.Skip, at) // a test or benchmark did not end: the others run again
			v.endless = append(v.endless, at)
		case i < 0:
			return v, nil
		default:
			v.stuck[order.Functions[i]] = how
			order.Skip = append(order.Skip, order.Functions[i])
			order.Functions = order.Functions[i+1:]
		}
	}
	for _, name := range order.Functions {
		if v.calls[name] == nil && len(v.fault) == 0 { // where the probe failed nothing is known
			v.stuck[name] = neverEnds
		}
	}
	return v, nil
}

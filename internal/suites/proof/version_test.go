package proof

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/tools/filetest"
	"github.com/gyrvm/gyr/state"
)

// meanings are the contents of a release's golden: the patch release of its standard library, the
// determinism version, and an entry for everything whose meaning the version covers. An entry has a
// name, a hash of the sources ("-" for those of the standard library, which the patch release
// identifies), and the meaning:
//
//	layer K          the hash of the layer
//	program NAME     the hash of the program, compiled alone
//	filetest NAME    the hash of the program; where it ends by itself, gas and figures of the heap
//	run NAME         as one of the suite, by a call: gas, figures of the heap, and the root of the state afterwards
type meanings struct {
	std     string
	version int
	entries map[string]entry
}

type entry struct{ source, meaning string }

const meaningsFormat = "std %s\ndeterminism %d\n"

func (m *meanings) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, meaningsFormat, m.std, m.version)
	for _, name := range slices.Sorted(maps.Keys(m.entries)) {
		e := m.entries[name]
		fmt.Fprintf(&b, "%s: %s: %s\n", name, e.source, e.meaning)
	}
	return b.String()
}

func readMeanings(text string) (*meanings, error) {
	m := &meanings{entries: map[string]entry{}}
	if _, err := fmt.Sscanf(text, meaningsFormat, &m.std, &m.version); err != nil {
		return nil, err
	}
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n")[2:] {
		list := strings.Split(line, ": ")
		if len(list) != 3 {
			return nil, fmt.Errorf("line %q", line)
		}
		m.entries[list[0]] = entry{list[1], list[2]}
	}
	return m, nil
}

// changed lists the entries with the same sources and another meaning. It leaves out new, removed
// and edited ones.
func (m *meanings) changed(now *meanings) (list []string) {
	for _, name := range slices.Sorted(maps.Keys(m.entries)) {
		was, is := m.entries[name], now.entries[name]
		if is.source == was.source && is.meaning != was.meaning {
			list = append(list, fmt.Sprintf("%s was\n\t%s\nand is\n\t%s", name, was.meaning, is.meaning))
		}
	}
	return list
}

// TestDeterminismVersion: under one determinism version the layers of the standard library,
// programs/ and tests/lang have the same intermediate representation, and use the same gas and
// memory. A version may rise without such a change.
func TestDeterminismVersion(t *testing.T) {
	_, version, err := gomod.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "version", release.Of(version).Name()+".txt")
	var was *meanings
	text, err := os.ReadFile(file)
	switch {
	case err == nil:
		if was, err = readMeanings(string(text)); err != nil {
			t.Fatal(err)
		}
	case !*update:
		t.Fatal(err)
	default:
		was = new(meanings)
	}
	if was.std != "" && was.std != version {
		t.Skipf("the standard library is that of %s, and %s is of %s: nothing is known of this one", version, file, was.std)
	}
	now, err := meaningsOf(t)
	if err != nil {
		t.Fatal(err)
	}
	now.std = version
	list := was.changed(now)
	switch {
	case now.version < was.version:
		t.Fatalf("the determinism version is %d, that of %s %d", now.version, file, was.version)
	case now.version == was.version && len(list) > 0:
		const most = 12
		more := ""
		if n := len(list) - most; n > 0 {
			list, more = list[:most], fmt.Sprintf("\n… and %d more", n)
		}
		t.Fatalf("programs became something else under determinism version %d: raise it in internal/engine/engine.go, then go generate ./internal/suites/proof "+
			"(with each release of Go)\n%s%s", now.version, strings.Join(list, "\n"), more)
	case now.String() == string(text):
	case *update:
		if err := os.WriteFile(file, []byte(now.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is of another version, or of other programs: go generate ./internal/suites/proof", file)
	}
}

// TestMeaningsDiffer: the differences that are found, and those that a new version allows.
func TestMeaningsDiffer(t *testing.T) {
	was := &meanings{"go1.26.8", 7, map[string]entry{"layer 0": {"-", "a"}, "program p": {"s", "b"}, "gone": {"s", "c"}}}
	for _, tt := range []struct {
		name    string
		entries map[string]entry
		want    int
	}{
		{"equal", was.entries, 0},
		{"edited", map[string]entry{"layer 0": {"-", "a"}, "program p": {"S", "B"}}, 0},
		{"new", map[string]entry{"layer 0": {"-", "a"}, "program p": {"s", "b"}, "program q": {"s", "b"}}, 0},
		{"layer", map[string]entry{"layer 0": {"-", "A"}, "program p": {"s", "b"}}, 1},
		{"both", map[string]entry{"layer 0": {"-", "A"}, "program p": {"s", "B"}}, 2},
	} {
		now := &meanings{was.std, was.version, tt.entries}
		if got := was.changed(now); len(got) != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
		back, err := readMeanings(now.String())
		if err != nil || back.String() != now.String() {
			t.Errorf("%s: %v, %q", tt.name, err, now)
		}
	}
}

// short is the part of a hash that a golden shows.
func short[T ~[sha256.Size]byte](sum T) string { return fmt.Sprintf("%x", sum[:8]) }

// meaningsOf compiles and runs everything.
func meaningsOf(t *testing.T) (*meanings, error) {
	ctx := t.Context()
	base, err := engine.NewBase(engine.BaseConfig{})
	if err != nil {
		return nil, err
	}
	m := &meanings{version: engine.DeterminismVersion, entries: map[string]entry{}}
	layers, err := base.Meanings(ctx)
	if err != nil {
		return nil, err
	}
	for k, l := range layers {
		m.entries[fmt.Sprint("layer ", k)] = entry{"-", short(l)}
	}
	var jobs []func() error
	var mu sync.Mutex
	add := func(name string, source []byte, meaning string) {
		mu.Lock()
		defer mu.Unlock()
		m.entries[name] = entry{short(sha256.Sum256(source)), meaning}
	}
	for name := range sizes {
		jobs = append(jobs, func() error {
			text, err := os.ReadFile("../../../programs/" + name + "/main.go")
			if err != nil {
				return err
			}
			p, err := engine.Compile(ctx, engine.Source{FS: fstest.MapFS{"main.go": {Data: text}}, Patterns: []string{"main.go"}, Base: base})
			if err != nil {
				return err
			}
			sum, err := p.Meaning()
			add("program "+name, text, short(sum))
			return err
		})
	}
	files, err := filepath.Glob("../../../tests/lang/*/*_filetest.*")
	if err != nil || len(files) < 300 {
		return nil, fmt.Errorf("%d filetests, %v", len(files), err)
	}
	for _, file := range files {
		jobs = append(jobs, func() error { return filetestMeaning(ctx, base, file, add) })
	}
	more, err := suiteMeanings(t, base, add)
	if err != nil {
		return nil, err
	}
	jobs = append(jobs, more...)
	errs := make([]error, len(jobs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				errs[i] = jobs[i]()
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	wg.Wait()
	return m, errors.Join(errs...)
}

// heapFigures returns the promised figures of a run.
func heapFigures(s engine.Stats) string {
	mallocs, size, peak := s.Own()
	return fmt.Sprintf("gas %d, allocs %d, bytes %d, peak %d, collections %d", s.Gas, mallocs, size, peak, s.Collections)
}

// filetestMeaning compiles a filetest from memory, so that it contains no name of the machine, and
// runs it.
func filetestMeaning(ctx context.Context, base *engine.Base, file string, add func(name string, source []byte, meaning string)) error {
	name := strings.TrimPrefix(filepath.ToSlash(file), "../../../tests/lang/")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	_, version, err := gomod.FindGo("")
	if err != nil || !filetest.For(release.Of(version), file, text) {
		return err
	}
	hash := ""
	res := filetest.Run(ctx, file, filetest.Options{
		Source: engine.Source{Base: base}, Config: engine.Config{Config: api.Config{Tier: api.TierInterp}}, Update: true, // goldens are ignored
		Compile: func(ctx context.Context, src engine.Source) (*engine.Program, error) {
			if src.FS == nil {
				src.Dir, src.FS = "", fstest.MapFS{filepath.Base(file): {Data: text}}
			}
			p, err := engine.Compile(ctx, src)
			if err != nil {
				return nil, err
			}
			sum, err := p.Meaning()
			hash = short(sum)
			return p, err
		},
	})
	switch {
	case hash == "": // skipped, or does not compile
	case res.Ran && res.Stats.Gas > 0:
		add("filetest "+name, text, hash+", "+heapFigures(res.Stats))
	default:
		add("filetest "+name, text, hash)
	}
	return nil
}

// suiteMain matches the main function of the suite, which a function for the host replaces.
var suiteMain = regexp.MustCompile(`(?s)package main(.*)func main\(\) \{\n\tname := os\.Args\[1\]\n\tos\.Args = .*?\n(.*)`)

// suiteMeanings compiles the suite with a function in place of main, so that its instances have
// states.
func suiteMeanings(t *testing.T, base *engine.Base, add func(name string, source []byte, meaning string)) (jobs []func() error, err error) {
	ctx := t.Context()
	dir, err := suiteDir()
	if err != nil {
		return nil, err
	}
	fsys := fstest.MapFS{}
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		if name == "main.go" {
			part := suiteMain.FindSubmatch(text)
			if part == nil {
				return errors.New("the suite's main function is not the one that this test knows")
			}
			text = slices.Concat([]byte("package suite"), part[1], []byte("func Run(name, arg string) {\n\tos.Args = []string{name, arg}\n"), part[2])
		}
		fsys[filepath.ToSlash(name)] = &fstest.MapFile{Data: text}
		return err
	}); err != nil {
		return nil, err
	}
	p, err := engine.Compile(ctx, engine.Source{FS: fsys, Exports: true, State: true, Base: base})
	if err != nil {
		return nil, err
	}
	var all []byte // roots depend on the whole suite
	for _, name := range slices.Sorted(maps.Keys(fsys)) {
		all = fmt.Appendf(all, "%s %s", name, fsys[name].Data)
	}
	for _, g := range suite(t) {
		if g.stdin != "" || g.exit != 0 || len(g.args) > 1 {
			continue
		}
		jobs = append(jobs, func() error {
			var out bytes.Buffer
			cfg := engine.Config{Config: api.Config{Tier: api.TierInterp}}
			cfg.Seed, cfg.Stdout, cfg.Stderr = 42, &out, &out
			in, err := p.NewInstance(ctx, cfg)
			if err != nil {
				return err
			}
			defer in.Close()
			arg := ""
			if len(g.args) > 0 {
				arg = g.args[0]
			}
			if _, err := in.Call(ctx, "Run", g.name, arg); err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			root := ""
			switch s, err := in.State(ctx); {
			case err == nil:
				// The program is covered elsewhere, and its identity contains the version.
				sections, err := state.HashSections(slices.DeleteFunc(s.Sections, func(s state.Section) bool { return s.Name == "program" }))
				if err != nil {
					return err
				}
				root = "root " + short(state.Root(s.Tree.Hash(), sections))
			case errors.As(err, new(*api.TransactionError)): // it has goroutines left, or files
				root = "no state"
			default:
				return fmt.Errorf("%s: %w", g.name, err)
			}
			add("run "+g.name, all, fmt.Sprintf("%s, output %s, %s", heapFigures(in.Stats()), short(sha256.Sum256(out.Bytes())), root))
			return nil
		})
	}
	return jobs, nil
}

package testrun

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/engine"
)

// This file remembers results of packages from one run to the next, in the directory of the
// compiled programs.
//
// A package that passed does not run again while everything that it can depend on is the same: the
// sources, the flags and limits, and each file of the host that it asked for. The guest is
// deterministic, so nothing else can matter. Results are not kept if the run sees the machine's
// clock or randomness, or may change files.
//
// The time that each package took is remembered too: the longest start first.

// A memory looks up what earlier runs remembered and adds to it. A nil memory knows nothing.
type memory struct {
	dir     *cache.Dir
	results bool // results with these options may be kept
}

// openMemory determines what may be remembered of a run with these options.
func openMemory(o *Options) *memory {
	if o.Source.Cache == "" || o.Revision != nil {
		return nil
	}
	dir, err := cache.Open(o.Source.Cache)
	if err != nil {
		return nil
	}
	return &memory{dir, o.cacheable()}
}

// cacheableFlags are the flags of the test binary that are part of a remembered result's name, as
// in go test. Any other flag forces a run.
var cacheableFlags = []string{"run", "skip", "short", "list", "parallel", "benchtime", "failfast", "fullpath"}

// cacheable reports whether results with these options may be kept.
func (o *Options) cacheable() bool {
	if o.direct() || o.Cover != nil || o.Source.Verify || o.Config.Realtime || o.Config.RealRandom ||
		o.Config.Profiles != 0 {
		return false
	}
	for _, f := range o.Flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(f, "-test."), "=")
		if !slices.Contains(cacheableFlags, name) {
			return false
		}
	}
	return len(o.Config.Mounts) == 0 && !slices.ContainsFunc(o.Config.Dirs, func(d api.Dir) bool { return !d.ReadOnly })
}

// A result is what a passing package printed and used.
type result struct {
	Output  []byte
	NoTests bool // it warned that there are no tests to run
	Used    PackageReport
	Files   []fileState // the files that it asked for
}

// A fileState is the information that a guest can get about a file.
type fileState struct {
	Name string
	Sum  []byte
}

// maxOutput bounds the output of a result that is kept.
const maxOutput = 4 << 20

// name returns the name of the entry for the package's result.
func (j *job) name(src *engine.Source) (cache.Name, error) {
	parts, err := src.Identity()
	if err != nil {
		return cache.Name{}, err
	}
	c := j.o.Config
	if len(c.Programs) > 0 {
		return cache.Name{}, errors.New("the tests may start programs of -exec, whose names say nothing of what is in them")
	}
	dir, err := filepath.Abs(j.Dir)
	if err != nil {
		return cache.Name{}, err
	}
	parts = append([]string{"test result", dir}, parts...)
	parts = append(parts, fmt.Sprint(j.o.Timeout, j.o.Wall, j.o.Verbose, j.o.JSON), j.o.vetName())
	for _, list := range [][]string{j.o.Flags, j.o.Args} {
		parts = append(append(parts, strconv.Itoa(len(list))), list...)
	}
	// The whole configuration except for what the runner sets itself and what engine.Config.Debug
	// points to, so that a new field is part of the name.
	c.Name, c.Args, c.Stdin, c.Stdout, c.Stderr, c.Seen = "", nil, nil, nil, nil, nil
	c.Context, c.Stop, c.Accounts, c.Fuzz, c.Observer, c.Config.Debug = nil, nil, nil, nil, nil, nil
	parts = append(parts, fmt.Sprintf("%#v", c))
	return cache.NameOf(parts), nil
}

// keeps reports whether results may be kept.
func (m *memory) keeps() bool { return m != nil && m.results }

// recall returns the package's result if it is known and nothing has changed since.
func (m *memory) recall(j *job, src *engine.Source) *result {
	if !m.keeps() || src.Rebuild {
		return nil
	}
	name, err := j.name(src)
	if err != nil {
		return nil
	}
	data, err := m.dir.Get(name)
	if data == nil || err != nil {
		return nil
	}
	e, err := cache.DecodeResult(data)
	if err != nil {
		return nil
	}
	if current, _ := e.Current(src.FS); !current {
		return nil
	}
	r := &result{}
	if err := json.Unmarshal(e.Data, r); err != nil {
		return nil
	}
	for _, f := range r.Files {
		if sum, _ := stateOf(f.Name); !bytes.Equal(sum, f.Sum) {
			return nil
		}
	}
	return r
}

// keep remembers the result of a package that passed. Its run began at start and asked for files.
func (m *memory) keep(j *job, src *engine.Source, p *engine.Program, r *result, files map[string]bool,
	start time.Time) {
	if !m.keeps() || len(r.Output) > maxOutput {
		return
	}
	inputs := p.Inputs()
	if inputs == nil {
		return
	}
	for _, f := range slices.Sorted(maps.Keys(files)) {
		sum, changed := stateOf(f)
		if changed.After(start.Add(-racy)) {
			return
		}
		r.Files = append(r.Files, fileState{f, sum})
	}
	name, err := j.name(src)
	if err != nil {
		return
	}
	if data, err := json.Marshal(r); err == nil {
		if err := m.dir.Put(name, (&cache.Result{Inputs: inputs, Data: data}).Encode()); err != nil {
			j.stats.trouble(err.Error())
		}
	}
}

// racy is how long before a run a file must have changed. Otherwise its time may not differ from
// that of the next change.
const racy = 2 * time.Second

// stateOf sums up what a guest can learn about a file by its name, with size and time in place of
// the contents. It also returns when the file last changed.
func stateOf(name string) (sum []byte, changed time.Time) {
	h := sha256.New()
	note := func(info fs.FileInfo, err error) bool {
		if err != nil {
			fmt.Fprintf(h, "none\n")
			return false
		}
		fmt.Fprintf(h, "%v %d %d\n", info.Mode(), info.Size(), info.ModTime().UnixNano())
		if info.ModTime().After(changed) {
			changed = info.ModTime()
		}
		return true
	}
	info, err := os.Lstat(name)
	if note(info, err) && info.Mode()&fs.ModeSymlink != 0 {
		if link, err := os.Readlink(name); err == nil {
			fmt.Fprintf(h, "%q\n", link)
		}
		info, err = os.Stat(name)
		note(info, err)
	}
	if err == nil && info.IsDir() {
		list, _ := os.ReadDir(name)
		for _, e := range list {
			fmt.Fprintf(h, "%q %v\n", e.Name(), e.Type())
		}
	}
	return h.Sum(nil), changed
}

// timeName is the name of the entry with the time that a package took.
func (j *job) timeName() (cache.Name, error) {
	dir, err := filepath.Abs(j.Dir)
	return cache.NameOf(append([]string{"test time", dir}, j.Files...)), err
}

// took remembers how long a package took.
func (m *memory) took(j *job, d time.Duration) {
	if m == nil {
		return
	}
	if name, err := j.timeName(); err == nil {
		m.dir.Put(name, []byte(d.String()))
	}
}

// order returns the packages in starting order: first those without a known time, then the longest
// first.
func (m *memory) order(list []*job) []*job {
	if m == nil {
		return list
	}
	known := map[*job]time.Duration{}
	for _, j := range list {
		known[j] = 1 << 62
		if name, err := j.timeName(); err == nil {
			if data, err := m.dir.Get(name); data != nil && err == nil {
				known[j], _ = time.ParseDuration(string(data))
			}
		}
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *job) int { return cmp.Compare(known[b], known[a]) })
	return list
}

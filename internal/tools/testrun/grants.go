package testrun

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/printable"
)

// This file finds out which grants the failed tests of a package lacked. Each refusal is noted with
// the test that was running. Those of tests that failed count, if the test would have had an answer
// without the sandbox: the file exists here, the variable is set here.

// A Grant is a flag that would have let tests do what they were refused.
type Grant struct {
	Env string // the name of a variable
	Dir api.Dir

	// Inside reports whether the grant reaches no more than files of the module whose package is
	// tested, and changes none of them.
	Inside bool
}

// String returns the flag as a user of a shell writes it.
func (g Grant) String() string {
	if g.Env != "" {
		return "-env " + shellWord(g.Env)
	}
	host := g.Dir.Host
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, host); err == nil && len(rel) < len(host) {
			host = rel
		}
	}
	how := ":ro"
	if g.Dir.Copy {
		how = ":copy"
	}
	return "-dir " + shellWord(host+how)
}

// shellWord quotes what a shell would not take as it is.
func shellWord(s string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_@%+=:,./-", c)
	}
	if strings.TrimFunc(s, plain) == "" && s != "" {
		return s
	}
	return "'" + strings.ReplaceAll(printable.Line(s), "'", `'\''`) + "'"
}

// mostRefusals bounds what is noted of one run, and mostGrants what is told of each kind.
const (
	mostRefusals = 4096
	mostGrants   = 6
)

// A refusal is something that a test was refused.
type refusal struct {
	need engine.Need
	name string
}

// refusals are what tests were refused, by the name of the test; "" is what runs around the tests.
type refusals map[string]map[refusal]bool

func (r refusals) note(test string, h engine.Hint) {
	test, _, _ = strings.Cut(test, "/")
	if r[test] == nil {
		r[test] = map[refusal]bool{}
	}
	if len(r[test]) < mostRefusals && len(r) < mostRefusals {
		r[test][refusal{h.Need, h.Name}] = true
	}
}

// lacked returns the grants that failed tests lacked, and how many tests lacked one.
func (j *job) lacked(failed map[string]bool) (list []Grant, tests int) {
	own, err := filepath.Abs(j.Dir)
	if err != nil || j.o.Source.FS != nil || j.o.Revision != nil {
		return nil, 0
	}
	w := &wants{job: j, own: own, module: ModuleRoot(own), reads: map[string]bool{}, env: map[string]bool{}}
	for _, test := range slices.Sorted(maps.Keys(j.refused)) {
		if test != "" && !failed[test] {
			continue
		}
		lacks := false
		for r := range j.refused[test] {
			lacks = w.add(r) || lacks
		}
		if lacks && test != "" {
			tests++
		}
	}
	return w.grants(), tests
}

// wants are what the tests of a package wanted, without what they cannot get.
type wants struct {
	*job
	own, module string // directories: of the package and of its module; module may be ""

	writes bool            // to own
	reads  map[string]bool // directories outside own
	env    map[string]bool
}

// add notes a refusal. It reports whether a grant is of use.
func (w *wants) add(r refusal) bool {
	name := filepath.FromSlash(r.name)
	switch r.need {
	case engine.NeedEnv:
		_, set := os.LookupEnv(r.name)
		if set {
			w.env[r.name] = true
		}
		return set
	case engine.NeedWrite:
		if !granted(w.o.Config.Dirs, w.own) && below(w.own, name) {
			w.writes = true
			return true
		}
	case engine.NeedRead:
		st, err := os.Stat(name)
		if err != nil || !filepath.IsAbs(name) {
			return false
		}
		if !st.IsDir() {
			name = filepath.Dir(name)
		}
		if path.Dir(filepath.ToSlash(name)) == filepath.ToSlash(name) {
			return false // never the whole machine
		}
		w.reads[name] = true
		return true
	}
	return false
}

// grants are the flags for what is wanted. Several directories of the module become the module.
func (w *wants) grants() (list []Grant) {
	reads := slices.Sorted(maps.Keys(w.reads))
	within := slices.DeleteFunc(slices.Clone(reads), func(dir string) bool { return w.module == "" || !below(w.module, dir) })
	if len(within) > 1 {
		reads = slices.DeleteFunc(reads, func(dir string) bool { return below(w.module, dir) })
		reads = slices.Insert(reads, 0, w.module)
	}
	if len(within) > 0 && below(reads[0], w.own) && !w.writes {
		// The directory of the package is a part of it.
		list = append(list, w.dir(reads[0], false))
		reads = reads[1:]
	}
	if w.writes {
		list = append(list, w.dir(w.own, true))
	}
	for _, dir := range reads[:min(len(reads), mostGrants)] {
		list = append(list, w.dir(dir, false))
	}
	env := slices.Sorted(maps.Keys(w.env))
	for _, name := range env[:min(len(env), mostGrants)] {
		list = append(list, Grant{Env: name})
	}
	return list
}

func (w *wants) dir(host string, copied bool) Grant {
	return Grant{Dir: api.Dir{Host: host, Guest: filepath.ToSlash(host), Copy: copied, ReadOnly: !copied},
		Inside: w.module != "" && below(w.module, host)}
}

// below reports whether a path is a directory or in it.
func below(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// ModuleRoot returns the directory around dir that has a go.mod, or "".
func ModuleRoot(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// tell returns the line about grants that failed tests lacked, or "".
func (j *job) tell(list []Grant, tests int) string {
	if len(list) == 0 {
		return ""
	}
	flags := make([]string, len(list))
	for i, g := range list {
		flags[i] = g.String()
	}
	who := "its tests were"
	switch {
	case tests == 1:
		who = "1 of its failed tests was"
	case tests > 1:
		who = fmt.Sprintf("%d of its failed tests were", tests)
	}
	return fmt.Sprintf("gyr: %s refused what these flags grant: %s\n", who, strings.Join(flags, " "))
}

// maxAgain bounds how often a package is tested again with more grants: tests that got one come to
// the next refusal.
const maxAgain = 4

// again gives the tests of the package some of the grants that they lacked, and discards what they
// printed. It reports false if they get none.
func (j *job) again(d *display, lacked []Grant) bool {
	if j.o.Grant == nil || len(lacked) == 0 || j.rounds == maxAgain {
		return false
	}
	j.asking.Lock()
	list := j.o.Grant(j.Path, lacked)
	j.asking.Unlock()
	if len(list) == 0 {
		return false
	}
	o := *j.o
	o.Config.Dirs, o.Config.Env = slices.Clone(o.Config.Dirs), slices.Clone(o.Config.Env)
	words := make([]string, len(list))
	for i, g := range list {
		words[i] = g.String()
		if g.Env != "" {
			o.Config.Env = append(o.Config.Env, g.Env+"="+os.Getenv(g.Env))
		} else {
			o.Config.Dirs = append(o.Config.Dirs, g.Dir)
		}
	}
	j.o = &o
	j.rounds++
	d.close()
	fmt.Fprintf(&j.err, "gyr: testing %s again with %s\n", j.Path, strings.Join(words, " "))
	return true
}

// failedTest finds the names of failed tests in the output of a test binary.
var failedTest = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\x16?--- FAIL: ([^\s/]+) \(`)
})

// failures notes the tests whose failure a part of the output tells.
func (t *tailWriter) failures(p []byte) {
	if !bytes.Contains(p, []byte("--- FAIL: ")) {
		return
	}
	for _, m := range failedTest().FindAllSubmatch(p, -1) {
		t.failed[string(m[1])] = true
	}
}

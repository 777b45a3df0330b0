package gomod

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// Contents of the module cache are compared with go.sum, with errors in the words of the go
// command. go.sum has two lines for a module: one for its files, and one for its go.mod alone,
// whose version ends in /go.mod. A module that go.sum does not have is an error, except in a
// workspace and with -mod=mod, where the go command would ask a checksum database. A load does not
// ask one. So in those cases it accepts such a module only if the go command would not ask either
// (GOSUMDB=off, GONOSUMDB, GOPRIVATE). Directories that replace a module, and vendored packages,
// have no sums.

// A sumFile is one go.sum, or go.work.sum.
type sumFile struct {
	name   string // as errors name it
	hashes map[module.Version][]string
}

// sums has the go.sum files that apply to a build: the one beside go.mod or go.work, then those of
// the modules of a workspace.
type sums struct {
	files []sumFile
	must  bool // a module without a line is an error
}

// EmptyGoMod is the sum of an empty go.mod. A bug of old go commands wrote it for modules without a
// go.mod. Such lines are ignored.
const EmptyGoMod = "h1:G7mAYYxgmS0lVkHyy2hEOLQCFB0DlQFTMLWggykrydY="

// readSums reads the go.sum of the build when a load needs the module cache for the first time.
func (m *Modules) readSums() (*sums, error) {
	m.sumOnce.Do(func() { m.sum, m.sumErr = m.loadSums() })
	return m.sum, m.sumErr
}

func (m *Modules) loadSums() (*sums, error) {
	e, work := m.env, strings.HasSuffix(m.File, ".work")
	s := &sums{must: !work && e.goflag("mod") != "mod"}
	first := strings.TrimSuffix(m.File, ".mod") + ".sum"
	names := []string{first}
	if work {
		for _, d := range m.Main {
			names = append(names, e.User.Join(d.Dir, "go.sum"))
		}
	}
	for i, name := range names {
		shown := "go.sum"
		switch {
		case i > 0:
			shown = e.Short(name)
		case work:
			shown = "go.work.sum"
		}
		data, err := e.Roots.Within(e.User, e.User.Dir(name)).ReadFile(name, filetree.MaxModuleFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading %s: %v", e.Short(name), filetree.Reason(err))
		}
		hashes, err := parseSums(e.Short(name), string(data))
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, sumFile{shown, hashes})
	}
	return s, nil
}

// parseSums reads the lines of a go.sum. Repeated lines, and lines for modules outside the build,
// mean nothing.
func parseSums(name, data string) (map[module.Version][]string, error) {
	hashes := map[module.Version][]string{}
	n := 0
	for line := range strings.Lines(data) {
		n++
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case len(f) != 3:
			return nil, &sumError{msg: fmt.Sprintf("malformed go.sum:\n%s:%d: wrong number of fields %d", name, n, len(f))}
		case f[2] != EmptyGoMod:
			v := module.Version{Path: f[0], Version: f[1]}
			hashes[v] = append(hashes[v], f[2])
		}
	}
	return hashes, nil
}

// known reports whether a sum is of a kind that can be compared.
func known(sum string) bool { return strings.HasPrefix(sum, "h1:") }

// have reports whether the files have a sum for a module, or for its go.mod.
func (s *sums) have(v module.Version) bool {
	return slices.ContainsFunc(s.files, func(f sumFile) bool { return slices.ContainsFunc(f.hashes[v], known) })
}

// check compares a sum with the recorded ones. listed reports whether it is among them. A different
// recorded sum is an error. In one file the first line counts.
func (s *sums) check(v module.Version, sum string) (listed bool, err error) {
	for i, f := range s.files {
		for _, h := range f.hashes[v] {
			if h == sum {
				listed = true
				break
			}
			if known(h) {
				return false, &sumError{msg: fmt.Sprintf(mismatch, v.Path, v.Version, sum, f.name, h)}
			}
		}
		if listed && i == 0 {
			return true, nil
		}
	}
	return listed, nil
}

// A sumError says that go.sum cannot be read, or that the module cache does not agree with it. It
// ends the load, since it is not about one import.
type sumError struct{ msg string }

func (e *sumError) Error() string { return e.msg }

const mismatch = `verifying %s@%s: checksum mismatch
	downloaded: %s
	%s:     %s

SECURITY ERROR
This download does NOT match an earlier download recorded in go.sum.
The bits may have been replaced on the origin server, or an attacker may
have intercepted the download attempt.

For more information, see 'go help module-auth'.
`

// missing reports whether a module of the module cache cannot be verified because go.sum lacks a
// line.
func (m *Modules) missing(v module.Version) (bool, error) {
	s, err := m.readSums()
	return err == nil && s.must && !s.have(v), err
}

// verify compares a sum of files in the module cache with go.sum. For a go.mod the version ends
// with /go.mod.
func (m *Modules) verify(v module.Version, sum string) error {
	s, err := m.readSums()
	if err != nil {
		return err
	}
	listed, err := s.check(v, sum)
	if err != nil || listed || !m.asksDatabase(v.Path) {
		return err
	}
	version, _ := strings.CutSuffix(v.Version, "/go.mod")
	cure := "go mod tidy"
	if strings.HasSuffix(m.File, ".work") {
		cure = "go mod download"
	}
	return fmt.Errorf("verifying %s@%s: no go.sum has a line for it, and gyr asks no checksum database; to add it:\n\t%s", v.Path,
		version, cure)
}

// asksDatabase reports whether the go command would ask a checksum database about a module that
// go.sum does not have.
func (m *Modules) asksDatabase(path string) bool {
	env := m.env.setting
	return env("GOSUMDB") != "off" && !module.MatchPrefixPatterns(cmp.Or(env("GONOSUMDB"), env("GOPRIVATE")), path)
}

// A MissingSumError says that go.sum has no line for modules that could provide a package.
type MissingSumError struct {
	path  string
	found bool // in another module
	mods  []string

	Importer, Version string // the importing package and its module's version; empty: it was named
	Test              bool   // only tests import it
}

func (e *MissingSumError) Error() string {
	by, get := "", "go mod download "+strings.Join(e.mods, " ")
	if e.Importer != "" {
		by, get = " (imported by "+e.Importer+")", "go get "+e.Importer
	}
	if e.Test {
		get = strings.Replace(get, "go get ", "go get -t ", 1)
	}
	if e.Version != "" {
		get += "@" + e.Version
	}
	if e.found {
		return fmt.Sprintf("missing go.sum entry needed to verify package %s%s is provided by exactly one module; to add:\n\t%s", e.path, by, get)
	}
	return fmt.Sprintf("missing go.sum entry for module providing package %s%s; to add:\n\t%s", e.path, by, get)
}

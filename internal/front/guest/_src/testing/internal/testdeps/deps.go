// Package testdeps is gyr's replacement of testing/internal/testdeps: what
// package testing gets from the generated main package. It has no profiles, which are the
// host's.
package testdeps

import (
	"bufio"
	"fmt"
	"internal/testlog"
	"io"
	"regexp"
	"strings"
	"sync"
)

// Cover indicates whether coverage is enabled.
var Cover bool

// TestDeps is an implementation of the testing.testDeps interface,
// suitable for passing to [testing.MainStart].
type TestDeps struct{}

var matcher struct {
	pat string
	re  *regexp.Regexp
}

// MatchString matches a pattern of -run and the like; the last one is kept.
func (TestDeps) MatchString(pat, str string) (result bool, err error) {
	if matcher.re == nil || matcher.pat != pat {
		re, err := regexp.Compile(pat)
		if err != nil {
			return false, err
		}
		matcher.pat, matcher.re = pat, re
	}
	return matcher.re.MatchString(str), nil
}

func (TestDeps) StartCPUProfile(w io.Writer) error                        { return nil }
func (TestDeps) StopCPUProfile()                                          {}
func (TestDeps) WriteProfileTo(name string, w io.Writer, debug int) error { return nil }

// ImportPath and ModulePath are set by the generated main function.
var (
	ImportPath string
	ModulePath string
)

func (TestDeps) ImportPath() string { return ImportPath }
func (TestDeps) ModulePath() string { return ModulePath }

// A testLog writes down what the tests read, one operation a line.
type testLog struct {
	mu  sync.Mutex
	w   *bufio.Writer
	set bool
}

var log testLog

func (l *testLog) Getenv(key string) { l.add("getenv", key) }
func (l *testLog) Open(name string)  { l.add("open", name) }
func (l *testLog) Stat(name string)  { l.add("stat", name) }
func (l *testLog) Chdir(name string) { l.add("chdir", name) }

func (l *testLog) add(op, name string) {
	if name == "" || strings.Contains(name, "\n") {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w != nil {
		fmt.Fprintf(l.w, "%s %s\n", op, name)
	}
}

func (TestDeps) StartTestLog(w io.Writer) {
	log.mu.Lock()
	defer log.mu.Unlock()
	log.w = bufio.NewWriter(w)
	if !log.set { // a TestMain may run the tests more than once
		log.set = true
		testlog.SetLogger(&log)
		log.w.WriteString("# test log\n")
	}
}

func (TestDeps) StopTestLog() error {
	log.mu.Lock()
	defer log.mu.Unlock()
	err := log.w.Flush()
	log.w = nil
	return err
}

// SetPanicOnExit0 tells package os whether to panic on os.Exit(0). Package testing does
// not want that any more when it has run the tests and reported how they went.
func (TestDeps) SetPanicOnExit0(v bool) {
	testlog.SetPanicOnExit0(v)
	if !v {
		testsOver()
	}
}

// corpusEntry is the type that package testing uses.
type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

// Coverage, set by the generated main package.
var (
	CoverMode             string
	Covered               string
	CoverSelectedPackages []string

	CoverSnapshotFunc           func() float64
	CoverProcessTestDirFunc     func(dir string, cfile string, cm string, cpkg string, w io.Writer, selpkgs []string) error
	CoverMarkProfileEmittedFunc func(val bool)
)

// InitRuntimeCoverage reports no coverage: the host counts blocks.
func (TestDeps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapcov func() float64) {
	return "", nil, nil
}

// Package testdeps is what package load's tests need of it.
package testdeps

import (
	"io"
	"reflect"
	"testing"
	"time"
)

type TestDeps struct{}

func Tests(list []testing.InternalTest) []testing.InternalTest                   { return list }
func FuzzTargets(list []testing.InternalFuzzTarget) []testing.InternalFuzzTarget { return list }
func Examples(list []testing.InternalExample) []testing.InternalExample          { return list }

var ImportPath, ModulePath string

type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

func (TestDeps) MatchString(pat, str string) (bool, error)                { return true, nil }
func (TestDeps) StartCPUProfile(w io.Writer) error                        { return nil }
func (TestDeps) StopCPUProfile()                                          {}
func (TestDeps) WriteProfileTo(name string, w io.Writer, debug int) error { return nil }
func (TestDeps) ImportPath() string                                       { return ImportPath }
func (TestDeps) ModulePath() string                                       { return ModulePath }
func (TestDeps) StartTestLog(w io.Writer)                                 {}
func (TestDeps) StopTestLog() error                                       { return nil }
func (TestDeps) SetPanicOnExit0(bool)                                     {}
func (TestDeps) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type, string, string) error {
	return nil
}
func (TestDeps) RunFuzzWorker(func(corpusEntry) error) error { return nil }
func (TestDeps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) {
	return nil, nil
}
func (TestDeps) CheckCorpus([]any, []reflect.Type) error { return nil }
func (TestDeps) ResetCoverage()                          {}
func (TestDeps) SnapshotCoverage()                       {}
func (TestDeps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapcov func() float64) {
	return
}

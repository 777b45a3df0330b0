// Package release says which releases of Go gyr runs, and how they differ in what gyr depends on.
//
// A program is compiled with the standard library of an installation. The installation's release
// decides which build tags are set, which packages exist, and how package internal/abi lays out
// descriptors. These are not properties of the process: one process compiles and runs programs of
// several releases at the same time. Differences that can be expressed in guest Go source are not
// here but in files of the overlay with a build constraint (internal/front/guest). docs/releases.md
// is the recipe for the next release.
//
// release.go has the table of releases, experiment.go what GOEXPERIMENT may ask for.
package release

import (
	"fmt"
	"go/version"
	"runtime"
	"strings"
	"sync"
)

// A Release is a minor release of Go.
type Release struct {
	Minor int // 26 is go1.26

	// Tags are the build tags that the go command sets for GOOS=wasip1 GOARCH=wasm, besides the
	// target's and those of releases: the experiments of internal/buildcfg and the features of
	// wasm.
	Tags []string

	// Off are the other experiments that GOEXPERIMENT may name. MayTags are the build tags of those
	// experiments with which programs may be compiled.
	Off, MayTags []string

	Map MapType

	// InStates is what states of programs have after the hash of the program, to name the release.
	// It is empty for the first release.
	InStates string

	// TestAnalyzers are the analyzers of cmd/vet that go test runs since some release
	// (internal/tools/vet).
	TestAnalyzers []string

	// LinknameStd says that the compiler knows the directive //go:linknamestd; other compilers
	// ignore it.
	LinknameStd bool

	// MapPart is the size from which keys and elements of maps are refused; 0: no limit.
	MapPart int64

	// BodiesOwn says that names of function literals in the body of a range over a function begin
	// with the body's name instead of the enclosing function's.
	BodiesOwn bool
}

// A MapType is the layout of internal/abi.MapType, in bytes from the beginning of the descriptor.
// In all releases Type, Key, Elem, Group, Hasher and GroupSize precede these fields.
type MapType struct {
	Stride  uint32 // of the field with a slot's size
	ElemOff uint32 // of the field with the element's offset in a slot
	Flags   uint32
	Size    uint32 // of the whole descriptor

	// Arrays are the offsets of the fields KeysOff, ElemsOff and ElemStride; 0: the release does
	// not have them.
	Arrays [3]uint32
}

// all are the releases, oldest first. It has the two that the Go project supports.
var all = []*Release{
	{
		Minor: 26,
		Tags: []string{
			"goexperiment.dwarf5", "goexperiment.greenteagc", "goexperiment.randomizedheapbase64",
			"wasm.satconv", "wasm.signext",
		},
		Off: []string{
			"arenas", "boringcrypto", "cgocheck2", "fieldtrack", "goroutineleakprofile", "heapminimum512kib", "jsonv2", "loopvar", "newinliner",
			"preemptibleloops", "runtimefreegc", "runtimesecret", "simd", "sizespecializedmalloc", "staticlockranking",
		},
		MayTags: []string{"goexperiment.jsonv2"},
		Map:     MapType{Stride: 88, ElemOff: 96, Flags: 104, Size: 112},
	},
	{
		Minor: 27,
		Tags: []string{
			"goexperiment.dwarf5", "goexperiment.greenteagc", "goexperiment.jsonv2", "goexperiment.randomizedheapbase64",
			"goexperiment.sizespecializedmalloc", "wasm.satconv", "wasm.signext",
		},
		Off: []string{
			"arenas", "boringcrypto", "cgocheck2", "fieldtrack", "heapminimum512kib", "loopvar", "mapsplitgroup", "newinliner", "preemptibleloops",
			"runtimefreegc", "runtimesecret", "simd", "staticlockranking",
		},
		Map:           MapType{Stride: 96, ElemOff: 120, Flags: 128, Size: 136, Arrays: [3]uint32{88, 104, 112}},
		MapPart:       1 << 31,
		InStates:      "go1.27",
		TestAnalyzers: []string{"stdversion"},
		LinknameStd:   true,
		BodiesOwn:     true,
	},
}

// Each returns a function that calls f at most once for each release, when its result is first
// needed.
func Each[T any](f func(*Release) T) func(*Release) T {
	made := map[*Release]func() T{}
	for _, r := range all {
		made[r] = sync.OnceValue(func() T { return f(r) })
	}
	return func(r *Release) T { return made[r]() }
}

// Name returns "go1.26".
func (r *Release) Name() string { return fmt.Sprint("go1.", r.Minor) }

// Of returns the release of a Go version ("go1.26.8", "go1.26rc1"), or nil if gyr does not know it.
func Of(goVersion string) *Release {
	lang := version.Lang(goVersion)
	for _, r := range all {
		if lang == r.Name() {
			return r
		}
	}
	return nil
}

// OfMinor returns the release with a number, or nil if gyr does not know it.
func OfMinor(minor int) *Release {
	for _, r := range all {
		if r.Minor == minor {
			return r
		}
	}
	return nil
}

// OfState returns the release with a given InStates, or nil if gyr does not know it.
func OfState(name string) *Release {
	for _, r := range all {
		if r.InStates == name {
			return r
		}
	}
	return nil
}

// OfModule returns the release of ir.Module.Go. It returns the oldest for a module without a
// standard library, since nothing in such a module depends on the release.
func OfModule(minor int) *Release {
	if r := OfMinor(minor); r != nil {
		return r
	}
	return Oldest()
}

// Oldest returns the oldest release that gyr knows.
func Oldest() *Release { return all[0] }

// Served returns the releases that this program can run, oldest first. They are not newer than the
// Go that built the program, since a type checker does not know a newer language.
func Served() (list []*Release) {
	for _, r := range all {
		if version.Compare(r.Name(), builtBy()) <= 0 {
			list = append(list, r)
		}
	}
	return list
}

// builtBy returns the language version of the Go that built this program; the newest release's if
// its version has no number.
func builtBy() string {
	v := runtime.Version()
	if i := strings.IndexByte(v, ' '); i >= 0 {
		v = v[:i]
	}
	if lang := version.Lang(v); lang != "" {
		return lang
	}
	return all[len(all)-1].Name()
}

// ServedNames returns the names of the served releases.
func ServedNames() (names []string) {
	for _, r := range Served() {
		names = append(names, r.Name())
	}
	return names
}

// Names lists the served releases: "go1.26 and go1.27".
func Names() string { return strings.Join(ServedNames(), " and ") }

// Cure says how to get a gyr that runs programs for a version of Go, or an installation that this
// gyr can run.
func Cure(goVersion string) string {
	served := Served()
	newest := served[len(served)-1].Name()
	want := newest + ".0"
	switch r := Of(goVersion); {
	case r != nil && version.Compare(r.Name(), newest) > 0:
		return fmt.Sprintf("GOTOOLCHAIN=%s.0 go install github.com/gyrvm/gyr/cmd/gyr@latest makes a gyr for it", r.Name())
	case r == nil && version.Compare(goVersion, newest) > 0:
		return "go install github.com/gyrvm/gyr/cmd/gyr@latest brings the newest gyr, which may run it"
	case r != nil && goVersion == r.Name():
		want = goVersion + ".0" // a language version is not a release
	case r != nil:
		want = goVersion
	}
	return fmt.Sprintf("GOROOT= GOTOOLCHAIN=%s go env GOROOT downloads that one and says where it is, GOROOT=DIRECTORY names it", want)
}

// Check returns the release of a version of Go if this program can run it, or an error that says
// how to get a program or installation that can.
func Check(goVersion string) (*Release, error) {
	r := Of(goVersion)
	switch {
	case r == nil:
		return nil, fmt.Errorf("this gyr runs %s", Names())
	case version.Compare(r.Name(), builtBy()) > 0:
		return nil, fmt.Errorf("this gyr runs %s, since %s built it: GOTOOLCHAIN=%s.0 go install github.com/gyrvm/gyr/cmd/gyr@latest makes one for %s, too", Names(), runtime.Version(), r.Name(), r.Name())
	}
	return r, nil
}

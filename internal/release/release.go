// Package release says which releases of Go gyr runs, and what it depends on that differs between them.
//
// A program is compiled with the standard library of an installation, and its release decides: which build tags are set, which packages there are, how
// package internal/abi lays out descriptors. Nothing of that is a property of the process; a process compiles and runs programs of several
// releases at once. What can be said in Go source of the guest is there instead, in files of the overlay with a build
// constraint (internal/front/guest). docs/releases.md is the recipe for the next release.
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

	// Tags are the build tags that the go command sets for GOOS=wasip1 GOARCH=wasm, besides the target's and those of
	// releases: the experiments of internal/buildcfg and the features of wasm.
	Tags []string

	// Off are the other experiments that GOEXPERIMENT may name, and MayTags the build tags of those with which programs may be compiled.
	Off, MayTags []string

	Map MapType

	// InStates is what states of programs have behind the hash of the program, to name the release. Those of the first release have nothing.
	InStates string

	// TestAnalyzers are the analyzers of cmd/vet that go test runs, besides those that it always did (internal/tools/vet).
	TestAnalyzers []string

	// LinknameStd says that the compiler knows the directive //go:linknamestd; others pass it over.
	LinknameStd bool

	// MapPart is the size from which on keys and elements of maps are refused; 0: there is none.
	MapPart int64

	// BodiesOwn says that names of function literals in the body of a range over a function begin with the body's name, not with that of
	// the function around it.
	BodiesOwn bool
}

// A MapType is the layout of internal/abi.MapType, in bytes from the beginning of the descriptor. Type, Key, Elem, Group, Hasher and GroupSize stand
// before these in all releases.
type MapType struct {
	Stride  uint32 // of the field with the size of a slot
	ElemOff uint32 // of the field with the offset of the element in a slot
	Flags   uint32
	Size    uint32 // of all

	// Arrays are the offsets of the fields KeysOff, ElemsOff and ElemStride; 0: there are none.
	Arrays [3]uint32
}

// all are the releases, the oldest first. The two that the Go project supports are here.
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

// Each returns a function that calls f once for each release, when its result is first wanted.
func Each[T any](f func(*Release) T) func(*Release) T {
	made := map[*Release]func() T{}
	for _, r := range all {
		made[r] = sync.OnceValue(func() T { return f(r) })
	}
	return func(r *Release) T { return made[r]() }
}

// Name returns "go1.26".
func (r *Release) Name() string { return fmt.Sprint("go1.", r.Minor) }

// Of returns the release that a version of Go is of ("go1.26.8", "go1.26rc1"), and nil if gyr does not know it.
func Of(goVersion string) *Release {
	lang := version.Lang(goVersion)
	for _, r := range all {
		if lang == r.Name() {
			return r
		}
	}
	return nil
}

// OfMinor returns the release with a number, and nil if gyr does not know it.
func OfMinor(minor int) *Release {
	for _, r := range all {
		if r.Minor == minor {
			return r
		}
	}
	return nil
}

// OfState returns the release with a given InStates, and nil if gyr does not know it.
func OfState(name string) *Release {
	for _, r := range all {
		if r.InStates == name {
			return r
		}
	}
	return nil
}

// OfModule returns the release of ir.Module.Go: the oldest one for a module without a standard library, in which nothing depends on it.
func OfModule(minor int) *Release {
	if r := OfMinor(minor); r != nil {
		return r
	}
	return Oldest()
}

// Oldest is the oldest release that gyr knows.
func Oldest() *Release { return all[0] }

// Served returns the releases that this program can run, the oldest first: those not newer than the Go that built it, since a type checker
// knows no language newer than itself.
func Served() (list []*Release) {
	for _, r := range all {
		if version.Compare(r.Name(), builtBy()) <= 0 {
			list = append(list, r)
		}
	}
	return list
}

// builtBy is the language version of the Go that built this program, that of the newest release if it has no number.
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

// ServedNames are the names of the served releases.
func ServedNames() (names []string) {
	for _, r := range Served() {
		names = append(names, r.Name())
	}
	return names
}

// Names lists the served releases: "go1.26 and go1.27".
func Names() string { return strings.Join(ServedNames(), " and ") }

// Cure says how to come by what runs programs that want a version of Go, or by an installation that gyr runs where that of a version is none.
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
		want = goVersion + ".0" // a language version is no release
	case r != nil:
		want = goVersion
	}
	return fmt.Sprintf("GOROOT= GOTOOLCHAIN=%s go env GOROOT downloads that one and says where it is, GOROOT=DIRECTORY names it", want)
}

// Check returns the release of a version of Go if this program can run it, or an error that says how to get one that can.
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

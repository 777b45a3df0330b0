package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// EngineID returns the identity of the engine in this process: engines with equal identities make
// the same entries, so each may read the entries of the other. It is part of the name of every
// entry.
//
// The identity follows from what the engine was built from, as the go command records it in the
// executable, and not from the executable: a relinked host, or another host with the same gyr,
// finds existing entries. It consists of
//
//   - the sources of gyr: the checksum of its module (go.sum's h1:) if a host requires it or `go install` fetched it,
//     or the revision of a checkout without changes;
//   - the checksums of the modules that gyr is linked with: see engineModules;
//   - the release of Go, whose go/types is a part of the front end, and whose compiler decides how floating-point
//     constants are folded;
//   - the settings of the build except those that cannot change the behaviour of gyr's code: see ignoredSettings. GOARCH
//     and GOAMD64 (or its like) count, and so do -tags and -race.
//
// The sources of gyr do not follow from that in a checkout with changes, or without version control
// (tests, go run, -buildvcs=false), nor if gyr is vendored, replaced or in a workspace. An executable
// that is built with the tag gyrsources contains them, and a hash of them takes the place of the
// checksum ([SetSources]). Without the tag the identity is then the executable's build ID, which
// changes with every change of the code. So it is, with or without the tag, if a directory replaces
// one of the other modules. The go command does not record -overlay and -toolexec, nor -ldflags
// together with -trimpath: a user who changes gyr with these cleans the cache.
//
// # Why that is enough
//
// An entry depends on nothing else of the executable. Register code (bytecode.Module.Save) names
// slots, functions and signatures by number, and operations by their number in a table of the
// sources. Machine code (native.Module.Save) is stored before its relocations are applied. It
// reaches the table of functions, the stubs and the routines for bulk memory, which each process
// makes anew, only by relocations (abi.Reloc). It reaches everything of the host by offsets in the
// machine's context, a struct whose layout follows from the sources, the release of Go and GOARCH.
// The code lists the processor extensions that it needs, and they are compared. A snapshot is guest
// memory, where code has indices and no addresses.
func EngineID() (string, error) { return thisEngine() }

// EngineIDFrom returns the identity of the engine in this process if build information does not
// name its sources, but the caller can: sources is a hash of them. It is empty if that does not
// determine the engine.
func EngineIDFrom(sources string) string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	return engineFrom(info, sources)
}

// embedded are the sources of gyr, if the executable contains them.
var embedded fs.FS

// SetSources gives the package the sources of gyr from which the executable was built, as the
// compiler has put them there. Only the initialisation of package gyr calls it.
func SetSources(fsys fs.FS) { embedded = fsys }

var thisEngine = sync.OnceValues(func() (string, error) {
	info, _ := debug.ReadBuildInfo()
	return engineID(info, func() (string, error) { return unnamed(info, embedded) })
})

// unnamed returns the identity of an executable if build information does not name the sources of
// gyr. They are in fsys; nil: they are not known.
func unnamed(info *debug.BuildInfo, fsys fs.FS) (string, error) {
	if info != nil && fsys != nil {
		sum, err := sumOfSources(fsys)
		if err != nil {
			return "", err
		}
		if id := engineFrom(info, sum); id != "" {
			return id, nil
		}
	}
	return buildID()
}

// sumOfSources returns a hash of all files except tests and their data.
func sumOfSources(fsys fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		fmt.Fprintf(h, "%q %d\n", name, len(data))
		h.Write(data)
		return err
	})
	return "sources:" + hex.EncodeToString(h.Sum(nil)), err
}

const modulePath = "github.com/gyrvm/gyr"

// engineModules are the modules other than gyr whose code is linked into a host
// (TestEngineModules). golang.org/x/arch is not among them: only the command's listings use it.
var engineModules = []string{"golang.org/x/mod", "golang.org/x/sys", "golang.org/x/tools"}

// ignoredSettings are the build settings that do not change the behaviour of gyr's code. Unknown
// settings count.
var ignoredSettings = map[string]bool{
	"-buildmode": true, "-pgo": true, "-trimpath": true,
	"CGO_ENABLED": true, "CGO_CFLAGS": true, "CGO_CPPFLAGS": true, "CGO_CXXFLAGS": true, "CGO_LDFLAGS": true,
	"vcs": true, "vcs.revision": true, "vcs.time": true, "vcs.modified": true,
}

// engineID is EngineID for an executable with build information, which may be nil. The fallback
// returns the identity of an executable whose sources are not known.
func engineID(info *debug.BuildInfo, fallback func() (string, error)) (string, error) {
	if info == nil {
		return fallback()
	}
	if gyr := sourcesOf(info); gyr != "" {
		if id := engineFrom(info, gyr); id != "" {
			return id, nil
		}
	}
	return fallback()
}

// engineFrom returns the identity of an executable that was built from sources, or nothing if build
// information does not tell the rest.
func engineFrom(info *debug.BuildInfo, sources string) string {
	parts := []string{"engine", sources, info.GoVersion}
	for _, m := range info.Deps {
		if slices.Contains(engineModules, m.Path) {
			sum := moduleSum(m)
			if sum == "" {
				return ""
			}
			parts = append(parts, m.Path, sum)
		}
	}
	settings := slices.SortedFunc(slices.Values(info.Settings), func(a, b debug.BuildSetting) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Value, b.Value))
	})
	for _, s := range settings {
		// -ldflags sets string variables (-X); gyr's only if they are named.
		if ignoredSettings[s.Key] || s.Key == "-ldflags" && !strings.Contains(s.Value, modulePath) {
			continue
		}
		parts = append(parts, s.Key, s.Value)
	}
	n := NameOf(parts)
	return "engine:" + hex.EncodeToString(n[:sha256.Size/2])
}

// sourcesOf names the sources of gyr that an executable was built from. It is empty if build
// information does not determine them.
func sourcesOf(info *debug.BuildInfo) string {
	if m := &info.Main; m.Path == modulePath {
		if m.Replace != nil || m.Sum != "" {
			return originalSum(m)
		}
		vcs := map[string]string{}
		for _, s := range info.Settings {
			vcs[s.Key] = s.Value
		}
		if vcs["vcs.modified"] != "false" || vcs["vcs.revision"] == "" {
			return ""
		}
		return vcs["vcs"] + " " + vcs["vcs.revision"]
	}
	for _, m := range info.Deps {
		if m.Path == modulePath {
			return originalSum(m)
		}
	}
	return ""
}

// originalSum returns the checksum of a module that nothing replaces.
func originalSum(m *debug.Module) string {
	if m.Replace != nil {
		return ""
	}
	return m.Sum
}

// moduleSum returns the checksum of a module or of the one that replaces it, empty for a directory.
func moduleSum(m *debug.Module) string {
	for m.Replace != nil {
		m = m.Replace
	}
	return m.Sum
}

package engine

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io/fs"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/front/guest"
	"github.com/gyrvm/gyr/internal/front/load"
)

// frontEnd names what is not gyr's own and has a part in what source is lowered to: the release of Go that go/parser
// and go/types are of, and the version of golang.org/x/tools.
var frontEnd = sync.OnceValue(func() string {
	const tools = "golang.org/x/tools"
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == tools {
				version = moduleVersion(m)
			}
		}
	}
	return runtime.Version() + ", " + tools + " " + version
})

// moduleVersion says which version of a module is linked, also if another takes its place.
func moduleVersion(m *debug.Module) string {
	version := m.Version
	for m.Replace != nil {
		m = m.Replace
		version += " => " + m.Path + " " + m.Version
	}
	return version
}

// identity is the hash by which portable images name a layer of the standard library: of all that decides how the layer
// is lowered and laid out. It is the same on all machines.
func (b *Base) identity(inputs []load.Input, below *layer) ([]byte, error) {
	goroot, release, err := load.FindGo(b.cfg.GOROOT)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	if below != nil {
		h.Write(below.id)
	}
	part(h, fmt.Sprint(DeterminismVersion), frontEnd(), release, strings.Join(b.tags, ","))
	for _, in := range inputs {
		if name, ok := strings.CutPrefix(in.Name, filepath.Join(goroot, "src")+string(filepath.Separator)); ok &&
			in.Kind == load.InputFile && strings.HasSuffix(name, ".go") {
			part(h, filepath.ToSlash(name), string(in.Sum[:]))
		}
	}
	err = fs.WalkDir(guest.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(guest.Source, path)
		part(h, path, string(text))
		return err
	})
	return h.Sum(nil), err
}

// part writes strings so that no other strings give the same bytes.
func part(h hash.Hash, list ...string) {
	for _, s := range list {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
}

package engine

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
)

// frontEnd names the parts of lowering that are not gyr's own: the release of Go that go/parser and
// go/types belong to, and the version of golang.org/x/tools.
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

// moduleVersion returns the linked version of a module, or of its replacement.
func moduleVersion(m *debug.Module) string {
	version := m.Version
	for m.Replace != nil {
		m = m.Replace
		version += " => " + m.Path + " " + m.Version
	}
	return version
}

// identity returns the hash by which portable images and states name a layer of the standard
// library. It covers the module as lowered, without charges, and the layers below. So it is the
// same on all machines, whichever Go built gyr and wherever the sources came from. It changes with
// everything that programs could observe.
func identity(m *ir.Module, below *layer, tags []string) ([]byte, error) {
	head := image.Header{Form: image.Lowered, Determinism: DeterminismVersion, Tags: tags}
	if below != nil {
		head.Form, head.Std, head.Layer = image.LoweredOn, below.id, below.number
	}
	data, err := image.Encode(m, head)
	id := sha256.Sum256(data)
	return id[:], err
}

// part writes strings so that different lists give different bytes.
func part(h hash.Hash, list ...string) {
	for _, s := range list {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
}

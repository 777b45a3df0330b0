package vet

import (
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/front/load"
)

// The name of an entry is a hash of everything that decides its contents: see doc.go. Packages of
// the standard library count as they are in the release, so their names are known without reading
// them.

// common returns the parts that all names begin with.
func (v *Vetter) common(goroot, release string) ([]string, error) {
	id, err := cache.EngineID()
	if err != nil {
		return nil, err
	}
	tags := slices.Clone(v.src.Tags)
	slices.Sort(tags)
	parts := []string{"vet", id, goroot, release, fmt.Sprint(len(tags))}
	return list(append(parts, tags...), v.facts), nil
}

// list appends a list of strings to parts, unambiguously: different lists give different parts.
func list(parts, more []string) []string {
	return append(append(parts, fmt.Sprint(len(more))), more...)
}

// libraryKey is the key of a package of the standard library without its tests.
func (v *Vetter) libraryKey(path string) cache.Name {
	return cache.NameOf(append(slices.Clone(v.parts), "library", path))
}

// key is the key of a unit, given those of the packages that it imports.
func (v *Vetter) key(u *load.Unit, imports []cache.Name) cache.Name {
	if u.Std && u.ForTest == "" {
		return v.libraryKey(u.Path)
	}
	parts := append(slices.Clone(v.parts), "unit", u.Path, u.ForTest, u.Module, u.Version, u.GoVersion)
	for _, s := range u.Sources {
		parts = append(parts, s.Name, string(s.Sum[:]))
	}
	parts = append(parts, "imports")
	for _, name := range imports {
		parts = append(parts, string(name[:]))
	}
	return cache.NameOf(parts)
}

// findingsKey is the key of a unit's findings. They also depend on its files that are not Go, or
// not part of this build.
func (v *Vetter) findingsKey(of *load.Units, u *load.Unit, key cache.Name, args []string) (cache.Name, error) {
	parts := list([]string{"vet findings", string(key[:])}, args)
	for _, names := range [][]string{u.Other, u.Ignored} {
		parts = append(parts, fmt.Sprint(len(names)))
		for _, name := range names {
			data, err := of.ReadFile(u, name)
			if err != nil {
				return cache.Name{}, err
			}
			parts = append(parts, name, string(data))
		}
	}
	return cache.NameOf(parts), nil
}

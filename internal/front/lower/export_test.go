package lower

import (
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load"
)

// Intrinsics returns the names of the table.
func Intrinsics() []string { return slices.Sorted(maps.Keys(intrinsics())) }

// Bodyless lowers every function of the standard library's packages in p, also as a function value,
// and returns the names of those that have no body.
func Bodyless(p *load.Packages) ([]string, error) {
	l := newLowerer(p)
	l.making, l.everything, l.reflCall, l.reflectAll = true, true, true, true
	_, err := l.module(func() {
		for _, pkg := range p.Packages {
			if !pkg.Std {
				continue
			}
			l.addPackage(pkg.SSA)
			for _, name := range sortedKeys(pkg.SSA.Members) {
				if fn, ok := pkg.SSA.Members[name].(*ssa.Function); ok && fn.TypeParams().Len() == 0 {
					l.funcClosure(fn)
				}
			}
		}
	})
	var names []string
	for f := range l.missing {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names, err
}

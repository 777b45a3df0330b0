package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/ir"
)

// Fixed lowers a program together with every function of the runtime whose form is the same in all
// programs, reachable or not, and returns these functions. Package image checks portable images
// against their fingerprints.
func Fixed(p *load.Packages) (fixed []*ir.Func, err error) {
	l := newLowerer(p)
	m, err := l.module(func() {
		for _, path := range runtimePackages {
			pkg := l.prog.Std(path)
			for _, name := range sortedKeys(pkg.SSA.Members) {
				switch x := pkg.SSA.Members[name].(type) {
				case *ssa.Function:
					l.addFixed(x)
				case *ssa.Type:
					named, ok := types.Unalias(x.Type()).(*types.Named)
					if !ok || named.TypeParams().Len() > 0 {
						continue
					}
					for m := range named.Methods() {
						l.addFixed(l.prog.SSA.FuncValue(m)) // for a generic method: nil or without a body
					}
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, f := range m.Funcs()[1:] {
		if f.Flags&ir.Runtime != 0 {
			fixed = append(fixed, f)
		}
	}
	return fixed, nil
}

// addFixed makes a function reachable if it is fixed and has a body here.
func (l *lowerer) addFixed(fn *ssa.Function) {
	if fn == nil || len(fn.Blocks) == 0 || fn.TypeParams().Len() > 0 || l.flagsOf(fn)&ir.Runtime == 0 {
		return
	}
	l.funcOf(fn)
}

package load

import (
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/prune"
)

// prune decides which declarations of std the program can reach. The packages are those in order.
func (l *loader) prune(order []*pkg) (*prune.Pruner, []*prune.Package) {
	list := make([]*prune.Package, len(order))
	byPkg := make(map[*pkg]*prune.Package, len(order))
	for i, p := range order {
		list[i] = &prune.Package{Path: p.path, Name: p.name, Std: p.origin.std(), Prunable: p.prunable(),
			Imports: make(map[string]*prune.Package, len(p.imports))}
		byPkg[p] = list[i]
		for _, f := range p.files {
			list[i].Files = append(list[i].Files, &prune.File{AST: f.ast, Directives: f.directives, Dot: f.dot,
				Test: p.test && strings.HasSuffix(f.name, "_test.go")})
		}
	}
	for i, p := range order {
		for path, q := range p.imports {
			if q != nil {
				list[i].Imports[path] = byPkg[q]
			}
		}
	}
	return prune.Find(list, prune.Options{Off: l.cfg.NoPrune, Keep: l.cfg.KeepNames, Base: l.base != nil,
		KeepVars: l.cfg.keepVars}), list
}

// prunable reports whether a package's declarations may be dropped. Packages of a base have none
// here.
func (p *pkg) prunable() bool {
	return p.origin.std() && !p.generated && p.base == nil && p.path != "main" // main is a command's
}

package load

import (
	"strconv"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// forbidsUnsafe returns why the package may not import unsafe, "" if it may. An invalid policy
// allows nothing.
func (p *place) forbidsUnsafe(u api.UnsafePolicy) string {
	switch {
	case u == api.UnsafeAll, u == api.UnsafeDependencies && !p.inMain():
		return ""
	case u == api.UnsafeDependencies:
		return "allowed in other modules only"
	}
	return "not allowed"
}

// inMain reports whether a package is the program's own: of a main module, or of no module. A
// package in a vendor directory belongs to its own module.
func (p *place) inMain() bool { return p.mod == nil || p.mod.Main }

// restrictUnsafe reports imports of unsafe that the policy forbids. It notes the package if it has
// an allowed one.
func (l *loader) restrictUnsafe(p *pkg, f *file) (errs diag.Errors) {
	for _, spec := range f.ast.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); path != "unsafe" {
			continue
		}
		why := p.forbidsUnsafe(l.cfg.Unsafe)
		if why == "" {
			l.noteUnsafe(p)
			continue
		}
		errs = append(errs, &diag.Error{Pos: l.position(f, spec.Pos()), End: f.token.Position(spec.End()),
			Msg: `import of "unsafe" is ` + why + `: use -unsafe=on, a host Source.Unsafe`})
	}
	return errs
}

// noteUnsafe notes that a package uses unsafe. The first in the order of paths is the program's
// example.
func (l *loader) noteUnsafe(p *pkg) {
	if l.unsafe == "" || p.importPath < l.unsafe {
		l.unsafe = p.importPath
	}
}

package load

import (
	"bytes"

	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/front/load/target"
)

// The build tag purego leaves out assembly, by custom. It is set for the standard library, and for modules that have
// assembly. In other modules it means something else: that memory is reached through package reflect, which is slower and
// cannot do all that unsafe can. There it is set only where unsafe is refused, or where the user sets it.

// header is matcher.header for a file of a package.
func (l *loader) header(pl *place, src []byte) (ok, cgo bool) {
	ok, cgo = l.match.Header(src)
	if l.impure == nil || pl.origin.std() || !bytes.Contains(src[:target.HeaderEnd(src)], []byte(target.PureTag)) {
		return ok, cgo
	}
	if other, _ := l.impure.Header(src); other != ok && !l.pure(pl) {
		return other, cgo
	}
	return ok, cgo
}

// pure reports whether the tag is set for a package outside the standard library.
func (l *loader) pure(pl *place) bool {
	switch {
	case !l.forUnits && pl.forbidsUnsafe(l.cfg.Unsafe) != "":
		return true
	case pl.mod == nil:
		return gomod.AssemblyIn(pl.tree, pl.dir)
	}
	return l.mods.HasAssembly(pl.mod)
}

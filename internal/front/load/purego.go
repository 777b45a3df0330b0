package load

import (
	"bytes"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/front/load/target"
)

// By custom, the build tag purego leaves out assembly. It is set for the standard library, and for
// modules that have assembly. In other modules it means something else: code reaches memory through
// package reflect, which is slower than unsafe and can do less. There the tag is set only if unsafe
// is refused, or if the user sets it.

// The go command's package for locks of files, which other modules have copies of, knows which systems have
// flock, and that the target is none. Package syscall has it here (package guest).
const lockPackage = "/lockedfile/internal/filelock"

// header is [target.Matcher.Header] for a file of a package.
func (l *loader) header(pl *place, src []byte) (ok, cgo bool) {
	if strings.HasSuffix(pl.path, lockPackage) && !pl.origin.std() {
		return l.locks.Header(src)
	}
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

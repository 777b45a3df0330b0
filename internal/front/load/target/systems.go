package target

import (
	"go/build/constraint"
	"strings"
)

// ForOthers describes the constraint by which a file belongs to other systems, such as "windows" or
// "linux && !appengine". It returns "" for a file that the build has, and for one that is left out
// whatever the system is.
func (m *Matcher) ForOthers(name string, src []byte) string {
	words := strings.Join(systemsInName(name), " && ")
	expr := fileConstraint(src)
	if m.Name(name) && (expr == nil || expr.Eval(func(tag string) bool { return m.tags[tag] })) {
		return ""
	}
	own := func(tag string) bool { return m.tags[tag] && tag != OS && tag != Arch }
	if expr != nil && !m.forSomeSystem(expr, own) {
		return ""
	}
	if expr == nil {
		return words
	}
	if words == "" {
		return expr.String()
	}
	return words + " && " + expr.String()
}

// forSomeSystem reports whether some system and processor satisfy a constraint.
func (m *Matcher) forSomeSystem(expr constraint.Expr, own func(string) bool) bool {
	for os := range knownOS {
		for arch := range knownArch {
			if expr.Eval(func(tag string) bool {
				return own(tag) || tag == os || tag == arch || tag == "cgo" || tag == "unix" && unixes[os]
			}) {
				return true
			}
		}
	}
	return false
}

// unixes are the systems for which the tag unix is set.
var unixes = set("aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris")

// TagWith returns an unset build tag that would let a file in which another system's constraint
// leaves out, or "".
func (m *Matcher) TagWith(name string, src []byte) string {
	expr := fileConstraint(src)
	if expr == nil || !m.Name(name) {
		return ""
	}
	found := ""
	eachTag(expr, func(tag string) {
		if found == "" && !m.tags[tag] && m.settable(tag) && expr.Eval(func(t string) bool { return t == tag || m.tags[t] }) {
			found = tag
		}
	})
	return found
}

// others are words for systems and processors that the go command does not know: those of other compilers.
var others = set("alpha haiku m68k nios2 os400 sh shbe")

// settable reports whether users may set a tag.
func (m *Matcher) settable(tag string) bool {
	return !others[tag] && !knownOS[tag] && !knownArch[tag] && tag != "gccgo" && tag != "cgo" && tag != "unix" && !strings.HasPrefix(tag, "go1.")
}

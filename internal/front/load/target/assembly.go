package target

import (
	"bytes"
	"cmp"
	"go/build/constraint"
	"slices"
)

// Assembly does not run. An assembly file without code lets a package declare functions without
// bodies. The loader refuses a file with code and names the build tag that would leave it out, if
// one would.

// HasCode reports whether an assembly file has anything but comments and preprocessor directives.
func HasCode(src []byte) bool {
	for line := range bytes.Lines(withoutComments(src)) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return true
		}
	}
	return false
}

// withoutComments returns a source without its comments. It also cuts at a comment marker in a
// string, but then code stands before it, which is all that matters here.
func withoutComments(src []byte) []byte {
	var out []byte
	for {
		i := bytes.IndexByte(src, '/')
		if i < 0 || i+1 == len(src) {
			return append(out, src...)
		}
		out = append(out, src[:i]...)
		end := -1
		switch src[i+1] {
		case '/':
			end = bytes.IndexByte(src[i:], '\n')
		case '*':
			if end = bytes.Index(src[i+2:], []byte("*/")); end >= 0 {
				end += 4
			}
		default:
			out, end = append(out, '/'), 1
		}
		if end < 0 {
			return out
		}
		src = src[i+end:]
	}
}

// pureTags are the tags by which packages leave out their assembly, by custom.
var pureTags = []string{"purego", "noasm", "appengine", "safe", "nounsafe", "nosimd", "generic"}

// TagWithout returns an unset build tag that would leave out a file, preferably a customary one, or
// "".
func (m *Matcher) TagWithout(src []byte) string {
	expr := fileConstraint(src)
	if expr == nil {
		return ""
	}
	var tags []string
	eachTag(expr, func(tag string) { tags = append(tags, tag) })
	rank := func(tag string) int { return (slices.Index(pureTags, tag) + len(pureTags) + 1) % (len(pureTags) + 1) }
	slices.SortStableFunc(tags, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	for _, tag := range tags {
		if !m.tags[tag] && m.settable(tag) && !expr.Eval(func(t string) bool { return t == tag || m.tags[t] }) {
			return tag
		}
	}
	return ""
}

// eachTag calls f for the tags of a constraint.
func eachTag(x constraint.Expr, f func(tag string)) {
	switch x := x.(type) {
	case *constraint.TagExpr:
		f(x.Tag)
	case *constraint.NotExpr:
		eachTag(x.X, f)
	case *constraint.AndExpr:
		eachTag(x.X, f)
		eachTag(x.Y, f)
	case *constraint.OrExpr:
		eachTag(x.X, f)
		eachTag(x.Y, f)
	}
}

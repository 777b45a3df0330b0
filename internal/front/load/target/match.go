package target

import (
	"bytes"
	"cmp"
	"go/build/constraint"
	"go/types"
	"go/version"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/release"
)

// The target of the standard library.
const (
	OS   = "wasip1"
	Arch = "wasm"
)

// Sizes is gc's layout for the target: int and pointers of 8 bytes.
var Sizes = types.SizesFor("gc", Arch)

// PureTag leaves out assembly, by custom.
const PureTag = "purego"

// targetTags are set besides the tags of the release and of the user.
var targetTags = []string{OS, Arch, "gc", PureTag, "math_big_pure_go"}

// knownOS and knownArch are the words that constrain a file by its name (internal/syslist; frozen
// by the Go 1 promise except for new ports).
var knownOS = set("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos")
var knownArch = set("386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// A Matcher decides which files belong to the build.
type Matcher struct {
	tags map[string]bool
}

func New(r *release.Release, userTags []string) *Matcher {
	m := &Matcher{tags: map[string]bool{}}
	for _, t := range slices.Concat(targetTags, r.Tags, userTags) {
		m.tags[t] = true
	}
	for i := 1; i <= r.Minor; i++ {
		m.tags["go1."+strconv.Itoa(i)] = true
	}
	return m
}

// Without returns a matcher for which a tag is not set.
func (m *Matcher) Without(tag string) *Matcher {
	w := &Matcher{tags: maps.Clone(m.tags)}
	delete(w.tags, tag)
	return w
}

// OnLinux returns a matcher for which the tags of Linux are set, too.
func (m *Matcher) OnLinux() *Matcher {
	w := &Matcher{tags: maps.Clone(m.tags)}
	w.tags["linux"], w.tags["unix"] = true, true
	return w
}

// CheckTags refuses tags of other targets, and tags with which the standard library of a release
// does not compile or calls missing functions.
func CheckTags(r *release.Release, tags []string) error {
	for _, t := range tags {
		switch {
		case t == OS, t == Arch:
		case knownOS[t], knownArch[t], t == "unix":
			return diag.Errorf("build tag %s: programs are compiled for GOOS=%s GOARCH=%s, whatever the tags are; to have files with this tag in, give them another one, too, as in //go:build %s || mine",
				t, OS, Arch, t)
		case t == "race", t == "msan", t == "asan":
			return diag.Errorf("build tag %s: it has the standard library call a detector, and there is none", t)
		case version.Compare(t, r.Name()) > 0:
			return diag.Errorf("build tag %s: the standard library is that of %s; GOROOT names an installation of another release", t, r.Name())
		case !r.Takes(t):
			return diag.Errorf("build tag %s: %s", t, cmp.Or(release.WhyNot(t), r.Name()+" has no such experiment"))
		}
	}
	return nil
}

// Name reports whether a file's name admits it to the build: no leading dot or underscore, and no
// suffix _GOOS, _GOARCH or _GOOS_GOARCH of another target.
func (m *Matcher) Name(name string) bool {
	if strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
		return false
	}
	for _, word := range systemsInName(name) {
		if !m.tags[word] {
			return false
		}
	}
	return true
}

// systemsInName returns the system, the processor or both that a file's name constrains it to.
func systemsInName(name string) []string {
	name, _, _ = strings.Cut(name, ".")
	// Before Go 1.4 a file named linux.go was not constrained, and this has stayed so: the part
	// before the first underscore does not count.
	_, rest, ok := strings.Cut(name, "_")
	if !ok {
		return nil
	}
	l := strings.Split(rest, "_")
	if n := len(l); l[n-1] == "test" {
		l = l[:n-1]
	}
	n := len(l)
	switch {
	case n >= 2 && knownOS[l[n-2]] && knownArch[l[n-1]]:
		return l[n-2:]
	case n >= 1 && (knownOS[l[n-1]] || knownArch[l[n-1]]):
		return l[n-1:]
	}
	return nil
}

// Header reports whether the constraints at the head of a file admit it, and whether they mention
// cgo.
func (m *Matcher) Header(src []byte) (ok, cgo bool) {
	expr := fileConstraint(src)
	if expr == nil {
		return true, false
	}
	ok = expr.Eval(func(tag string) bool {
		if tag == "cgo" {
			cgo = true
		}
		return m.tags[tag]
	})
	return ok, cgo
}

// fileConstraint returns the constraint of a file: its //go:build line, else
// the conjunction of its lines of the older form (+build), else nil.
func fileConstraint(src []byte) constraint.Expr {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	end := HeaderEnd(src)
	head := src[:end]
	if !bytes.Contains(head, []byte("build")) {
		return nil
	}
	var plus constraint.Expr
	inBlock := false
	blank := lastBlankLine(head) // lines of the older form count only before it
	off := 0
	for line := range bytes.Lines(head) {
		start := off
		off += len(line)
		s := strings.TrimSpace(string(line))
		if inBlock {
			_, after, ok := strings.Cut(s, "*/")
			if !ok {
				continue
			}
			inBlock = false
			s = strings.TrimSpace(after)
		}
		for strings.HasPrefix(s, "/*") {
			_, after, ok := strings.Cut(s[2:], "*/")
			if !ok {
				inBlock = true
				break
			}
			s = strings.TrimSpace(after)
		}
		switch {
		case constraint.IsGoBuild(s):
			if x, err := constraint.Parse(s); err == nil {
				return x
			}
		case constraint.IsPlusBuild(s) && start < blank:
			if x, err := constraint.Parse(s); err == nil {
				if plus == nil {
					plus = x
				} else {
					plus = &constraint.AndExpr{X: plus, Y: x}
				}
			}
		}
	}
	return plus
}

// HeaderEnd returns the offset of the first token of a file.
func HeaderEnd(src []byte) int {
	i := 0
	for i < len(src) {
		switch c := src[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '/' && i+1 < len(src) && src[i+1] == '/':
			n := bytes.IndexByte(src[i:], '\n')
			if n < 0 {
				return len(src)
			}
			i += n + 1
		case c == '/' && i+1 < len(src) && src[i+1] == '*':
			n := bytes.Index(src[i+2:], []byte("*/"))
			if n < 0 {
				return len(src)
			}
			i += 2 + n + 2
		default:
			return i
		}
	}
	return i
}

// lastBlankLine returns the offset of the last blank line in a header, or -1.
func lastBlankLine(head []byte) int {
	last, off := -1, 0
	for line := range bytes.Lines(head) {
		if len(bytes.TrimSpace(line)) == 0 {
			last = off
		}
		off += len(line)
	}
	return last
}

package filetest

import (
	"bytes"
	"go/build/constraint"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/release"
)

// ReleaseOf returns the release of Go that compiles the programs of a source. It returns nil if it
// finds none; compiling then reports that.
func ReleaseOf(src *engine.Source) *release.Release {
	if std := src.Base.Std(); std != nil {
		return release.Of(std.Release)
	}
	_, version, err := engine.FindGo(src.GOROOT)
	if err != nil {
		return nil
	}
	return release.Of(version)
}

// For reports whether a filetest is for a release of Go. A line //go:build that names releases
// decides, in the program or in an archive's main.go. Its other tags do not count.
func For(r *release.Release, name string, data []byte) bool {
	src, err := open(name, data)
	if r == nil || err != nil {
		return true
	}
	for l := range bytes.Lines(src.main()) {
		text := strings.TrimSpace(string(l))
		if constraint.IsGoBuild(text) {
			x, err := constraint.Parse(text)
			return err != nil || holds(x, r.Minor, true)
		}
		if text != "" && !strings.HasPrefix(text, "//") {
			break // a constraint is above the code
		}
	}
	return true
}

// holds evaluates a constraint for a release. A tag that names no release counts as unknown.
func holds(x constraint.Expr, minor int, unknown bool) bool {
	switch x := x.(type) {
	case *constraint.NotExpr:
		return !holds(x.X, minor, !unknown)
	case *constraint.AndExpr:
		return holds(x.X, minor, unknown) && holds(x.Y, minor, unknown)
	case *constraint.OrExpr:
		return holds(x.X, minor, unknown) || holds(x.Y, minor, unknown)
	case *constraint.TagExpr:
		if n := minorOf(x.Tag); n > 0 {
			return n <= minor
		}
	}
	return unknown
}

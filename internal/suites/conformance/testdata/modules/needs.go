//go:build modules

package modules

// Packages that only the tests of the others import: go mod tidy keeps no
// requirements of tests of dependencies.
import (
	_ "github.com/alecthomas/assert/v2"
	_ "github.com/alecthomas/repr"
	_ "github.com/goccy/go-yaml"
	_ "github.com/google/pprof/profile"
	_ "github.com/hexops/gotextdiff"
	_ "gopkg.in/check.v1"
)

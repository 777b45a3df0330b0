// Package bridge leads from the types of package gyr to what they hold and do not show, for package gyrdev. Package gyr sets the
// functions when it is initialised, and nobody sets them later.
package bridge

import "github.com/gyrvm/gyr/internal/engine"

// A Source is what development adds to a gyr.Source: settings of the same names in [engine.Source].
type Source struct {
	NoPass         []string
	Verify, NoBase bool
}

// Each of these takes a pointer to the type of package gyr that it is named after, and panics if it is given anything else.
var (
	SourceOf   func(src any) *Source
	DebugOf    func(config any) *map[string]string // settings of engine.DebugOf
	ProgramOf  func(p any) *engine.Program
	InstanceOf func(in any) *engine.Instance
)

package gyr

import "github.com/gyrvm/gyr/internal/engine"

// An Installation is an installed Go release. Programs are compiled with its standard library.
type Installation struct {
	GOROOT  string // its directory
	Release string // as its file VERSION has it: "go1.26.8"
}

// FindGo returns the installation that a compilation would use. An empty goroot means the one that
// the go command finds.
func FindGo(goroot string) (Installation, error) {
	dir, release, err := engine.FindGo(goroot)
	return Installation{dir, release}, err
}

// ModuleCache returns the directory of the user's module cache, which the go command fills. A
// program in Source.FS may use it if Source.Modules names it.
func (Installation) ModuleCache() string { return engine.ModuleCache() }

package load

import (
	"context"
	"os"
)

// FindGo returns the Go installation that a load would use, and its release.
// An empty goroot means: found as the go command finds it.
func FindGo(goroot string) (dir, release string, err error) {
	return findGOROOT(context.Background(), &Config{GOROOT: goroot, Getenv: os.Getenv})
}

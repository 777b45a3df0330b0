package bench

import (
	"os"
)

// A GoEngine is native Go.
type GoEngine struct {
	Flags   []string          // of go test -c, such as -tags
	Replace map[string]string // files of -overlay
}

// A GyrEngine is a tier of gyr.
type GyrEngine struct {
	Tier   string   // native or interp
	Worker []string // command of a process that calls Serve
}

func (e *Engine) open(read func(*pkg) error) (engine, error) {
	var rev *revision
	if e.Moved != nil {
		rev = &revision{moved: e.Moved, read: read, pkgs: map[*pkg]*pkg{}}
	}
	if e.Go != nil {
		dir, err := os.MkdirTemp("", "gyr-bench")
		if err != nil {
			return nil, err
		}
		return &goEngine{label: e.Label, dir: dir, flags: e.Go.Flags, bins: map[*pkg]goBinary{}, replace: e.Go.Replace, rev: rev,
			hooks: map[string]map[string]string{}}, nil
	}
	return &gyrEngine{label: e.Label, tier: e.Gyr.Tier, worker: e.Gyr.Worker, rev: rev}, nil
}

// Close removes the test binaries.
func (e *goEngine) Close() error { return os.RemoveAll(e.dir) }

package ratio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gyrvm/gyr"
)

// An Env is the place of a measurement.
type Env struct {
	Root string // directory of the module gyr
	Dir  string // for binaries, images, the cache; removed at the end
}

// An Engine runs programs. Each run is a process of its own.
type Engine struct {
	Name string
	// Setup builds what the engine needs for the programs. It is called once.
	Setup func(e Env, list []Program) error
	// Command is the command line that runs a program with a size in the directory e.Root.
	Command func(e Env, p Program, size string) []string
	// Tier, if not empty, is the tier that the run must report on standard error.
	Tier string
	// Slow engines are measured with the programs' small sizes, and native Go beside them too.
	Slow bool
	// Peer: a program that the engine cannot run leaves a gap in its column and is no error.
	Peer bool
}

// yardstick is native Go: plain go build.
var yardstick = Engine{
	Name: "go",
	Setup: func(e Env, list []Program) error {
		dir := filepath.Join(e.Dir, "go")
		if list[0].real != nil {
			return buildReal(e, dir, list)
		}
		args := []string{"build", "-o", dir + string(filepath.Separator)}
		for _, p := range list {
			args = append(args, p.path())
		}
		return e.Run("go", args...)
	},
	Command: func(e Env, p Program, size string) []string {
		return append([]string{filepath.Join(e.Dir, "go", p.Name)}, p.args(e, size)...)
	},
}

// Run runs a command in the module's directory, for Setup.
func (e Env) Run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = e.Root, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}

// tiers are all tiers, in the order of their columns.
var tiers = []gyr.Tier{gyr.TierNative, gyr.TierInterp}

// gyrEngine runs a program in a tier, with additional flags of gyr run.
func gyrEngine(name string, t gyr.Tier, flags ...string) Engine {
	return Engine{
		Name: name,
		Tier: string(t),
		Setup: func(e Env, _ []Program) error {
			if _, err := os.Stat(e.gyr()); err == nil {
				return nil // built for another engine
			}
			return e.Run("go", "build", "-o", e.gyr(), "./cmd/gyr")
		},
		Command: func(e Env, p Program, size string) []string {
			argv := []string{e.gyr(), "run", "-tier=" + string(t), "-mem", "2G", "-stats=brief", "-cache",
				filepath.Join(e.Dir, "cache")}
			argv = append(argv, flags...)
			if p.real != nil {
				argv = append(argv, "-dir", p.files(e))
			}
			return append(append(argv, p.path()), p.args(e, size)...)
		},
	}
}

func (e Env) gyr() string { return filepath.Join(e.Dir, "gyr") }

// Figures are the parts of gyr run -stats=brief that ratio uses.
type Figures struct {
	Tier       string `json:"tier"`
	Gas        int64  `json:"gas"`
	Mallocs    uint64 `json:"allocations"`
	AllocBytes uint64 `json:"allocated_bytes"`
	HeapPeak   uint64 `json:"heap_peak_bytes"`
}

// figures finds the Figures at the end of a run's standard error.
func figures(stderr []byte) (*Figures, error) {
	line := bytes.TrimSpace(stderr)
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	f := &Figures{}
	if err := json.Unmarshal(line, f); err != nil {
		return nil, fmt.Errorf("no figures on standard error: %.200q", stderr)
	}
	return f, nil
}

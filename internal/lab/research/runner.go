package research

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/bubblewrap"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// A runner runs the processes of a session. Each has a process group of its own, which is killed
// afterwards.
type runner struct {
	self   string         // this program, for metrics of the engine
	mark   string         // a variable of all processes, which identifies those of a killed driver
	counts map[string]int // METRIC lines of a process, by metric
	limits Limits
	secret string // a variable that no process gets
	golang golang

	started func(pid int) // called for each process; nil: nothing
}

// sessionMark is the mark of the session whose worktrees are in a directory.
func sessionMark(work string) string { return "GYR_RESEARCH_SESSION=" + work }

// A golang is the go command of the session: the one that the user's checkout asks for. A
// candidate's toolchain line cannot choose another one.
type golang struct {
	Root     string `json:"GOROOT"`
	Path     string `json:"GOPATH"`
	Cache    string `json:"GOCACHE"`
	ModCache string `json:"GOMODCACHE"`
	CGO      string `json:"CGO_ENABLED"`
}

// findGo asks the go command where it is.
func (r *runner) findGo(ctx context.Context, dir string) error {
	o, err := r.exec(ctx, dir, nil, checkTimeout, "go", "env", "-json", "GOCACHE", "GOMODCACHE", "GOROOT", "GOPATH", "CGO_ENABLED")
	if err != nil {
		return err
	}
	if o.Err() != nil || json.Unmarshal(o.Stdout, &r.golang) != nil {
		return fmt.Errorf("go env: %s", tail(o))
	}
	return nil
}

// goFlags is the key under which environ takes flags to add to GOFLAGS.
const goFlags = "+GOFLAGS"

// environ is the environment of all processes of a session: the wanted variables of the user's,
// without those that name a repository or a workspace.
func environ(more map[string]string, wanted func(name string) bool) []string {
	var env []string
	flags := "-buildvcs=false"
	for _, kv := range os.Environ() {
		switch name, value, _ := strings.Cut(kv, "="); {
		case !wanted(name):
		case name == "GOFLAGS":
			flags = value + " " + flags
		case !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "RESEARCH_") && name != "GOWORK" && name != "PWD":
			env = append(env, kv)
		}
	}
	for _, name := range sortedKeys(more) {
		switch name {
		case goFlags:
		case "GOFLAGS":
			flags += " " + more[name]
		default:
			env = append(env, name+"="+more[name])
		}
	}
	return append(env, "GOFLAGS="+strings.TrimSpace(flags+" "+more[goFlags]))
}

func everything(string) bool { return true }

// on runs a program to its end like exec, with the settings of a side.
func (r *runner) on(ctx context.Context, d *side, dir string, env map[string]string, timeout time.Duration,
	name string, args ...string) (*process.Outcome, error) {
	return r.boxed(ctx, d, false, nil, dir, env, timeout, name, args...)
}

// compile runs a command that builds something and does not run it.
func (r *runner) compile(ctx context.Context, d *side, dir string, env map[string]string, timeout time.Duration,
	name string, args ...string) (*process.Outcome, error) {
	return r.boxed(ctx, d, true, nil, dir, env, timeout, name, args...)
}

// boxed runs a program in the side's box, if it has one, with additional writable directories.
func (r *runner) boxed(ctx context.Context, d *side, builds bool, writable []string, dir string, env map[string]string,
	timeout time.Duration, name string, args ...string) (*process.Outcome, error) {
	env = maps.Clone(d.settings.and(env))
	if env == nil {
		env = map[string]string{}
	}
	if env["GOTOOLCHAIN"] = "local"; env["PATH"] == "" && r.golang.Root != "" {
		env["PATH"] = filepath.Join(r.golang.Root, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")
	}
	p := &process.Process{Dir: dir, Timeout: timeout}
	if d.box == nil {
		p.Path, p.Args, p.Env = name, args, environ(env, everything)
		return r.run(ctx, p)
	}
	env, wrapped, err := d.box.wrap(d, builds, writable, dir, env, name, args)
	if err != nil {
		return nil, err
	}
	// The list applies to the box's own process, not only inside of it: a variable removed inside
	// would still be in that process's environment.
	p.Path, p.Args, p.Env = bubblewrap.Tool, wrapped, environ(env, bubblewrap.Variable)
	filter, err := d.box.how.Filter()
	if err != nil {
		return nil, err
	}
	if filter != nil {
		defer filter.Close()
		p.Files = []*os.File{filter}
	}
	return r.run(ctx, p)
}

// exec runs a program to its end. A program that cannot be started is an outcome with status 127,
// as in a shell. The error is that of ctx.
func (r *runner) exec(ctx context.Context, dir string, env map[string]string, timeout time.Duration, name string,
	args ...string) (*process.Outcome, error) {
	return r.execInput(ctx, dir, env, timeout, "", name, args...)
}

// execInput is exec with a text on standard input.
func (r *runner) execInput(ctx context.Context, dir string, env map[string]string, timeout time.Duration, stdin, name string,
	args ...string) (*process.Outcome, error) {
	p := &process.Process{Path: name, Args: args, Dir: dir, Timeout: timeout, Env: environ(env, everything)}
	if stdin != "" {
		p.Stdin = strings.NewReader(stdin)
	}
	return r.run(ctx, p)
}

// run runs a process of the session. No process sees the session's secret variable, such as an
// endpoint's key.
func (r *runner) run(ctx context.Context, p *process.Process) (*process.Outcome, error) {
	p.Started = r.started
	p.Env = append(slices.DeleteFunc(p.Env, func(kv string) bool {
		return r.secret != "" && strings.HasPrefix(kv, r.secret+"=")
	}), r.mark)
	o, err := p.Run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return &process.Outcome{Exit: 127, Stderr: []byte(err.Error())}, nil
	}
	return o, nil
}

// checkout makes a side's files those of a tree and forgets the binaries of another.
func (d *side) checkout(ctx context.Context, commit, tree string) error {
	if err := d.wt.Reset(ctx, commit, tree); err != nil {
		// The code that ran there may have destroyed the checkout.
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := d.wt.Restore(ctx, commit); err != nil {
			return err
		}
		if err := d.wt.Reset(ctx, commit, tree); err != nil {
			return err
		}
	}
	if d.tree != tree {
		d.tree, d.built = tree, map[string]binary{}
		return os.RemoveAll(d.bin)
	}
	return nil
}

// newSide makes a checkout of a commit with a directory for binaries beside it. The names of sides
// are equally long, so that paths in binaries are too.
func newSide(ctx context.Context, repo *gitx.Repo, work, name, commit string) (*side, error) {
	dir := filepath.Join(work, name)
	if err := repo.RemoveWorktree(ctx, dir); err != nil {
		return nil, err
	}
	wt, err := repo.AddWorktree(ctx, dir, commit)
	if err != nil {
		return nil, fmt.Errorf("a worktree: %w", err)
	}
	return &side{wt: wt, bin: filepath.Join(work, name+".bin"), built: map[string]binary{}}, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

package research

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/tools/measure"
	"github.com/gyrvm/gyr/internal/tools/research/gitx"
)

// A runner runs the processes of a session, each in a group of its own that is gone
// afterwards.
type runner struct {
	self   string         // this program, for metrics of the engine
	mark   string         // variable of all processes, by which those of a killed driver are found
	counts map[string]int // metric -> METRIC lines of a process
	limits Limits
	secret string // variable that no process gets

	started func(pid int) // of each process; nil: nothing
}

// sessionMark is that of the session whose worktrees stand in a directory.
func sessionMark(work string) string { return "GYR_RESEARCH_SESSION=" + work }

// goFlags is the name under which environ takes flags that GOFLAGS gets besides its own.
const goFlags = "+GOFLAGS"

// environ is the environment of all processes of a session: that of the user but
// for what names a repository or a workspace.
func environ(more map[string]string) []string {
	var env []string
	flags := "-buildvcs=false"
	for _, kv := range os.Environ() {
		switch name, value, _ := strings.Cut(kv, "="); {
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

// on runs a program to its end as exec does, with the settings of a side.
func (r *runner) on(ctx context.Context, d *side, dir string, env map[string]string, timeout time.Duration,
	name string, args ...string) (*measure.Outcome, error) {
	return r.boxed(ctx, d, nil, dir, env, timeout, name, args...)
}

// compile runs a command that builds and runs nothing of what it built.
func (r *runner) compile(ctx context.Context, d *side, dir string, env map[string]string, timeout time.Duration,
	name string, args ...string) (*measure.Outcome, error) {
	var cache []string
	if d.box != nil {
		cache = []string{d.box.cache}
	}
	return r.boxed(ctx, d, cache, dir, env, timeout, name, args...)
}

// boxed runs a program in the side's box, if there is one, with more directories that it may write to.
func (r *runner) boxed(ctx context.Context, d *side, writable []string, dir string, env map[string]string,
	timeout time.Duration, name string, args ...string) (*measure.Outcome, error) {
	env = d.settings.and(env)
	if d.box != nil {
		var err error
		if env, name, args, err = d.box.wrap(d, writable, dir, env, name, args); err != nil {
			return nil, err
		}
	}
	return r.exec(ctx, dir, env, timeout, name, args...)
}

// exec runs a program to its end. A program that does not run at all is an outcome
// with status 127, as in a shell; the error is that of ctx.
func (r *runner) exec(ctx context.Context, dir string, env map[string]string, timeout time.Duration, name string,
	args ...string) (*measure.Outcome, error) {
	return r.execInput(ctx, dir, env, timeout, "", name, args...)
}

// execInput is exec with a text on standard input. What the session's own variable has, such as an endpoint's key, no process sees.
func (r *runner) execInput(ctx context.Context, dir string, env map[string]string, timeout time.Duration, stdin, name string,
	args ...string) (*measure.Outcome, error) {
	p := &measure.Process{Path: name, Args: args, Dir: dir, Timeout: timeout, Started: r.started}
	p.Env = append(slices.DeleteFunc(environ(env), func(kv string) bool {
		return r.secret != "" && strings.HasPrefix(kv, r.secret+"=")
	}), r.mark)
	if stdin != "" {
		p.Stdin = strings.NewReader(stdin)
	}
	o, err := p.Run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return &measure.Outcome{Exit: 127, Stderr: []byte(err.Error())}, nil
	}
	return o, nil
}

// checkout makes a side's files those of a tree and forgets what was built of another.
func (d *side) checkout(ctx context.Context, commit, tree string) error {
	if err := d.wt.Reset(ctx, commit, tree); err != nil {
		// The code that ran there may have destroyed it.
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

// newSide makes a checkout of a commit with a directory for binaries beside it. The
// names of sides have the same length, so that paths in binaries have too.
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

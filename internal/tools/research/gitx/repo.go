// Package gitx is the part of git that a research session needs, by plumbing
// commands alone: worktrees outside the repository's own tree, trees and commits
// made without an index of the user's, and refs that move by compare-and-swap.
//
// Nothing here writes the user's checkout or index. Only one process at a time makes or removes worktrees. Commands
// run without hooks, without optional locks (so that not even the index's cached times change) and without what the
// environment says of another repository.
package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Repo is a git repository. Its methods may be called at once by several
// goroutines, on different worktrees.
type Repo struct {
	Top    string // the top of the user's checkout, empty in a bare repository
	Common string // the directory of objects and refs that all worktrees share
}

// An Error is a git command that failed.
type Error struct {
	Args   []string
	Stderr string
	Err    error
}

func (e *Error) Error() string {
	text := strings.TrimSpace(e.Stderr)
	if text == "" {
		text = e.Err.Error()
	}
	return "git " + e.Args[0] + ": " + text
}

func (e *Error) Unwrap() error { return e.Err }

// Errors of Open and Resolve.
var (
	ErrNoRepo    = errors.New("not a git repository")
	ErrNoCommits = errors.New("the repository has no commits")
)

// Open finds the repository of a directory.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{Top: dir}
	out, err := r.git(ctx, dir, nil, nil, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", dir, ErrNoRepo)
	}
	r.Common = out
	if r.Top, err = r.git(ctx, dir, nil, nil, "rev-parse", "--path-format=absolute", "--show-toplevel"); err != nil {
		return nil, fmt.Errorf("%s: no working tree", dir)
	}
	return r, nil
}

// environ is the environment of git commands: variables that name another
// repository or index are left out.
func environ(more []string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") {
			env = append(env, kv)
		}
	}
	return append(append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"), more...)
}

// settings keep a user's configuration from running programs or rewriting files.
var settings = []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
	"-c", "maintenance.auto=false", "-c", "core.quotePath=false", "-c", "core.autocrlf=false", "-c",
	"advice.detachedHead=false", "-c", "diff.noprefix=false"}

// git runs a command and returns what it prints, without the last newline.
func (r *Repo) git(ctx context.Context, dir string, env []string, stdin []byte, args ...string) (string, error) {
	out, err := r.raw(ctx, dir, env, stdin, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

func (r *Repo) raw(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{}, settings...), args...)...)
	cmd.Dir = dir
	cmd.Env = environ(env)
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return stdout.Bytes(), &Error{args, stderr.String(), err}
	}
	return stdout.Bytes(), nil
}

// at runs a command of the repository itself.
func (r *Repo) at(ctx context.Context, args ...string) (string, error) {
	return r.git(ctx, r.Common, []string{"GIT_DIR=" + r.Common}, nil, args...)
}

// Resolve returns the commit that a revision names; HEAD is that of the user's checkout.
func (r *Repo) Resolve(ctx context.Context, rev string) (string, error) {
	out, err := r.git(ctx, r.Top, nil, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if _, none := r.git(ctx, r.Top, nil, nil, "rev-parse", "--verify", "--quiet", "HEAD"); none != nil && rev == "HEAD" {
			return "", ErrNoCommits
		}
		return "", fmt.Errorf("%s is no commit of the repository", rev)
	}
	return out, nil
}

// Tree returns the tree of a commit.
func (r *Repo) Tree(ctx context.Context, commit string) (string, error) {
	return r.at(ctx, "rev-parse", "--verify", commit+"^{tree}")
}

// Dirty lists what the user's checkout changes against its HEAD, untracked files
// included, as git status prints it.
func (r *Repo) Dirty(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, r.Top, nil, nil, "status", "--porcelain", "--untracked-files=all")
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(out, "\n"), nil
}

// Message returns a commit's message.
func (r *Repo) Message(ctx context.Context, commit string) (string, error) {
	return r.at(ctx, "log", "-1", "--format=%B", commit)
}

// Author returns who wrote a commit, for NewCommit.
func (r *Repo) Author(ctx context.Context, commit string) (Ident, error) {
	out, err := r.at(ctx, "log", "-1", "--format=%an%x00%ae%x00%ad", "--date=raw", commit)
	if err != nil {
		return Ident{}, err
	}
	f := strings.SplitN(out, "\x00", 3)
	if len(f) != 3 {
		return Ident{}, fmt.Errorf("git log: %q", out)
	}
	return Ident{f[0], f[1], f[2]}, nil
}

// Range lists the commits of A..B without merges, the oldest first.
func (r *Repo) Range(ctx context.Context, rng string) ([]string, error) {
	out, err := r.git(ctx, r.Top, nil, nil, "rev-list", "--reverse", "--topo-order", "--no-merges", "--end-of-options",
		rng, "--")
	if err != nil {
		return nil, err
	}
	return strings.Fields(out), nil
}

// Time returns a commit's committer date in seconds since 1970.
func (r *Repo) Time(ctx context.Context, commit string) (int64, error) {
	out, err := r.at(ctx, "log", "-1", "--format=%ct", commit)
	if err != nil {
		return 0, err
	}
	var s int64
	_, err = fmt.Sscan(out, &s)
	return s, err
}

// Ancestor reports whether commit a is reachable from b.
func (r *Repo) Ancestor(ctx context.Context, a, b string) bool {
	_, err := r.at(ctx, "merge-base", "--is-ancestor", a, b)
	return err == nil
}

// Clean returns a path in the form in which it compares with others: absolute
// and without symbolic links, as far as it exists.
func Clean(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return path
}

package gitx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// A Worktree is a checkout outside the repository's own tree.
type Worktree struct {
	Dir  string
	repo *Repo
	meta string // its directory in the repository's worktrees
	link []byte // the .git file, which names meta
}

// AddWorktree checks a commit out into a directory that does not exist. The
// worktree's Dir has no symbolic links.
func (r *Repo) AddWorktree(ctx context.Context, dir, commit string) (*Worktree, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	dir = filepath.Join(Clean(filepath.Dir(dir)), filepath.Base(dir))
	err := r.exclusively(ctx, func() error {
		_, err := r.at(ctx, "worktree", "add", "--quiet", "--force", "--force", "--no-checkout", "--detach", dir, commit)
		return err
	})
	if err != nil {
		return nil, err
	}
	link, err := os.ReadFile(filepath.Join(dir, ".git"))
	if err != nil {
		return nil, err
	}
	w := &Worktree{dir, r, strings.TrimSuffix(strings.TrimPrefix(string(link), "gitdir: "), "\n"), link}
	if err := r.plain(ctx, w.plain(), commit); err != nil {
		return nil, err
	}
	return w, w.Reset(ctx, commit, commit)
}

// RemoveWorktree removes a worktree's directory and the repository's record of it. A missing one is
// no error.
func (r *Repo) RemoveWorktree(ctx context.Context, dir string) error {
	if err := removeAll(dir); err != nil {
		return err
	}
	// A git that was killed while it made the worktree has left it locked. Unlocking an unlocked
	// one fails, which does not matter.
	if _, err := r.at(ctx, "worktree", "unlock", dir); err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return r.exclusively(ctx, func() error {
		_, err := r.at(ctx, "worktree", "prune", "--expire=now")
		return err
	})
}

// exclusively keeps other sessions from making and pruning worktrees meanwhile: git's prune
// mistakes one that is being made, and has no file of its own yet, for one that is gone.
func (r *Repo) exclusively(ctx context.Context, f func() error) error {
	lock, err := measure.AcquireLock(ctx, filepath.Join(r.Common, "gyr-worktrees.lock"))
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if lock != nil {
		defer lock.Release()
	}
	return f()
}

// removeAll removes a directory, including read-only directories in it.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// env names the worktree by its plain git directory, not by its .git file, which a proposer may
// have changed.
func (w *Worktree) env(index string) []string {
	return w.repo.plainEnv(w.plain(), w.Dir, index)
}

func (w *Worktree) plain() string { return filepath.Join(w.meta, "plain") }

// ErrGone says that the directory of a worktree is missing, or is elsewhere through a symbolic
// link.
var ErrGone = errors.New("the worktree is gone")

// there checks that the directory is where it was made. Through a link in its place git would read,
// and clean, somebody else's files.
func (w *Worktree) there() error {
	fi, err := os.Lstat(w.Dir)
	if err != nil || !fi.IsDir() || Clean(w.Dir) != w.Dir {
		return ErrGone
	}
	return nil
}

// Restore recreates a worktree that was destroyed.
func (w *Worktree) Restore(ctx context.Context, commit string) error {
	if err := w.repo.RemoveWorktree(ctx, w.Dir); err != nil {
		return err
	}
	now, err := w.repo.AddWorktree(ctx, w.Dir, commit)
	if err == nil {
		*w = *now
	}
	return err
}

// Snapshot writes the worktree's files, except ignored ones, as a tree and returns its name. It
// uses a temporary index that starts from a commit's tree.
func (w *Worktree) Snapshot(ctx context.Context, from string) (string, error) {
	if err := w.there(); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp("", "gyr-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	env := w.env(filepath.Join(tmp, "index"))
	if _, err := w.repo.git(ctx, w.Dir, env, nil, "read-tree", from); err != nil {
		return "", err
	}
	// Git inspects a submodule's changes with the submodule's own configuration. So the index has
	// no submodules while files are added. Files in a submodule's place are ignored, as git does.
	modules, err := w.repo.submodules(ctx, from)
	if err != nil {
		return "", err
	}
	if err := w.remove(ctx, env, modules); err != nil {
		return "", err
	}
	if _, err := w.repo.git(ctx, w.Dir, env, nil, "add", "--all", "."); err != nil {
		return "", err
	}
	if err := w.enter(ctx, env, modules); err != nil {
		return "", err
	}
	return w.repo.git(ctx, w.Dir, env, nil, "write-tree")
}

// remove empties the places of submodules and removes them from an index.
func (w *Worktree) remove(ctx context.Context, env []string, modules map[string]string) error {
	if len(modules) == 0 {
		return nil
	}
	root, err := os.OpenRoot(w.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	paths := sortedKeys(modules)
	for _, path := range paths {
		// A place that cannot be emptied, such as one behind a link to the outside, does not belong
		// to the submodule.
		root.RemoveAll(path)
	}
	_, err = w.repo.git(ctx, w.Dir, env, []byte(strings.Join(paths, "\x00")+"\x00"), "update-index", "--force-remove", "-z", "--stdin")
	return err
}

// enter puts submodules into an index.
func (w *Worktree) enter(ctx context.Context, env []string, modules map[string]string) error {
	if len(modules) == 0 {
		return nil
	}
	var info bytes.Buffer
	for _, path := range sortedKeys(modules) {
		fmt.Fprintf(&info, "160000 %s\t%s\x00", modules[path], path)
	}
	_, err := w.repo.git(ctx, w.Dir, env, info.Bytes(), "update-index", "-z", "--index-info")
	return err
}

// submodules maps the paths of a tree's submodules to their commits.
func (r *Repo) submodules(ctx context.Context, tree string) (map[string]string, error) {
	modules := map[string]string{}
	return modules, r.entries(ctx, tree, func(kind, object, path string) {
		if kind == "commit" {
			modules[path] = object
		}
	})
}

// Reset makes the worktree's files equal to a tree, and its HEAD a commit. Other files, including
// ignored ones, are removed. ErrGone says that the worktree is missing.
func (w *Worktree) Reset(ctx context.Context, commit, tree string) error {
	if err := w.there(); err != nil {
		return err
	}
	if head, err := os.ReadFile(filepath.Join(w.meta, "HEAD")); err != nil || string(head) != commit+"\n" {
		if _, err := w.repo.git(ctx, w.meta, []string{"GIT_DIR=" + w.meta}, nil, "update-ref", "--no-deref", "HEAD", commit); err != nil {
			return err
		}
	}
	if err := w.relink(); err != nil {
		return err
	}
	env := w.env(filepath.Join(w.meta, "index"))
	run := func(args ...string) error {
		_, err := w.repo.git(ctx, w.Dir, env, nil, args...)
		return err
	}
	// Files in the place of a submodule would stay: git takes them for the submodule's.
	modules, err := w.repo.submodules(ctx, tree)
	if err != nil {
		return err
	}
	if err := run("read-tree", "--reset", "-u", tree); err != nil {
		return err
	}
	if err := w.remove(ctx, env, modules); err != nil {
		return err
	}
	if err := run("clean", "--quiet", "-ffdx"); err != nil {
		return err
	}
	if err := removeSpecial(w.Dir); err != nil {
		return err
	}
	if err := run("checkout-index", "--force", "--all", "--quiet"); err != nil {
		return err
	}
	return w.enter(ctx, env, modules)
}

// removeSpecial removes pipes, sockets and devices, which git does not see: a reader of the
// checkout would block on them.
func removeSpecial(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&^(os.ModeDir|os.ModeSymlink) != 0 {
			err = os.Remove(path)
		}
		return err
	})
}

// relink restores the .git file if code that ran in the worktree replaced it. Otherwise a
// reviewer's or the user's next git command there would use the replacement.
func (w *Worktree) relink() error {
	name := filepath.Join(w.Dir, ".git")
	if fi, err := os.Lstat(name); err == nil && fi.Mode().IsRegular() && fi.Size() == int64(len(w.link)) {
		if text, err := os.ReadFile(name); err == nil && bytes.Equal(text, w.link) {
			return nil
		}
	}
	if err := removeAll(name); err != nil {
		return err
	}
	return os.WriteFile(name, w.link, 0o666)
}

// ErrConflict says that a patch does not apply.
var ErrConflict = errors.New("the patch does not apply")

// Apply applies a patch to the worktree. If it does not apply directly and its blobs are known,
// Apply tries a three-way merge. A patch that does not apply is an error that wraps ErrConflict;
// the worktree is then undefined. An empty patch applies.
func (w *Worktree) Apply(ctx context.Context, patch []byte) error {
	if len(patch) == 0 {
		return nil
	}
	env := w.env(filepath.Join(w.meta, "index"))
	_, err := w.repo.git(ctx, w.Dir, env, patch, "apply", "--index", "--whitespace=nowarn", "-")
	if err == nil {
		return nil
	}
	if _, three := w.repo.git(ctx, w.Dir, env, patch, "apply", "--3way", "--whitespace=nowarn", "-"); three == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) && ctx.Err() == nil {
		return fmt.Errorf("%w: %s", ErrConflict, strings.TrimPrefix(firstLine(e.Stderr), "error: "))
	}
	return err
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// A Change is a file that differs between two trees.
type Change struct {
	Path    string
	Status  byte   // A, M, D or T (type changed)
	Mode    string // new mode, as git prints it: 100644, 120000 a link, 160000 a submodule
	Added   int    // lines; 0 for a binary file
	Removed int
}

// Changes lists the differences between two trees, in the order of the paths.
func (r *Repo) Changes(ctx context.Context, from, to string) ([]Change, error) {
	out, err := r.at(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--raw", "--numstat", from, to)
	if err != nil || out == "" {
		return nil, err
	}
	var list []Change
	index := map[string]int{}
	f := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for ; len(f) > 1 && strings.HasPrefix(f[0], ":"); f = f[2:] {
		head := strings.Fields(f[0]) // :mode mode object object status
		if len(head) != 5 {
			return nil, fmt.Errorf("git diff-tree: %q", f[0])
		}
		index[f[1]] = len(list)
		list = append(list, Change{Path: f[1], Status: head[4][0], Mode: head[1]})
	}
	for _, line := range f {
		part := strings.SplitN(line, "\t", 3)
		if len(part) != 3 {
			continue
		}
		if i, ok := index[part[2]]; ok {
			list[i].Added, _ = strconv.Atoi(part[0])
			list[i].Removed, _ = strconv.Atoi(part[1])
		}
	}
	return list, nil
}

// Diff returns the patch from one tree to another, binary files included. Apply applies it.
func (r *Repo) Diff(ctx context.Context, from, to string) ([]byte, error) {
	return r.raw(ctx, r.Common, []string{"GIT_DIR=" + r.Common}, nil, "diff-tree", "-r", "-p", "--binary",
		"--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", from, to)
}

// Files maps the paths of a tree, without submodules, to the names of their blobs.
func (r *Repo) Files(ctx context.Context, tree string) (map[string]string, error) {
	files := map[string]string{}
	return files, r.entries(ctx, tree, func(kind, object, path string) {
		if kind == "blob" {
			files[path] = object
		}
	})
}

// entries calls a function for every entry of a tree.
func (r *Repo) entries(ctx context.Context, tree string, f func(kind, object, path string)) error {
	out, err := r.at(ctx, "ls-tree", "-r", "-z", tree)
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		if x := strings.Fields(head); ok && len(x) == 3 {
			f(x[1], x[2], path)
		}
	}
	return err
}

// File returns the contents of a file of a tree.
func (r *Repo) File(ctx context.Context, tree, path string) ([]byte, error) {
	return r.raw(ctx, r.Common, []string{"GIT_DIR=" + r.Common}, nil, "cat-file", "blob", tree+":"+path)
}

// Overlay returns a copy of tree with the chosen files taken from from. Chosen files that from
// lacks are left out.
func (r *Repo) Overlay(ctx context.Context, tree, from string, chosen func(path string) bool) (string, error) {
	changes, err := r.Changes(ctx, tree, from)
	if err != nil {
		return "", err
	}
	var info bytes.Buffer
	for _, c := range changes {
		if !chosen(c.Path) {
			continue
		}
		if c.Status == 'D' {
			fmt.Fprintf(&info, "0 %040d\t%s\x00", 0, c.Path)
			continue
		}
		entry, err := r.at(ctx, "ls-tree", "-z", from, "--", c.Path)
		if err != nil {
			return "", err
		}
		info.WriteString(strings.TrimSuffix(entry, "\x00") + "\x00")
	}
	return r.edited(ctx, tree, info.Bytes())
}

// WithFiles returns a copy of tree with files added or replaced.
func (r *Repo) WithFiles(ctx context.Context, tree string, files map[string][]byte) (string, error) {
	var info bytes.Buffer
	for _, name := range sortedKeys(files) {
		object, err := r.git(ctx, r.Common, []string{"GIT_DIR=" + r.Common}, files[name], "hash-object", "-w", "--no-filters", "--stdin")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&info, "100644 %s\t%s\x00", object, name)
	}
	return r.edited(ctx, tree, info.Bytes())
}

// edited returns a copy of tree with the entries that git update-index --index-info reads.
func (r *Repo) edited(ctx context.Context, tree string, info []byte) (string, error) {
	if len(info) == 0 {
		return r.at(ctx, "rev-parse", tree+"^{tree}")
	}
	tmp, err := os.MkdirTemp("", "gyr-index-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	env := []string{"GIT_DIR=" + r.Common, "GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	if _, err := r.git(ctx, r.Common, env, nil, "read-tree", tree); err != nil {
		return "", err
	}
	if _, err := r.git(ctx, r.Common, env, info, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	return r.git(ctx, r.Common, env, nil, "write-tree")
}

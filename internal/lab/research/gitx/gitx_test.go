package gitx

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// repository makes a repository with one commit of some files.
func repository(t *testing.T, files map[string]string) (*Repo, string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	write(t, dir, files)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"-c", "user.name=u", "-c", "user.email=u@x", "commit", "-q", "-m", "base"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	return r, head
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var someone = Ident{"s", "s@x", "1700000000 +0000"}

// TestCandidate takes one candidate through all steps: worktree, edit, tree, commit, ref. The
// user's checkout, index included, does not change by a byte.
func TestCandidate(t *testing.T) {
	ctx := t.Context()
	r, head := repository(t, map[string]string{"a.go": "package a\n", "a_test.go": "package a // test\n", "b/b.go": "package b\n"})
	write(t, r.Top, map[string]string{"a.go": "package a // mine, uncommitted\n", "new": "untracked"})
	index, err := os.ReadFile(filepath.Join(r.Common, "index"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.AddWorktree(ctx, filepath.Join(t.TempDir(), "w"), head)
	if err != nil {
		t.Fatal(err)
	}
	if dirty, err := r.Dirty(ctx); err != nil || len(dirty) != 2 {
		t.Errorf("dirty %q, %v", dirty, err)
	}
	write(t, w.Dir, map[string]string{"a.go": "package a // faster\n", "a_test.go": "package a // easier\n", "c.go": "package a\n", "x_test.go": "package a\n"})
	if err := os.Remove(filepath.Join(w.Dir, "b/b.go")); err != nil {
		t.Fatal(err)
	}
	// A proposer's own .git file has no effect.
	write(t, w.Dir, map[string]string{".git": "gitdir: /nowhere\n"})
	tree, err := w.Snapshot(ctx, head)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := r.Changes(ctx, head, tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		got = append(got, string(c.Status)+c.Path)
	}
	if want := []string{"Ma.go", "Ma_test.go", "Db/b.go", "Ac.go", "Ax_test.go"}; !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}

	judged, err := r.Overlay(ctx, tree, head, func(p string) bool { return p == "a_test.go" || p == "x_test.go" })
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.Files(ctx, judged)
	if err != nil || files["x_test.go"] != "" || files["c.go"] == "" {
		t.Errorf("files of the overlaid tree %v, %v", files, err)
	}
	if text, err := r.File(ctx, judged, "a_test.go"); err != nil || string(text) != "package a // test\n" {
		t.Errorf("overlaid test %q, %v", text, err)
	}

	commit, err := r.NewCommit(ctx, tree, head, "faster\n", someone, someone)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.NewCommit(ctx, tree, head, "faster\n", someone, someone)
	if err != nil || again != commit {
		t.Errorf("the same commit is %s and %s, %v", commit, again, err)
	}
	const branch = "refs/heads/research/s"
	for range 2 { // a second time is no error
		if err := r.SetRef(ctx, branch, head, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.SetRef(ctx, branch, commit, head); err != nil {
		t.Fatal(err)
	}
	other, _ := r.NewCommit(ctx, tree, head, "other\n", someone, someone)
	if err := r.SetRef(ctx, branch, other, head); !errors.Is(err, ErrMoved) {
		t.Errorf("a ref that was moved: %v", err)
	}
	if err := r.SetRef(ctx, branch, other, ""); !errors.Is(err, ErrMoved) {
		t.Errorf("a ref that was made: %v", err)
	}

	if err := w.Reset(ctx, commit, tree); err != nil {
		t.Fatal(err)
	}
	if same, err := w.Snapshot(ctx, head); err != nil || same != tree {
		t.Errorf("tree after reset %s, want %s, %v", same, tree, err)
	}
	// As left by a git that was killed while it made the worktree.
	if err := os.WriteFile(filepath.Join(w.meta, "locked"), []byte("initializing"), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.RemoveWorktree(ctx, w.Dir); err != nil {
			t.Fatal(err)
		}
		if w, err = r.AddWorktree(ctx, w.Dir, head); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.meta, "locked"), []byte("initializing"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(w.Dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.RemoveWorktree(ctx, w.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(w.meta); err == nil {
		t.Error("the repository knows a worktree that was removed")
	}
	if _, err := w.Snapshot(ctx, head); err == nil {
		t.Error("a worktree that is gone has a tree")
	}
	if now, _ := os.ReadFile(filepath.Join(r.Common, "index")); string(now) != string(index) {
		t.Error("the user's index changed")
	}
	if text, _ := os.ReadFile(filepath.Join(r.Top, "a.go")); string(text) != "package a // mine, uncommitted\n" {
		t.Errorf("the user's file is %q", text)
	}
}

// TestApply: a patch applies directly or by a three-way merge, or is a conflict.
func TestApply(t *testing.T) {
	ctx := t.Context()
	r, head := repository(t, map[string]string{"f": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"})
	w, err := r.AddWorktree(ctx, filepath.Join(t.TempDir(), "w"), head)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(text string) string {
		t.Helper()
		if err := w.Reset(ctx, head, head); err != nil {
			t.Fatal(err)
		}
		write(t, w.Dir, map[string]string{"f": text})
		tree, err := w.Snapshot(ctx, head)
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	top, near, far := edit("one\n2\n3\n4\n5\n6\n7\n8\n9\n"), edit("eins\n2\n3\n4\n5\n6\n7\n8\n9\n"), edit("1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	tip, err := r.NewCommit(ctx, top, head, "top\n", someone, someone)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, tree string
		conflict   bool
	}{{"far", far, false}, {"near", near, true}} {
		if err := w.Reset(ctx, tip, tip); err != nil {
			t.Fatal(err)
		}
		patch, err := r.Diff(ctx, head, c.tree)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Apply(ctx, patch); errors.Is(err, ErrConflict) != c.conflict || err != nil != c.conflict {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestWithFiles: a tree gets files, and the tree that it was does not change.
func TestWithFiles(t *testing.T) {
	r, head := repository(t, map[string]string{"f": "1\n", "d/g": "2\n"})
	tree, err := r.WithFiles(t.Context(), head, map[string][]byte{"d/g": []byte("two\r\n"), "new/h": []byte("3\n")})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"f": "1\n", "d/g": "two\r\n", "new/h": "3\n"} {
		if text, err := r.File(t.Context(), tree, name); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	if text, err := r.File(t.Context(), head, "d/g"); err != nil || string(text) != "2\n" {
		t.Errorf("%q, %v", text, err)
	}
	if same, err := r.WithFiles(t.Context(), head, nil); err != nil || same == tree {
		t.Errorf("%s, %v", same, err)
	}
}

// TestOpen: the error says that a directory is no repository or has no commits.
func TestOpen(t *testing.T) {
	if _, err := Open(context.Background(), t.TempDir()); !errors.Is(err, ErrNoRepo) {
		t.Errorf("no repository: %v", err)
	}
	dir := t.TempDir()
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = Environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Resolve(t.Context(), "HEAD"); !errors.Is(err, ErrNoCommits) {
		t.Errorf("no commits: %v", err)
	}
	if _, err := r.Resolve(t.Context(), "nothing"); err == nil {
		t.Error("nothing is a commit")
	}
}

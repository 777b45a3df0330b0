package testrun

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Revision is the tree of a git commit, unpacked into a temporary directory. Tests that run in it
// see it in place of the working tree, so that the names of files, which tests may print, are the
// same.
type Revision struct {
	root string // of the working tree
	dir  string // the directory of the unpacked tree
}

// OpenRevision unpacks a revision of the repository that contains dir. Close removes it.
func OpenRevision(ctx context.Context, dir, ref string) (*Revision, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	up, err := git(ctx, dir, "rev-parse", "--show-cdup") // unlike the root's name, this follows no links
	if err != nil {
		return nil, err
	}
	top := filepath.Join(dir, up)
	commit, err := git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("%s is neither a file nor a revision of the repository in %s", ref, top)
	}
	tmp, err := os.MkdirTemp("", "gyr-revision")
	if err != nil {
		return nil, err
	}
	r := &Revision{root: top, dir: tmp}
	// Not tar: package archive/tar looks up names of users, so it would link the command with the C
	// library.
	if err := r.unpack(ctx, "archive", "--format=zip", commit); err != nil {
		r.Close()
		return nil, fmt.Errorf("git archive %s: %w", ref, err)
	}
	return r, nil
}

// Close removes the unpacked tree.
func (r *Revision) Close() error { return os.RemoveAll(r.dir) }

// git runs a command that prints one line.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// unpack runs a git command that makes an archive. It writes the archive's files below the
// revision's directory and nothing outside.
func (r *Revision) unpack(ctx context.Context, args ...string) error {
	file, err := os.CreateTemp("", "gyr-archive")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.root}, args...)...)
	cmd.Stdout = file
	if err := cmd.Run(); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range archive.File {
		if err := unpackFile(root, f); err != nil {
			return err
		}
	}
	return nil
}

func unpackFile(root *os.Root, f *zip.File) error {
	name := filepath.FromSlash(f.Name)
	if f.Mode().IsDir() {
		return root.MkdirAll(filepath.Clean(name), 0o777)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	if f.Mode()&fs.ModeSymlink != 0 {
		target, err := io.ReadAll(from)
		if err != nil {
			return err
		}
		return root.Symlink(string(target), name)
	}
	to, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, f.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// Moved returns where a file of the working tree is in the revision. It returns any other file's
// name unchanged. A nil Revision moves nothing.
func (r *Revision) Moved(name string) string {
	if r != nil {
		if rest, ok := strings.CutPrefix(name, r.root); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			return r.dir + rest
		}
	}
	return name
}

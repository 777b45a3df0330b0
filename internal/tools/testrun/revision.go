package testrun

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Revision is a tree of a git repository as it was committed once, unpacked into a
// temporary directory. Tests run in it see it in the place of the working tree, so that
// names of files, which tests may print, are the same.
type Revision struct {
	root string // of the working tree
	dir  string // where the other tree is
}

// OpenRevision unpacks a revision of the repository that dir lies in. Close removes it.
func OpenRevision(ctx context.Context, dir, ref string) (*Revision, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	up, err := git(ctx, dir, "rev-parse", "--show-cdup") // unlike the root's name this follows no links
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
	cmd := exec.CommandContext(ctx, "git", "-C", top, "archive", "--format=tar", commit)
	out, err := cmd.StdoutPipe()
	if err == nil {
		if err = cmd.Start(); err == nil {
			err = errors.Join(unpack(tar.NewReader(out), tmp), cmd.Wait())
		}
	}
	if err != nil {
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

// unpack writes the files of an archive below dir, and nothing outside of it.
func unpack(t *tar.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(filepath.Clean(name), 0o777)
		case tar.TypeSymlink:
			err = root.Symlink(h.Linkname, name)
		case tar.TypeReg:
			var f *os.File
			if f, err = root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, h.FileInfo().Mode().Perm()); err != nil {
				break
			}
			_, err = io.Copy(f, t)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			return err
		}
	}
}

// moved returns where a file of the working tree is in the revision; elsewhere it is where
// it was. A nil Revision moves nothing.
func (r *Revision) moved(name string) string {
	if r != nil {
		if rest, ok := strings.CutPrefix(name, r.root); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			return r.dir + rest
		}
	}
	return name
}

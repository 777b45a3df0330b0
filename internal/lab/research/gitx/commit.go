package gitx

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// An Ident is an author or committer. Its date is git's raw form, seconds and zone.
type Ident struct{ Name, Email, Date string }

func (id Ident) env(role string) []string {
	return []string{"GIT_" + role + "_NAME=" + id.Name, "GIT_" + role + "_EMAIL=" + id.Email,
		"GIT_" + role + "_DATE=" + id.Date}
}

// NewCommit writes a commit object and returns its name. The same arguments give
// the same name.
func (r *Repo) NewCommit(ctx context.Context, tree, parent, message string, author, committer Ident) (string, error) {
	env := append(author.env("AUTHOR"), committer.env("COMMITTER")...)
	return r.git(ctx, r.Common, append(env, "GIT_DIR="+r.Common), []byte(message), "commit-tree", "--no-gpg-sign", "-p",
		parent, "-F", "-", tree)
}

// ErrMoved says that a ref is not where it was expected.
var ErrMoved = errors.New("the ref was moved by someone else")

// Ref returns the commit of a ref with its full name, empty if it does not exist.
func (r *Repo) Ref(ctx context.Context, name string) (string, error) {
	out, err := r.at(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "--", name)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 2 && f[1] == name {
			return f[0], nil
		}
	}
	return "", nil
}

// Refs returns the refs below those prefixes that end in a slash, and the refs that the other
// prefixes name in full.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	out, err := r.at(ctx, append([]string{"for-each-ref", "--format=%(objectname) %(refname)", "--"}, prefixes...)...)
	if err != nil {
		return nil, err
	}
	refs := map[string]string{}
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 2 {
			refs[f[1]] = f[0]
		}
	}
	return refs, nil
}

// SetRef moves a ref from one commit to another. An empty from creates the ref. If the ref is at
// another commit the error is ErrMoved; if it is at to already, it stays.
func (r *Repo) SetRef(ctx context.Context, name, to, from string) error {
	now, err := r.Ref(ctx, name)
	if err != nil || now == to {
		return err
	}
	if from == "" {
		from = strings.Repeat("0", len(to))
	}
	if _, err := r.at(ctx, "update-ref", "-m", "gyr research", name, to, from); err != nil {
		if now, _ := r.Ref(ctx, name); now != strings.Trim(from, "0") && now != from {
			return fmt.Errorf("%s: %w", name, ErrMoved)
		}
		return err
	}
	return nil
}

// DeleteRef deletes a ref. A missing one is no error.
func (r *Repo) DeleteRef(ctx context.Context, name string) error {
	_, err := r.at(ctx, "update-ref", "-d", name)
	return err
}

// Pack returns the objects that a commit reaches and another one does not, for Unpack. Objects may
// be differences to some that the other commit reaches.
func (r *Repo) Pack(ctx context.Context, commit, without string) ([]byte, error) {
	return r.raw(ctx, r.Common, []string{"GIT_DIR=" + r.Common}, []byte(commit+"\n^"+without+"\n"), "pack-objects", "--revs", "--thin",
		"--stdout", "--quiet")
}

// Unpack adds the objects of a pack. No ref names them, so git's gc removes them when they are two
// weeks old.
func (r *Repo) Unpack(ctx context.Context, pack []byte) error {
	_, err := r.git(ctx, r.Common, []string{"GIT_DIR=" + r.Common}, pack, "index-pack", "--stdin", "--fix-thin")
	return err
}

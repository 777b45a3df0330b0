package wasi

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr/api"
)

// A GrantError names a grant that is not possible.
type GrantError struct {
	Field string // of Config: "Dirs" or "Mounts[1]"
	Err   error
}

func (e *GrantError) Error() string { return e.Err.Error() }
func (e *GrantError) Unwrap() error { return e.Err }

// A grant is a Dir or a Mount on its way into the tree.
type grant struct {
	field string // of Config
	guest string // its path, clean
	what  string // name in errors

	dir    *api.Dir // nil for a Mount
	file   *file    // the descriptor of a directory of the host
	volume *volume  // fills a directory in memory; nil: it starts empty
	write  bool
	node   *node // its place in the tree
}

// readGrants checks the grants of the configuration.
func readGrants(c *api.Config) (list []*grant, err error) {
	for i := range c.Dirs {
		d := &c.Dirs[i]
		guest := d.Guest
		if guest == "" {
			abs, err := filepath.Abs(d.Host)
			if err != nil {
				return nil, &GrantError{"Dirs", err}
			}
			guest = filepath.ToSlash(abs)
		}
		g := &grant{field: "Dirs", guest: path.Clean("/" + guest), what: "directory " + d.Host, dir: d, write: !d.ReadOnly}
		if d.ReadOnly && d.Copy {
			return nil, &GrantError{"Dirs", fmt.Errorf("%s is read-only and a copy: a copy is there to be changed", g.what)}
		}
		list = append(list, g)
	}
	for i, m := range c.Mounts {
		field := fmt.Sprintf("Mounts[%d]", i)
		g := &grant{field: field, guest: path.Clean("/" + m.Guest), what: field, write: m.Write}
		switch {
		case !strings.HasPrefix(m.Guest, "/") || strings.ContainsRune(m.Guest, 0) || len(m.Guest) > maxPath:
			return nil, &GrantError{field, fmt.Errorf("Guest is %.100q; it has to be an absolute path such as /data", m.Guest)}
		case g.guest == "/":
			return nil, &GrantError{field, errors.New("Guest is the root directory; a mount has to be below it, as in /data")}
		}
		if m.FS != nil {
			g.volume = &volume{fs: m.FS, name: "Config." + field}
		}
		list = append(list, g)
	}
	if len(c.Roots) > 0 {
		g, err := grantRoots(c.Roots)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	for i, g := range list {
		for _, other := range list[:i] {
			if err := g.collides(other); err != nil {
				return nil, &GrantError{g.field, err}
			}
		}
	}
	return list, nil
}

// collides returns an error if two grants conflict: both have the same path, or one is a mount in
// or around the other.
func (g *grant) collides(other *grant) error {
	switch {
	case g.guest == other.guest && g.dir != nil:
		return fmt.Errorf("directories %s and %s have the same path %s in the guest", other.dir.Host, g.dir.Host, g.guest)
	case g.guest == other.guest:
		return fmt.Errorf("%s and %s have the same path %s in the guest", other.what, g.what, g.guest)
	case g.dir != nil || other.guest == "/":
		return nil
	case below(g.guest, other.guest), below(other.guest, g.guest):
		return fmt.Errorf("%s (%s) and %s (%s) overlap in the guest", other.what, other.guest, g.what, g.guest)
	}
	return nil
}

// below reports whether a clean path lies below another.
func below(name, dir string) bool {
	return dir == "/" || strings.HasPrefix(name, dir+"/")
}

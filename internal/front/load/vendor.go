package load

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"path/filepath"
	"strings"
)

// readVendor reads vendor/modules.txt.
func (m *modules) readVendor(dir string) error {
	t := m.main[0].tree
	data, err := t.readFile(t.join(dir, "modules.txt"), maxModuleFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errorf("reading %s: %v", m.l.short(t.join(dir, "modules.txt")), reason(err))
	}
	m.vendor = dir
	m.vendorPkg = map[string]*mod{}
	var cur *mod
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# "):
			f := strings.Fields(line[2:])
			if len(f) == 0 {
				continue
			}
			cur = &mod{path: f[0], tree: t, dir: t.join(dir, filepath.FromSlash(f[0])), goVersion: "go1.16"}
			if len(f) > 1 && f[1] != "=>" {
				cur.version = f[1]
			}
		case strings.HasPrefix(line, "## ") && cur != nil:
			for item := range strings.SplitSeq(line[3:], ";") {
				if v, ok := strings.CutPrefix(strings.TrimSpace(item), "go "); ok {
					cur.goVersion = version.Lang("go" + v)
				}
			}
		case line != "" && !strings.HasPrefix(line, "#") && cur != nil:
			m.vendorPkg[line] = cur
		}
	}
	return nil
}

// findVendored returns where the vendor directory has a package.
func (m *modules) findVendored(path string) (string, *mod, error) {
	if d := m.vendorPkg[path]; d != nil {
		return d.tree.join(m.vendor, filepath.FromSlash(path)), d, nil
	}
	return "", nil, fmt.Errorf("cannot find module providing package %s: import lookup disabled by -mod=vendor", path)
}

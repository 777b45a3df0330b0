package load

import (
	"bytes"
	"strconv"
)

// Time zones. time.LoadLocation finds the world's zones if the program has time/tzdata, which holds
// the table of Go's release. The sandbox has no other table. The package takes half a megabyte of
// memory, so a program has it only if one of its own files names LoadLocation or imports the
// package.

const zonesPath = "time/tzdata"

// namesZones reports whether a source of the program may load time zones by their names.
func (f *file) namesZones(src []byte) bool {
	if !bytes.Contains(src, []byte("LoadLocation")) {
		return false
	}
	for _, imp := range f.ast.Imports {
		if imp.Path.Value == strconv.Quote("time") {
			return true
		}
	}
	return false
}

// addZones makes the table of time zones a package of the program, if the program needs it.
func (l *loader) addZones(main *pkg) {
	if !l.needZones() || main.imports == nil {
		return
	}
	if pl, ok := l.stdPlace(zonesPath); ok {
		main.imports[zonesPath] = l.need(pl)
		l.wg.Wait()
	}
}

func (l *loader) needZones() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.pkgs {
		if p.origin.std() {
			continue
		}
		for _, f := range append(p.files[:len(p.files):len(p.files)], p.xfiles...) {
			if f.zones {
				return true
			}
		}
	}
	return false
}

package load

import (
	"io/fs"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
)

// A Command is a command of the Go installation that is loaded as a program. Its packages are those
// below cmd in GOROOT, with the vendor directory there. It shares the standard library with every
// other program.
type Command struct {
	Path  string // import path, which begins with cmd/
	Files fs.FS  // answers for its packages, laid out like those of Options.Overlay; nil: none
}

// ofCommand reports whether a path belongs to a package of the Go installation's commands.
func ofCommand(path string) bool { return strings.HasPrefix(path, "cmd/") }

// ofCommand reports whether a package belongs to the Go installation's commands, or to a vendor
// directory there.
func (p *pkg) ofCommand() bool { return p.origin == ofGOROOT && ofCommand(p.dirPath) }

// command starts loading the command that the options name. It uses no modules.
func (l *loader) command() *pkg {
	l.mods = gomod.NoModules(&l.Env)
	path := l.cfg.Command.Path
	p := &pkg{place: *l.gorootPlace(path), importPath: path, dirPath: path, loaded: make(chan struct{})}
	p.path = "main"
	l.mu.Lock()
	defer l.mu.Unlock()
	l.start(p)
	return p
}

// locateInCommand finds the package that an import of a package of a command means.
func (l *loader) locateInCommand(path string) (*place, error) {
	first, _, _ := strings.Cut(path, "/")
	switch {
	case strings.Contains(first, "."):
		return l.gorootPlace("cmd/vendor/" + path), nil
	case first == "cmd":
		return l.gorootPlace(path), nil
	}
	return l.locate(path, true)
}

// answersFor returns the tree that has the answers for a package.
func (l *loader) answersFor(p *pkg) filetree.Tree {
	if p.ofCommand() && l.cfg.Command != nil && l.cfg.Command.Files != nil {
		return filetree.Tree{FS: l.cfg.Command.Files}
	}
	return l.overlay
}

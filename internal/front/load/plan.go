package load

import "errors"

// A Step is one of the program's own packages, which is to be compiled.
type Step struct {
	Path  string   // as imports name it; command-line-arguments for a list of files
	Files []string // names as in positions
}

// stepsOf returns the packages of a program outside the standard library, in the order of
// compilation.
func stepsOf(order []*pkg) (list []Step) {
	for _, p := range order {
		if p.origin.std() {
			continue
		}
		s := Step{Path: p.importPath}
		for _, f := range p.files {
			s.Files = append(s.Files, f.name)
		}
		list = append(list, s)
	}
	return list
}

// Options.Plan returns ErrPlanned if nothing is to be compiled.
var ErrPlanned = errors.New("nothing was compiled, since only the plan was asked for")

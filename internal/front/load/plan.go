package load

import "errors"

// A Step is one of the program's own packages, as it is about to be compiled.
type Step struct {
	Path  string   // as imports name it; command-line-arguments for a list of files
	Files []string // with the names that positions have
}

// stepsOf returns the packages of a program that are not of the standard library, in the order in which they are compiled.
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

// ErrPlanned is what Options.Plan returns if nothing is to be compiled.
var ErrPlanned = errors.New("nothing was compiled, since only the plan was asked for")

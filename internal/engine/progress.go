package engine

import "fmt"

// Progress says how far a compilation is. It is told at the beginning of each stage, and during the stage that loads
// packages whenever one has been type-checked. It may be told on several goroutines, on one at a time.
type Progress struct {
	// Stage is what the compilation does: loading, lowering, optimising and others, also of the standard library.
	Stage string
	// Done are the packages that have been type-checked, of Total. Packages that the compiled standard library supplies
	// do not count. Both are 0 in other stages, and until the packages are known.
	Done, Total int
}

// String is a line for a user: "loading the standard library, 3 of 90 packages".
func (p Progress) String() string {
	if p.Total == 0 {
		return p.Stage
	}
	return fmt.Sprintf("%s, %d of %d packages", p.Stage, p.Done, p.Total)
}

// ofStd returns what is told of a layer of the standard library, of which told is the Source: progress of its
// compilation. Placing gas takes no time, so it is not told.
func ofStd(told *Source) func(Progress) {
	return func(p Progress) {
		switch stage := p.Stage + " the standard library"; {
		case p.Stage == "placing gas":
		case p.Total == 0:
			told.stage(stage)
		case told.Progress != nil:
			told.Progress(Progress{stage, p.Done, p.Total})
		}
	}
}

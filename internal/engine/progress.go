package engine

import (
	"github.com/gyrvm/gyr/api"
)

// ofStd returns what is told of a layer of the standard library, which told needs: progress of its
// compilation. Placing gas takes no time, so it is not told.
func ofStd(told *compilation) func(api.Progress) {
	return func(p api.Progress) {
		switch stage := p.Stage + " the standard library"; {
		case p.Stage == "placing gas":
		case p.Total == 0:
			told.stage(stage)
		case told.Progress != nil:
			told.Progress(api.Progress{Stage: stage, Done: p.Done, Total: p.Total})
		}
	}
}

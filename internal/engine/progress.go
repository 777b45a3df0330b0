package engine

import (
	"github.com/gyrvm/gyr/api"
)

// ofStd turns progress of a layer of the standard library into progress of the compilation that
// needs it. It drops the placing of gas, which takes no time.
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

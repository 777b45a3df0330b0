package memory

import "errors"

// A Status is the outcome of an operation of the heap.
type Status uint8

const (
	StatusOK          Status = iota
	StatusCollect            // a collection is due: collect and repeat the call
	StatusLimit              // the memory limit is reached, a collection did not or would not help
	StatusCorrupt            // guest memory contradicts the heap's own records: only Reset is possible
	StatusInvalid            // the call is not possible: not an object, not a chunk, not in this phase
	StatusHost               // the operating system refused memory; Heap.Err says why
	StatusInterrupted        // Heap.Poll returned false during long work: only Reset is possible
)

var statusNames = [...]string{"ok", "collect", "memory limit", "corrupt guest memory", "invalid", "host memory",
	"interrupted"}

func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "status?"
}

// ErrCorrupt says that the guest's memory does not hold the data of the guest's runtime.
var ErrCorrupt = errors.New("the guest's memory is corrupt")

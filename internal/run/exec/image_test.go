package exec

import (
	"reflect"
	"testing"
)

// TestImage: every field of a machine that waits is in its image, or there is a reason why not.
func TestImage(t *testing.T) {
	own := "the machine's own"
	known := map[string]string{
		"Gas": "used", "Plim": "follows from Gas", "SSP": "kept", "SLim": "kept", "VM": own, "Base": own, "Heap": own, "CPU": "must be nil",
		"tier": own, "hosts": own, "yields": own, "traps": own, "status": "must be rt.Yield", "yielder": "kept", "entered": "set",
		"calls": "when to poll", "inHost": "not while it waits", "herePos": "of an end",
		// gasState
		"initFree": own, "freeUnits": "kept", "limit": "from the configuration", "burned": "the machine's own", "stopped": "must not be", "final": "of an end", "used": "kept",
		"top": "used", "sliceEnd": "when to poll", "slice": "when to poll", "steady": own, "lastPoll": "when to poll", "quantum": own, "qstart": "kept",
		"others": own, "preempt": own, "emptyPools": own, "dropPools": own, "crowded": "kept", "poolAt": "kept", "interval": own,
		// stackState
		"stacks": "kept", "block": "to allocate from", "free": "kept", "slots": "the stacks' memory, which may lie elsewhere", "down": own, "cur": "kept",
		"next": "of a switch", "guestLimit": "kept", "walk": "of a walk",
		// shadowState
		"shadow": "of a collection", "runs": "of a collection", "marked": "of a collection", "spans": "of a collection",
		"follow": "when to poll", "left": "when to poll", "chunksMoved": "set",
		// payState
		"payer": own, "pays": "must not be", "results": "until the next operation",
	}
	var look func(typ reflect.Type)
	look = func(typ reflect.Type) {
		for f := range typ.Fields() {
			if f.Anonymous {
				look(f.Type)
			} else if known[f.Name] == "" {
				t.Errorf("%s.%s is not known: decide in Image what becomes of it", typ, f.Name)
			}
		}
	}
	look(reflect.TypeFor[Core]())
}

package memory

import (
	"reflect"
	"testing"
)

// TestWholeHeap: every field of a heap is in a snapshot of the whole heap, or the test gives a
// reason.
func TestWholeHeap(t *testing.T) {
	known := map[string]string{
		"Cur": "window", "Limit": "window", "winEnd": "window", "start": "window", "walked": "window", "spare": "kept",
		"Mallocs": "kept", "cursor": "kept", "lowFree": "kept", "wide": "kept", "blocks": "kept", "chunks": "kept", "counters": "kept",
		"layouts": "those made at run time", "special": "the list; hashes have another seed", "bits": "start bits; mark bits are zero between collections",
		"top": "kept", "lo": "kept", "data": "kept", "free": "follows from the blocks", "tags": "of a collection",
		"Poison": "must be off", "watch": "must be off", "stress": "must be off", "phase": "must be idle", "corrupt": "must not be",
		"err": "must be nil", "marker": "of a collection", "limit": "the instance's own", "bound": "of a call", "buffers": "there must be none", "lowest": "as without buffers",
		"ceil": "as without buffers", "Poll": "the instance's own",
		"Trim": "the instance's own", "space": "the instance's own", "base": "the instance's own", "ready": "how much the system has committed",
	}
	for f := range reflect.TypeFor[Heap]().Fields() {
		if known[f.Name] == "" {
			t.Errorf("Heap.%s is not known: decide in SnapshotWhole what becomes of it", f.Name)
		}
	}
}

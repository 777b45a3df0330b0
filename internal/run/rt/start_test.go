package rt

import (
	"reflect"
	"testing"
)

// TestStartFields: a start holds the whole state of host functions between calls, or the test gives
// a reason.
func TestStartFields(t *testing.T) {
	known := map[string]string{
		"sys": "as it was made: functions that change it are not kept", "call": "what was described; no call is prepared or runs",
		"hosts": "open calls are not kept, functions are linked again", "crossing": "kept; types are read again",
		"clock": "jumps", "rng": "kept where it was drawn from", "sha": "scratch", "types": "kept", "queue": "kept", "stats": "kept",
		"inits": "kept", "runContext": "the run's", "limits": "of a call", "report": "of an end", "net": "functions that change it are not kept", "unnet": "of net", "procs": "functions that change it are not kept", "polled": "the run's", "pending": "must be OK", "dying": "must not be",
		"scratch": "scratch", "text": "scratch", "watched": "must be", "unkept": "must not be", "consulted": "kept", "recorded": "kept", "copied": "of the record",
	}
	for f := range reflect.TypeFor[state]().Fields() {
		if known[f.Name] == "" {
			t.Errorf("state.%s is not known: decide in VM.Start what becomes of it", f.Name)
		}
	}
	// Other state that a call of the host may have left.
	known = map[string]string{"funcs": "kept", "now": "of a call that is over", "waits": "must not be", "runs": "must not be", "again": "of an upgrade",
		"failed": "of a call that is over", "text": "of a call that is over", "err": "of a call that is over"}
	for f := range reflect.TypeFor[callState]().Fields() {
		if known[f.Name] == "" {
			t.Errorf("callState.%s is not known: decide in VM.Start what becomes of it", f.Name)
		}
	}
	known = map[string]string{
		"Mod": "same", "Sentinels": "of the program", "Space": "kept", "Heap": "kept", "Exec": "the caller's", "Config": "compared", "ExitCode": "of an end", "Err": "of an end",
		"Fatal": "of an end", "Began": "kept", "Hints": "kept", "asked": "kept", "CPU": "must be nil", "Watch": "must be nil",
		"super": "of a run", "asides": "of a run", "handles": "an initialisation that calls the host is not kept", "snap": "origin", "Stacks": "the machine's", "undo": "of a transaction", "begins": "origin",
		"build": "makes a snapshot of std", "state": "see above",
	}
	for f := range reflect.TypeFor[VM]().Fields() {
		if known[f.Name] == "" {
			t.Errorf("VM.%s is not known: decide in VM.Start what becomes of it", f.Name)
		}
	}
}

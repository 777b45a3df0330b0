package rt

import (
	"reflect"
	"testing"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// TestMomentFields: everything that an instance keeps between calls comes back with a moment, or there is a reason why not.
func TestMomentFields(t *testing.T) {
	same, call := "the instance's own", "of a call"
	for typ, known := range map[reflect.Type]map[string]string{
		reflect.TypeFor[VM](): {
			"Mod": same, "Space": "memory", "Heap": "memory", "Exec": "the caller's", "Config": same, "ExitCode": "of an end", "Err": "of an end",
			"Fatal": "of an end", "Began": "of the start", "Hints": "kept", "asked": "kept", "CPU": "must be nil", "Watch": "must be nil", "SpecialsFlag": "of the module",
			"OthersFlag": "of the module", "Sentinels": same, "handles": "those made since are closed", "undo": "called", "super": "of a run", "asides": "of a run",
			"snap": "origin", "begins": "origin", "build": "makes a snapshot of std", "state": "see below",
		},
		reflect.TypeFor[state](): {
			"sys": "wasi.Mark", "call": "what was described; no call is prepared or runs", "hosts": "none is open; what is linked is a cache", "crossing": "the kit; what is known of types stays true",
			"clock": "jumps", "rng": "kept", "sha": "scratch", "types": "a cache; its charge is kept", "queue": "kept", "stats": "kept", "inits": "of the start",
			"runContext": "the run's", "limits": call, "report": "of an end", "net": "must not be", "polled": "the run's", "pending": "must be OK", "dying": "must not be",
			"scratch": "scratch", "text": "scratch", "watched": "before the first call", "unkept": "before the first call", "consulted": "before the first call",
		},
		reflect.TypeFor[callState](): {"funcs": "described by the start", "now": call, "waits": call, "runs": call, "again": call, "failed": call, "text": call, "err": call},
		reflect.TypeFor[clock]():     {"real": "must not be", "started": "of the machine's clock", "jumped": "kept", "timer": "of the machine's clock"},
		reflect.TypeFor[random]():    {"runtime": "kept", "bytes": "kept", "real": "must not be"},
		reflect.TypeFor[typeCache](): {"used": "forgotten", "dynamic": "forgotten", "mask": "its size, which was charged"},
		reflect.TypeFor[wasi.System](): {
			"mem": same, "host": same, "args": same, "env": same, "fds": "kept", "maxFiles": same, "open": "kept", "hostOpen": "none is open", "mounts": same, "name": same,
			"grants": "their nodes", "world": "kept", "began": "of the start", "stdin": "outside", "out": "outside", "outRoom": "outside", "outLimited": same, "gather": "scratch",
			"crash": "of an end", "call": call, "mayBlock": "kept", "files": "kept", "seen": same, "hints": "kept", "touched": "nothing was",
		},
	} {
		for f := range typ.Fields() {
			if known[f.Name] == "" {
				t.Errorf("%s.%s is not known: decide in Moment what becomes of it", typ, f.Name)
			}
		}
	}
}

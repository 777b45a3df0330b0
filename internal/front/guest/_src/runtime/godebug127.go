//go:build go1.27

package runtime

import (
	"internal/godebugs"
	"internal/strconv"
)

// Settings of GODEBUG that Go 1.27 has no more: an old value of one ends the program when it begins.

const asynctimerchan = false

func applyRemoved() {}

// fromSnapshot notes that no snapshot is being made, in which nobody may ask for the environment.
func fromSnapshot() { sched.again = true }

// startenv looks at the environment before any initialiser that is not in the snapshot.
func startenv() {
	if !sched.again {
		return
	}
	env := gogetenv("GODEBUG")
	if env == "" {
		return
	}
	godebug.env, godebug.known = env, true
	godebugApply() // package internal/godebug may not be there
	for env != "" {
		end := indexbyte(env, ',')
		if end < 0 {
			end = len(env)
		}
		field := env[:end]
		env = env[min(end+1, len(env)):]
		i := indexbyte(field, '=')
		if i < 0 {
			continue
		}
		for _, s := range godebugs.Removed {
			if s.Name == field[:i] && s.Old(field[i+1:]) {
				fatal(`removed GODEBUG "` + s.Name + `" set to old value "` + field[i+1:] + `" in environment (https://go.dev/doc/godebug#go-1` + strconv.Itoa(s.Removed) + `)`)
			}
		}
	}
}

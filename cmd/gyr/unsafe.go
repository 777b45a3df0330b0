package main

import (
	"errors"
	"flag"

	"github.com/gyrvm/gyr/api"
)

// unsafeFlag is -unsafe: alone or =on, =deps, =off. Its zero value is not the default; register
// sets the default.
type unsafeFlag struct {
	policy api.UnsafePolicy
	given  bool
}

func (u *unsafeFlag) register(fs *flag.FlagSet) {
	u.policy = api.UnsafeAll
	fs.Var(u, "unsafe", "which packages of the program may import unsafe: `on|deps|off`, all, those of other\n"+
		"modules, none; a program with unsafe runs checked: memory is its sandbox all the same")
}

func (u *unsafeFlag) String() string   { return u.policy.String() }
func (u *unsafeFlag) IsBoolFlag() bool { return true }

func (u *unsafeFlag) Set(text string) error {
	switch text {
	case "true":
		text = "on"
	case "false":
		text = "off"
	}
	for p := range api.UnsafeAll + 1 {
		if p.String() == text {
			u.policy, u.given = p, true
			return nil
		}
	}
	return errors.New("-unsafe is on, deps or off")
}

package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/run/memory"
)

func configError(field string, err error) error { return &api.ConfigError{Field: field, Err: err} }

const (
	// MaxMemory is the largest Config.Memory and Config.Stack: the address space of a guest.
	MaxMemory = memory.SpaceSize
	// MinStack is the smallest Config.Stack: the stack that every goroutine starts with.
	MinStack = memory.UnitFirst
)

// check finds errors in a configuration that depend on nothing else.
func (c *Config) check(p *Program) error {
	bad := func(field, format string, args ...any) error { return configError(field, fmt.Errorf(format, args...)) }
	switch {
	case c.Gas < 0:
		return bad("Gas", "%d is negative; 0 means no limit", c.Gas)
	case c.Output < 0:
		return bad("Output", "%d is negative; 0 means no limit", c.Output)
	case c.Memory > MaxMemory:
		return bad("Memory", "%d bytes are more than the %d that a guest can address", c.Memory, uint64(MaxMemory))
	case c.Stack > MaxMemory:
		return bad("Stack", "%d bytes are more than the %d that a guest can address", c.Stack, uint64(MaxMemory))
	case c.Stack > 0 && c.Stack < MinStack:
		return bad("Stack", "%d bytes are less than the %d that every goroutine begins with", c.Stack, MinStack)
	case c.Profiles&^(api.GasProfile|api.MemProfile|api.CPUProfile) != 0:
		return bad("Profiles", "%#x has bits that name no kind of profile", uint8(c.Profiles))
	case p.opt.NoPass[opt.Metering] && !c.Realtime:
		return bad("Realtime", "a program without charges has no other clock")
	case p.opt.NoPass[opt.Metering] && c.Gas != 0:
		return bad("Gas", "a program without charges uses none")
	}
	if err := c.checkPrograms(); err != nil {
		return err
	}
	if strings.Contains(c.Name, "\x00") {
		return configError("Name", errZero)
	}
	hasZero := func(s string) bool { return strings.Contains(s, "\x00") }
	if i := slices.IndexFunc(c.Args, hasZero); i >= 0 {
		return configError(fmt.Sprintf("Args[%d]", i), errZero)
	}
	for i, v := range c.Env {
		field := fmt.Sprintf("Env[%d]", i)
		switch name, _, ok := strings.Cut(v, "="); {
		case hasZero(v):
			return configError(field, errZero)
		case !ok || name == "":
			return bad(field, "%.40q is not NAME=value", v)
		}
	}
	return nil
}

// errZero is the error for a string with a zero byte, where the guest would take the byte for its
// end.
var errZero = errors.New("it has a zero byte")

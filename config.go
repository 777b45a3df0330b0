package gyr

import (
	"time"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// VirtualStart is what the virtual clock of every instance shows at its start: 2026-01-01T00:00:00Z.
func VirtualStart() time.Time { return time.Unix(rt.Epoch, 0).UTC() }

// The limits that apply where a Config names none: the stack's is half of the memory limit.
const (
	DefaultMemory = engine.DefaultMemory
	DefaultStack  = DefaultMemory / 2
)

const (
	// MaxMemory is the largest Config.Memory and Config.Stack: what a guest can address.
	MaxMemory = engine.MaxMemory
	// MinStack is the smallest Config.Stack, what every goroutine begins with.
	MinStack = engine.MinStack
)

// DefaultTier is what executes the code of instances whose Config has no Tier, unless
// the system denies memory for code (see CheckNative and Program.NativeError) or
// something is asked for that the interpreter alone does: profiles, and counting
// operations.
const DefaultTier = engine.DefaultTier

// CheckNative reports why this process cannot run machine code, nil if it can.
func CheckNative() error { return engine.CheckNative() }

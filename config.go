package gyr

import (
	"time"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// VirtualStart is the first time that the virtual clock of every instance shows:
// 2026-01-01T00:00:00Z.
func VirtualStart() time.Time { return time.Unix(rt.Epoch, 0).UTC() }

// The limits of a Config that sets none. The stack limit is half of the memory limit.
const (
	DefaultMemory = engine.DefaultMemory
	DefaultStack  = DefaultMemory / 2
)

const (
	// MaxMemory is the largest Config.Memory and Config.Stack: the address space of a guest.
	MaxMemory = engine.MaxMemory
	// MinStack is the smallest Config.Stack, the initial stack of every goroutine.
	MinStack = engine.MinStack
)

// DefaultTier executes the code of instances whose Config has no Tier: TierNative on linux/amd64 and
// linux/arm64. There are two exceptions: the system denies memory for code (see CheckNative and
// Program.NativeError), or the Config asks for something that only the interpreter does: profiles, and
// counting operations. On darwin/arm64 it is TierInterp, although there is machine code.
const DefaultTier = engine.DefaultTier

// CheckNative reports why this process cannot run machine code, or nil if it can.
func CheckNative() error { return engine.CheckNative() }

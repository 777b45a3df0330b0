package rt

import (
	"context"
	"io"

	"github.com/gyrvm/gyr/internal/wasi"
)

// A Dir is a directory of the host that the guest may use.
type Dir = wasi.Dir

// Config is what one run of a program is given. The zero value gives nothing
// of the machine, virtual time, seed 0, and the default limits.
type Config struct {
	Args []string // the program's name first
	Env  []string // NAME=value; nothing else is in the guest's environment
	Dirs []Dir

	// One read or write of the guest is one call. Nil: an empty input, output
	// that vanishes. A Reader may be called from another goroutine; after the
	// context has ended a call that blocks is left behind.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	Seed       uint64 // of everything random
	RealRandom bool   // take randomness from the machine
	Realtime   bool   // the machine's clock, and sleeping takes time

	Gas      int64  // units; 0: no limit
	Memory   uint64 // bytes of everything that the guest can make grow; 0: DefaultMemory
	Stack    uint64 // bytes of one goroutine's stack, in guest units; 0: half of Memory
	MaxFiles int    // descriptors open at once; 0: wasi.DefaultMaxFiles

	// Context ends the run: DeadlineError. Nil: never.
	Context context.Context

	// Accounts, if not nil, tells apart what tests use.
	Accounts *Accounts

	// Seen is wasi.Config's.
	Seen func(name string)

	// Debug holds the settings of -d=name[=value],... by name.
	Debug map[string]string
}

// DefaultMemory is the memory limit where none is given.
const DefaultMemory = 256 << 20

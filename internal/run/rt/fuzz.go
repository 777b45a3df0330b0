package rt

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Fuzz is the host's part of fuzzing, for one run. The guest makes inputs and executes them. The
// host tells it the time and the new coverage, and keeps inputs. Nothing from the guest is trusted:
// inputs are bytes, and Keep decides where they go and how many there may be.
type Fuzz struct {
	Keep func(crash bool, input []byte) // stores an input; the callee owns it
	Stop func() bool                    // reports whether fuzzing must end
	// Counters is the number of counted blocks.
	Counters int

	// Input is the current input, or nil. If the run ends while it executes, it is the crash.
	Input []byte

	buf    []byte
	start  time.Time
	counts []uint64 // of the run
	seen   []bool   // by counter
}

// maxFuzzInput is the most bytes of an input that is recorded or kept.
const maxFuzzInput = 1 << 20

// fuzzHosts are the host functions in this file, by their names in ir.Primitives.
var fuzzHosts = map[string]Func{
	"fuzzstep":  hostFuzzstep,
	"fuzzcover": hostFuzzcover,
	"fuzzkeep":  hostFuzzkeep,
}

func hostFuzzstep(vm *VM, a *ir.Args) Status {
	f := vm.Config.Fuzz
	if f == nil {
		a[0] = ^uint64(0)
		return OK
	}
	p, st := vm.fuzzInput("fuzzstep", a)
	if st != OK {
		return st
	}
	if f.start.IsZero() {
		f.start = time.Now()
	}
	f.Input = nil
	if n := len(p); n > 0 && n <= maxFuzzInput {
		f.buf = append(f.buf[:0], p...)
		f.Input = f.buf
	}
	a[0] = uint64(time.Since(f.start))
	if f.Stop() {
		a[0] = ^uint64(0)
	}
	return OK
}

// fuzzInput returns the input of a call, in the guest's memory.
func (vm *VM) fuzzInput(fn string, a *ir.Args) ([]byte, Status) {
	p, ok := vm.bytes(a[0], a[1])
	if !ok {
		return nil, vm.badAddress(fn, a[0], a[1])
	}
	return p, OK
}

func hostFuzzcover(vm *VM, a *ir.Args) Status {
	a[0] = 0
	f := vm.Config.Fuzz
	if f == nil {
		return OK
	}
	if f.seen == nil {
		f.counts, _ = vm.Space.Counters(f.Counters) // without them nothing is new
		f.seen = make([]bool, len(f.counts))
	}
	for i, n := range f.counts {
		if n > 0 && !f.seen[i] {
			f.seen[i] = true
			a[0]++
		}
	}
	return OK
}

func hostFuzzkeep(vm *VM, a *ir.Args) Status {
	p, st := vm.fuzzInput("fuzzkeep", a)
	if f := vm.Config.Fuzz; st == OK && f != nil && len(p) <= maxFuzzInput {
		f.Keep(a[2] != 0, slices.Clone(p))
	}
	a[0] = FuzzName(p)
	return st
}

// FuzzName returns the name of an input's file, a hexadecimal number, as go test forms it.
func FuzzName(input []byte) uint64 {
	sum := sha256.Sum256(input)
	return binary.BigEndian.Uint64(sum[:])
}

package rt

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Fuzz is the host's part of fuzzing, for one run: the guest makes inputs and executes
// them, the host tells it what was new and the time, and keeps inputs. What the guest says is
// not to be trusted: inputs are bytes, and Keep decides where they go and how many there may be.
type Fuzz struct {
	Keep func(crash bool, input []byte) // stores an input, which is the callee's
	Stop func() bool                    // whether fuzzing must end
	// Counters is how many blocks are counted.
	Counters int

	// Input is what is being executed; nil: nothing. When the run ends by it, this is the crash.
	Input []byte

	buf    []byte
	start  time.Time
	counts []uint64 // of the run's
	seen   []bool   // by counter
}

// maxFuzzInput bounds the bytes of an input that is noted or kept.
const maxFuzzInput = 1 << 20

// fuzzHosts are the functions of the host in this file, by their names in ir.Primitives.
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

// fuzzInput is the input that a call is about, which is the guest's memory.
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

// FuzzName is the name of an input's file, in hexadecimal, as go test gives it.
func FuzzName(input []byte) uint64 {
	sum := sha256.Sum256(input)
	return binary.BigEndian.Uint64(sum[:])
}

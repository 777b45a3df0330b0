package rt

import (
	"context"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// A Snapshot is the common start of all instances of a program: memory after the initialisation of
// those packages of the standard library that depend on nothing but the program. The other packages
// are live: they are initialised at every start. During its initialisation a live package, or one
// that it imports, asked the host for something (the environment, the clock, a random number, a
// descriptor), or had an effect outside memory, like starting a goroutine.
//
// The module alone determines which packages are live. A Snapshot is immutable and safe for
// concurrent use.
type Snapshot struct {
	Mod      *ir.Module
	Live     []int32 // numbers in Mod.Inits, ascending
	memory   *memory.Snapshot
	counters []uint64 // of coverage, as the initialisation left them
}

// snapshotWork is the state of a machine that makes a snapshot.
type snapshotWork struct {
	pure    []int32 // packages to initialise
	current int32   // the package being initialised; -1: none yet
	done    bool
}

// stop ends the attempt: the current package is live.
func (*snapshotWork) stop() Status { return Exit }

// OwnHosts reports whether HostFunc returns other functions than for other machines of the module.
func (vm *VM) OwnHosts() bool { return vm.build != nil || vm.watched }

// HostFunc returns the host function with a name, or nil.
func (vm *VM) HostFunc(name string) Func {
	fn := Host[name]
	if fn != nil && vm.build != nil && !ir.PrimitiveNamed(name).Is(ir.InSnapshot) {
		return func(vm *VM, _ *ir.Args) Status { return vm.build.stop() }
	}
	if fn != nil && vm.watched {
		return vm.watch(name, fn)
	}
	return fn
}

// NewSnapshot makes the snapshot of a module. run is the tier: it sets VM.Exec, runs the module
// from its entry until it ends, and frees the execution stacks.
//
// A package that turns out to be live has already left traces in memory. So everything starts again
// without it and its importers. That takes one attempt for each live package that imports no other
// live one.
func NewSnapshot(ctx context.Context, mod *ir.Module, run func(*VM) (Status, error)) (*Snapshot, error) {
	live := make([]bool, len(mod.Inits))
	for {
		w := &snapshotWork{current: -1}
		for i, in := range mod.Inits {
			if in.Std && !live[i] {
				w.pure = append(w.pure, int32(i))
			}
		}
		sn, err := w.attempt(ctx, mod, run)
		if err != nil {
			return nil, err
		}
		if sn != nil {
			for i, l := range live {
				if l {
					sn.Live = append(sn.Live, int32(i))
				}
			}
			return sn, nil
		}
		live[w.current] = true
		for again := true; again; {
			again = false
			for i, in := range mod.Inits {
				for _, d := range in.Deps {
					if live[d] && !live[i] {
						live[i], again = true, true
					}
				}
			}
		}
	}
}

// attempt runs the initialisers. It returns nil if the current package is live.
func (w *snapshotWork) attempt(ctx context.Context, mod *ir.Module, run func(*VM) (Status, error)) (*Snapshot, error) {
	vm, err := startVM(&VM{Mod: mod, build: w}, Config{Config: api.Config{Memory: DefaultMemory + dataSize(mod)}, Setup: Setup{Context: ctx}})
	if err != nil {
		return nil, err
	}
	defer vm.Close()
	st, err := run(vm)
	switch {
	case err != nil:
		return nil, err
	case st == Interrupted:
		return nil, vm.Finish(st)
	case w.done:
		m, err := vm.Heap.Snapshot()
		if err != nil {
			return nil, err
		}
		counters, err := vm.Space.Counters(mod.Counters)
		return &Snapshot{Mod: mod, memory: m, counters: slices.Clone(counters)}, err
	case w.current < 0:
		return nil, fmt.Errorf("the runtime cannot start: %w", vm.Finish(st))
	}
	return nil, nil
}

// New makes an instance that starts from the snapshot. The caller sets Exec before anything runs.
func (sn *Snapshot) New(c Config) (*VM, error) { return startVM(&VM{Mod: sn.Mod, snap: sn}, c) }

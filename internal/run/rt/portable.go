package rt

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/run/memory"
	states "github.com/gyrvm/gyr/state"
)

// Sections returns what the functions of the host keep, and what decides what the guest may do, as sections of a state, in ascending order. The moment was
// taken, and nothing has run since. The sections of the program and its machine are the caller's.
func (m *Moment) Sections() ([]states.Section, error) {
	vm := m.vm
	if n := len(vm.handles.list); n > 0 {
		return nil, Refusal(fmt.Sprintf("the guest was given handles of %d objects of the host, the first one a %v", n, vm.handles.list[0].typ))
	}
	files, err := vm.sys.AppendState(nil)
	if err != nil {
		return nil, Refusal(err.Error())
	}
	return []states.Section{
		{Name: "files", Content: files},
		{Name: "heap", Content: m.memory.AppendState(nil)},
		{Name: "limits", Content: vm.limitsState()},
		{Name: "runtime", Content: m.appendState(nil)},
	}, nil
}

// limitsState is what of the configuration decides what the guest may do from now on.
func (vm *VM) limitsState() (b []byte) {
	b = fmt.Appendf(nil, "memory %d stack %d files %d", vm.memoryLimit(), vm.StackLimit(), vm.Config.MaxFiles)
	if vm.Config.Log != nil {
		b = append(b, withLog...)
	}
	b = append(b, vm.dirsState()...)
	return append(b, vm.wordsState()...)
}

// withLog says that there is a Config.Log: the guest asks it what to log.
const withLog = " log"

// usualName is the name of a program that was given none.
const usualName = "main"

// wordsState is what of the configuration is in the guest's memory: name, arguments and environment. They may be long, and secret, so it is their hash.
func (vm *VM) wordsState() string {
	name, args, env := vm.Config.Name, vm.Config.Args, vm.Config.Env
	if len(args)+len(env) == 0 && (name == usualName || name == "") {
		return ""
	}
	return fmt.Sprintf(" words %.16x", sha256.Sum256(fmt.Appendf(nil, "%q %q %q", name, args, env)))
}

// dirsState is what of the configuration the guest has looked at when its packages were initialised: where directories of the host stand.
func (vm *VM) dirsState() (text string) {
	for _, d := range vm.Config.Dirs {
		guest := d.Guest
		if guest == "" {
			guest = d.Host
		}
		text += fmt.Sprintf(" dir %q", guest)
	}
	return text
}

func (m *Moment) appendState(b []byte) []byte {
	b = slices.Grow(b, 512) // more than it takes mostly
	b = binary.AppendVarint(b, m.jumped)
	for _, r := range []*rand.ChaCha8{&m.runtime, &m.bytes} {
		r := *r
		text, _ := r.MarshalBinary() // it never fails
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	b = binary.AppendUvarint(b, uint64(m.mask))
	b = binary.AppendUvarint(b, m.stats.Collections)
	b = binary.AppendUvarint(b, uint64(m.kit.at))
	funcs := m.vm.call.funcs // those of an upgraded instance lie elsewhere than where the program's start puts them
	b = binary.AppendUvarint(b, uint64(len(funcs)))
	for i := range funcs {
		b = binary.AppendUvarint(b, uint64(funcs[i].inAddr))
		b = binary.AppendUvarint(b, uint64(funcs[i].outAddr))
	}
	b = binary.AppendUvarint(b, uint64(len(m.queue)))
	for _, q := range m.queue {
		b = binary.AppendUvarint(b, uint64(q.Obj))
		b = binary.AppendUvarint(b, uint64(q.Kind))
		b = binary.AppendUvarint(b, q.ID)
	}
	return b
}

var errState = errors.New("the section is not what the name says")

// CheckLimits compares what decides what the guest may do with what the section of a state says of it.
func (vm *VM) CheckLimits(section []byte) error {
	if got, want := string(vm.limitsState()), string(section); got != want {
		want, words, _ := strings.Cut(want, " words ")
		if own := vm.wordsState(); strings.TrimPrefix(own, " words ") != words {
			return &ConfigError{"Env", errors.New("the state is that of an instance with another name, other arguments or another environment, which are in its memory")}
		}
		limits, _, _ := strings.Cut(want, " dir ")
		if logs := strings.HasSuffix(limits, withLog); logs != (vm.Config.Log != nil) {
			return &ConfigError{"Log", fmt.Errorf("with one: the instance that the state is of %t, this one %t", logs, !logs)}
		}
		if dirs := vm.dirsState(); strings.Contains(want, " dir ") != (dirs != "") || !strings.HasSuffix(want, dirs) {
			return &ConfigError{"Dirs", fmt.Errorf("the state is that of an instance with other directories of the host: %s; here %s", want, got)}
		}
		return &ConfigError{"Memory", fmt.Errorf("the state is that of an instance with other limits: %s; here %s", want, got)}
	}
	return nil
}

// SetSections makes a machine that waits for its first call what sections of a state and its pages say, which are known to be what [Moment.Sections] has
// told of, for the same limits. After an error it can only be closed.
func (vm *VM) SetSections(section func(name string) []byte, page func(number uint32) ([]byte, error)) error {
	if err := vm.Heap.SetState(section("heap"), page); err != nil {
		return fmt.Errorf("heap: %w", err)
	}
	if err := vm.setState(section("runtime")); err != nil {
		return fmt.Errorf("runtime: %w", err)
	}
	if err := vm.sys.SetState(section("files")); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

func (vm *VM) setState(b []byte) error {
	r := &decode.Reader{B: b}
	jumped := r.Varint()
	for _, stream := range []*rand.ChaCha8{vm.rng.runtime, vm.rng.bytes} {
		text := r.Text()
		if r.Short {
			return errState
		}
		if err := stream.UnmarshalBinary([]byte(text)); err != nil {
			return err
		}
	}
	mask, collections, kit := r.Uvarint(1<<20), r.Uvarint(math.MaxUint64), r.Uvarint(math.MaxUint32)
	funcs := make([]callFunc, r.Uvarint(maxExports))
	for i := range funcs {
		if i < len(vm.call.funcs) {
			funcs[i] = vm.call.funcs[i]
		}
		funcs[i].inAddr, funcs[i].outAddr = uint32(r.Uvarint(math.MaxUint32)), uint32(r.Uvarint(math.MaxUint32))
	}
	queue := r.Uvarint(uint64(len(b)))
	vm.queue.list.List, vm.queue.head = vm.queue.list.List[:0], 0
	for range queue {
		vm.queue.list.Append(memory.Special{Obj: uint32(r.Uvarint(math.MaxUint32)), Kind: uint32(r.Uvarint(math.MaxUint32)), ID: r.Uvarint(math.MaxUint64)})
	}
	if !r.End() {
		return errState
	}
	if len(funcs) == len(vm.call.funcs) { // an upgrade has the functions of another version described anew
		vm.call.funcs = funcs
	}
	vm.clock.jumped, vm.stats.Collections = jumped, collections
	vm.types.mask = make([]uint64, mask)
	if kit != 0 && !vm.crossing.kit.named {
		if st := hostValues(vm, &[16]uint64{kit}); st != OK {
			return errState
		}
	}
	return nil
}

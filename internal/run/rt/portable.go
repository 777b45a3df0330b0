package rt

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/internal/run/memory"
	states "github.com/gyrvm/gyr/state"
)

// Sections returns the state of the host functions, and what limits the guest, as sections of a
// state in ascending order. The moment has been taken, and nothing has run since. The caller adds
// the sections of the program and its machine.
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

// limitsState returns the parts of the configuration that decide what the guest may do from now on.
func (vm *VM) limitsState() (b []byte) {
	b = fmt.Appendf(nil, "memory %d stack %d files %d", vm.memoryLimit(), vm.StackLimit(), vm.Config.MaxFiles)
	if vm.Config.Log != nil {
		b = append(b, withLog...)
	}
	b = append(b, vm.dirsState()...)
	return append(b, vm.wordsState()...)
}

// withLog marks a configuration with a Config.Log: the guest asks it what to log.
const withLog = " log"

// usualName is the default name of a program.
const usualName = "main"

// wordsState returns a hash of the parts of the configuration that are in the guest's memory: name,
// arguments and environment. It is a hash because they may be long, and secret.
func (vm *VM) wordsState() string {
	name, args, env := vm.Config.Name, vm.Config.Args, vm.Config.Env
	if len(args)+len(env) == 0 && (name == usualName || name == "") {
		return ""
	}
	return fmt.Sprintf(" words %.16x", sha256.Sum256(fmt.Appendf(nil, "%q %q %q", name, args, env)))
}

// dirsState returns the part of the configuration that the guest read during initialisation: the
// mount points of the host's directories.
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
	b = slices.Grow(b, 512) // usually enough
	b = binary.AppendVarint(b, m.jumped)
	for _, r := range []*rand.ChaCha8{&m.runtime, &m.bytes} {
		r := *r
		text, _ := r.MarshalBinary() // never fails
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	b = binary.AppendUvarint(b, uint64(m.mask))
	b = binary.AppendUvarint(b, m.stats.Collections)
	b = binary.AppendUvarint(b, uint64(m.kit.at))
	funcs := m.vm.call.funcs // an upgraded instance has them elsewhere than the program's start
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

// CheckLimits compares what limits the guest with the section of a state about it.
func (vm *VM) CheckLimits(section []byte) error {
	if got, want := string(vm.limitsState()), string(section); got != want {
		want, words, _ := strings.Cut(want, " words ")
		if own := vm.wordsState(); strings.TrimPrefix(own, " words ") != words {
			return &api.ConfigError{Field: "Env", Err: errors.New("the state is that of an instance with another name, other arguments or another environment, which are in its memory")}
		}
		limits, _, _ := strings.Cut(want, " dir ")
		if logs := strings.HasSuffix(limits, withLog); logs != (vm.Config.Log != nil) {
			return &api.ConfigError{Field: "Log", Err: fmt.Errorf("with one: the instance that the state is of %t, this one %t", logs, !logs)}
		}
		if dirs := vm.dirsState(); strings.Contains(want, " dir ") != (dirs != "") || !strings.HasSuffix(want, dirs) {
			return &api.ConfigError{Field: "Dirs", Err: fmt.Errorf("the state is that of an instance with other directories of the host: %s; here %s", printable.Short(want), got)}
		}
		return &api.ConfigError{Field: "Memory", Err: fmt.Errorf("the state is that of an instance with other limits: %s; here %s", printable.Short(want), got)}
	}
	return nil
}

// A SectionError names a section of a state whose contents are not what its name says.
type SectionError struct {
	Section string
	Err     error
}

func (e *SectionError) Error() string { return e.Section + ": " + e.Err.Error() }
func (e *SectionError) Unwrap() error { return e.Err }

// Source is a state. Its contents are untrusted.
type Source struct {
	Section func(name string) []byte
	Page    func(number uint32) ([]byte, error) // nil: zeros. Its error is returned wrapped
	Stop    func() error                        // called about every 50 µs; an error ends the work

	// Earlier marks the state of another version of the program. The guest describes its functions
	// and types again.
	Earlier bool

	// Share says that forks will share the memory: [memory.Heap.SetState].
	Share bool
}

// SetSections gives a machine that waits for its first call the contents of the sections and pages
// of a state. The section of the machine has been read: chunks are its chunks of the heap, and
// charged is the bytes charged for it. An error about a section is a [*SectionError]. After any
// error the machine can only be closed.
func (vm *VM) SetSections(s *Source, chunks []memory.Chunk, charged int64) error {
	wrong := func(section string, err error) error {
		if stopped := s.Stop(); stopped != nil {
			return stopped
		}
		return &SectionError{section, err}
	}
	if err := vm.Heap.SetState(s.Section("heap"), s.Share, s.Page, s.Stop); err != nil {
		return wrong("heap", err)
	}
	if !vm.Heap.ChunksAre(chunks) {
		return wrong("machine", errors.New("the stack is not where the heap has one"))
	}
	if err := vm.setState(s.Section("runtime"), s.Earlier); err != nil {
		return wrong("runtime", err)
	}
	files, err := vm.sys.SetState(s.Section("files"), s.Stop)
	if err != nil {
		return wrong("files", err)
	}
	if need := files + vm.Heap.Charges() + uint64(charged) + memory.UnitSpecial*uint64(len(vm.queue.list.List)); vm.Heap.Host() < need {
		return wrong("heap", fmt.Errorf("%d bytes of the host count, there are %d", vm.Heap.Host(), need))
	}
	return nil
}

// maxKeptMask is the most words of a type's bitmap that are kept between two allocations.
const maxKeptMask = 512

// setState reads the section of the runtime. Its contents are untrusted.
func (vm *VM) setState(b []byte, earlier bool) error {
	r := &decode.Reader{B: b}
	jumped := r.Varint()
	for _, stream := range []*rand.ChaCha8{vm.rng.runtime, vm.rng.bytes} {
		if !setStream(stream, r.Bytes(r.Uvarint(maxStream))) {
			return errors.New("the random numbers")
		}
	}
	mask, collections, kit := r.Uvarint(maxKeptMask), r.Uvarint(math.MaxUint64), r.Uvarint(math.MaxUint32)
	if r.Short || jumped < 0 {
		return errState
	}
	if err := vm.setFuncs(r, earlier); err != nil {
		return err
	}
	vm.queue.list.List, vm.queue.head = vm.queue.list.List[:0], 0
	for n := r.Uvarint(vm.Heap.Host() / memory.UnitSpecial); n > 0 && !r.Short; n-- {
		q := memory.Special{Obj: uint32(r.Uvarint(math.MaxUint32)), Kind: uint32(r.Uvarint(specialWeak)), ID: r.Uvarint(math.MaxUint64)}
		if q.Kind == 0 {
			return errState
		}
		vm.queue.list.Append(q)
	}
	if !r.End() {
		return errState
	}
	vm.clock.jumped, vm.stats.Collections = jumped, collections
	vm.types.mask = make([]uint64, mask)
	if own := &vm.crossing.kit; !earlier && own.named && own.at != uint32(kit) {
		if kit == 0 {
			return errState
		}
		own.named = false // an upgraded instance has made it elsewhere than the program's start
	}
	if kit != 0 && !vm.crossing.kit.named {
		if st := hostValues(vm, &ir.Args{kit}); st != OK {
			vm.Err = nil
			return errors.New("what the runtime names of types")
		}
	}
	return nil
}

// setFuncs reads the addresses of arguments and results of the functions that the guest has
// described. They are in its data or heap.
func (vm *VM) setFuncs(r *decode.Reader, earlier bool) error {
	n := r.Uvarint(maxExports)
	if !earlier && n != uint64(len(vm.call.funcs)) {
		return fmt.Errorf("%d functions are described, not %d", n, len(vm.call.funcs))
	}
	var funcs []callFunc
	for i := 0; uint64(i) < n && !r.Short; i++ {
		f := callFunc{inAddr: uint32(r.Uvarint(math.MaxUint32)), outAddr: uint32(r.Uvarint(math.MaxUint32))}
		if earlier {
			continue // the guest describes them again
		}
		own := &vm.call.funcs[i]
		f.in, f.out, f.inSize, f.outSize = own.in, own.out, own.inSize, own.outSize
		for _, p := range [][2]uint32{{f.inAddr, f.inSize}, {f.outAddr, f.outSize}} {
			if _, ok := vm.Space.Bytes(uint64(p[0]), uint64(p[1])); !ok || p[0]%8 != 0 {
				return fmt.Errorf("the arguments or results of function %d, at %#x", i, p[0])
			}
		}
		funcs = append(funcs, f)
	}
	if !earlier {
		vm.call.funcs = funcs
	}
	return nil
}

// maxStream is the most bytes that MarshalBinary of a stream returns.
const maxStream = 64

// setStream restores a stream from a result of MarshalBinary. UnmarshalBinary panics if more bytes
// follow its first prefix than a number has.
func setStream(stream *rand.ChaCha8, text []byte) bool {
	const prefix = "readbuf:"
	if rest, ok := bytes.CutPrefix(text, []byte(prefix)); ok && (len(rest) == 0 || rest[0] == 0 || rest[0] >= 8) {
		return false
	}
	*stream = rand.ChaCha8{}
	if stream.UnmarshalBinary(text) != nil {
		return false
	}
	again, err := stream.MarshalBinary()
	return err == nil && bytes.Equal(again, text)
}

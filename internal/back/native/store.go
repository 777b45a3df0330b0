package native

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
)

// Code between two processes.
//
// The code of a function stands as the back end made it, before its places that
// depend on where it lies were filled in (abi.Reloc), so another process of the same build can take it
// for the same module: see [Program.Save] and [Program.Restore]. Nothing here could tell good code
// from bad. Whoever stores it sees to it that it comes back as it was, and that
// nobody else could have written it (package cache).
//
// Stored code is put into memory when it is called for the first time, together with
// what was compiled next when it was stored: functions that were called after
// one another are again, and one batch costs the system calls of one function.
//
// A base and a program on it store their own code each.

// batchSize is how many bytes of stored code go into memory at once.
const batchSize = 64 << 10

// stored is code that waits to be called.
type stored struct {
	list []storedFunc // in the order in which they were compiled once
	at   map[int32]int
}

type storedFunc struct {
	index int32
	bytes []byte // nil: it is in use
}

// Save appends the code of all functions but the base's, and says how many these are.
func (p *Module) Save(b []byte) ([]byte, int) {
	p.code.Busy.Lock(nil)
	defer p.code.Busy.Unlock()
	keys := p.code.Sigs.Keys()
	le := binary.LittleEndian
	b = appendText(b, p.host.cpu.Features())
	b = le.AppendUint32(b, p.code.Sigs.First())
	b = le.AppendUint32(b, uint32(len(keys)))
	for _, k := range keys {
		b = appendText(b, k)
	}
	count := len(b)
	b = le.AppendUint32(b, 0)
	n := 0
	add := func(i int32, write func(b []byte) []byte) {
		n++
		b = le.AppendUint32(b, uint32(i))
		size := len(b)
		b = write(le.AppendUint32(b, 0))
		le.PutUint32(b[size:], uint32(len(b)-size-4))
	}
	for _, c := range *p.index.Load() {
		if c.Fn != nil {
			add(c.Fn.Index, func(b []byte) []byte { return appendFunc(b, c.Func) })
		}
	}
	for _, s := range p.stored.list {
		if s.bytes != nil {
			add(s.index, func(b []byte) []byte { return append(b, s.bytes...) })
		}
	}
	le.PutUint32(b[count:], uint32(n))
	return b, n
}

var errStored = errors.New("native: stored code is cut off or of another module or processor")

// Restore lets functions have the code that Save wrote for the same module, and says how many these
// are. It comes before anything is compiled. The program keeps b.
func (p *Module) Restore(b []byte) (int, error) {
	p.code.Busy.Lock(nil)
	defer p.code.Busy.Unlock()
	r := reader{decode.Reader{B: b}}
	if string(r.text()) != p.host.cpu.Features() || r.U32() != p.code.Sigs.First() {
		return 0, errStored
	}
	keys := make([]string, r.Count(4))
	for i := range keys {
		keys[i] = string(r.text())
	}
	st := stored{at: map[int32]int{}}
	for range r.Count(8) {
		i := int32(r.U32())
		text := r.text()
		if int(i) < max(1, p.code.First()) || int(i) >= len(p.Mod.Funcs) || p.Mod.Funcs[i] == nil {
			return 0, errStored
		}
		st.at[i] = len(st.list)
		st.list = append(st.list, storedFunc{i, text})
	}
	if !r.End() || len(st.at) != len(st.list) || p.compiled.Load() != 0 {
		return 0, errStored
	}
	if !p.code.Sigs.Restore(keys) {
		return 0, errStored
	}
	p.stored = st
	return len(st.list), nil
}

// restore puts the stored code of function i into memory, and what was compiled after it. It
// returns nil if there is none that can be used. The caller has the right to compile.
func (p *Module) restore(i int32) (*code, error) {
	at, ok := p.stored.at[i]
	if !ok || p.env.Notes { // stored code has none
		return nil, nil
	}
	var batch []*code
	size := 0
	for k := range p.stored.list[at:] {
		s := &p.stored.list[at+k]
		if s.bytes == nil || p.code.Code(s.index) != nil {
			break
		}
		r := reader{decode.Reader{B: s.bytes}}
		fc := r.function(int(p.host.cpu.Desc().RelocBytes))
		if size += len(fc.Code); k > 0 && size > batchSize {
			break
		}
		if !r.End() {
			delete(p.stored.at, s.index)
			s.bytes = nil
			break
		}
		fc.Fn = p.Mod.Funcs[s.index]
		batch = append(batch, &code{Func: fc})
	}
	if len(batch) == 0 {
		return nil, nil
	}
	if err := p.publish(batch...); err != nil {
		return nil, err
	}
	for k, c := range batch {
		p.stored.list[at+k].bytes = nil
		p.code.Set(c.Fn.Index, c)
	}
	return batch[0], nil
}

func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// appendRows appends what a slice of numbers and of structs of numbers holds, as it stands in memory.
func appendRows[T any](b []byte, s []T) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	return append(b, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))...)
}

func rows[T any](r *reader) []T {
	size := int(unsafe.Sizeof(*new(T)))
	n := r.Count(size)
	if n == 0 {
		return nil
	}
	s := make([]T, n)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), n*size), r.Bytes(uint64(n*size)))
	return s
}

func appendFunc(b []byte, f *abi.Func) []byte {
	b = appendRows(b, []int64{int64(f.Frame), f.Guest, f.Adjust, int64(f.Locals), int64(f.Recover)})
	b = appendText(b, f.Code)
	b = appendRows(b, f.Sites)
	b = appendRows(b, f.Maps)
	b = appendRows(b, f.Relocs)
	b = appendRows(b, f.LocalTable.Ptrs)
	b = appendRows(b, f.LocalTable.Spans)
	b = appendRows(b, f.LocalTable.Runs)
	return appendRows(b, f.Lines)
}

// A reader takes stored code apart.
type reader struct{ decode.Reader }

func (r *reader) text() []byte { return r.Bytes(uint64(r.Count(1))) }

// function takes a function apart whose relocations are of so many bytes.
func (r *reader) function(relocBytes int) *abi.Func {
	f := &abi.Func{}
	if head := rows[int64](r); len(head) == 5 {
		f.Frame, f.Guest, f.Adjust, f.Locals, f.Recover = int32(head[0]), head[1], head[2], int32(head[3]), int32(head[4])
	} else {
		r.Short = true
	}
	f.Code = r.text()
	f.Sites = rows[abi.Site](r)
	f.Maps = rows[int32](r)
	f.Relocs = rows[abi.Reloc](r)
	f.LocalTable = ir.LocalTable{Ptrs: rows[uint32](r), Spans: rows[ir.LocalSpan](r), Runs: rows[ir.LocalRun](r)}
	f.Lines = rows[abi.Line](r)
	for _, rel := range f.Relocs {
		if rel.PC < 0 || int(rel.PC)+relocBytes > len(f.Code) {
			r.Short = true
		}
	}
	r.Short = r.Short || len(f.Code) == 0 || f.Recover < 0 || int(f.Recover) >= len(f.Code)
	return f
}

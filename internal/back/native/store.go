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
// The code of a function is stored as the back end made it, before the places that depend on its
// address were filled in (abi.Reloc). So another process of the same build can take it for the same
// module: see [Program.Save] and [Program.Restore]. Nothing here could tell good code from bad. The
// storage must ensure that code comes back unchanged and that nobody else could have written it
// (package cache).
//
// Stored code is put into memory at its first call, together with the code compiled next when it
// was stored. Functions that were called after one another will be again, and one batch costs the
// system calls of one function. Code that was stored before keeps its place when more is stored:
// programs that need little find what they call together, whatever larger ones have added.
//
// A base and a program on it each store their own code.

// batchSize is how many bytes of stored code go into memory at once.
const batchSize = 64 << 10

// stored is code that waits to be called.
type stored struct {
	list []storedFunc // in the order in which they were compiled once
	at   map[int32]int
	read func(from, to int) ([]byte, error)
}

type storedFunc struct {
	index    int32
	from, to int  // where its code is in what was stored
	used     bool // it is in memory, or unusable
}

// Save returns the code of all functions except the base's, in the order in which they were first
// compiled: a head, which lists the functions, their code, and their number.
func (p *Module) Save() (head, code []byte, n int) {
	p.code.Busy.Lock(nil)
	defer p.code.Busy.Unlock()
	keys := p.code.Sigs.Keys()
	le := binary.LittleEndian
	head = appendText(nil, p.host.cpu.Features())
	head = le.AppendUint32(head, p.code.Sigs.First())
	head = le.AppendUint32(head, uint32(len(keys)))
	for _, k := range keys {
		head = appendText(head, k)
	}
	count := len(head)
	head = le.AppendUint32(head, 0)
	add := func(i int32, size int) {
		n++
		head = le.AppendUint32(le.AppendUint32(head, uint32(i)), uint32(size))
	}
	kept := make(map[int32]bool, len(p.stored.list))
	for _, s := range p.stored.list {
		if _, ok := p.stored.at[s.index]; !ok {
			continue // unusable
		}
		if b, err := p.stored.read(s.from, s.to); err == nil {
			code = append(code, b...)
			add(s.index, len(b))
			kept[s.index] = true
		}
	}
	for _, c := range *p.index.Load() {
		if c.Fn != nil && !kept[c.Fn.Index] {
			size := len(code)
			code = appendFunc(code, c.Func)
			add(c.Fn.Index, len(code)-size)
		}
	}
	le.PutUint32(head[count:], uint32(n))
	return head, code, n
}

var errStored = errors.New("native: stored code is cut off or of another module or processor")

// Restore gives functions the code that Save returned for the same module, and returns their
// number. It must run before anything is compiled. read returns a part of the code, which has size
// bytes; if it fails, functions are compiled again.
func (p *Module) Restore(head []byte, size int, read func(from, to int) ([]byte, error)) (int, error) {
	p.code.Busy.Lock(nil)
	defer p.code.Busy.Unlock()
	r := reader{decode.Reader{B: head}}
	if string(r.text()) != p.host.cpu.Features() || r.U32() != p.code.Sigs.First() {
		return 0, errStored
	}
	keys := make([]string, r.Count(4))
	for i := range keys {
		keys[i] = string(r.text())
	}
	list := make([]storedFunc, r.Count(8))
	st := stored{list: list, at: make(map[int32]int, len(list)), read: read}
	at := 0
	for k := range list {
		i, n := int32(r.U32()), int(r.U32())
		if int(i) < max(1, p.code.First()) || int(i) >= p.Mod.NumFuncs() || n > size-at {
			return 0, errStored
		}
		list[k] = storedFunc{index: i, from: at, to: at + n}
		st.at[i] = k
		at += n
	}
	if !r.End() || at != size || len(st.at) != len(st.list) || p.compiled.Load() != 0 {
		return 0, errStored
	}
	if !p.code.Sigs.Restore(keys) {
		return 0, errStored
	}
	p.stored = st
	return len(st.list), nil
}

// restore puts the stored code of function i into memory, and the code compiled after it. It
// returns nil if no usable code is stored. The caller holds the right to compile.
func (p *Module) restore(i int32) (*code, error) {
	at, ok := p.stored.at[i]
	if !ok || p.env.Notes || p.env.Tally != nil { // stored code has neither
		return nil, nil
	}
	var batch []*code
	size := 0
	for k := range p.stored.list[at:] {
		s := &p.stored.list[at+k]
		if s.used || p.code.Code(s.index) != nil || k > 0 && size+s.to-s.from > batchSize {
			break
		}
		b, err := p.stored.read(s.from, s.to)
		r := reader{decode.Reader{B: b}}
		fc := r.function(&p.host.cpu.Desc().RelocBytes)
		if err != nil || !r.End() {
			delete(p.stored.at, s.index)
			s.used = true
			break
		}
		size += s.to - s.from
		fc.Fn = p.Mod.Func(int(s.index))
		batch = append(batch, &code{Func: fc})
	}
	if len(batch) == 0 {
		return nil, nil
	}
	if err := p.publish(batch...); err != nil {
		return nil, err
	}
	for k, c := range batch {
		p.stored.list[at+k].used = true
		p.code.Set(c.Fn.Index, c)
	}
	return batch[0], nil
}

func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// appendRows appends the content of a slice of numbers or of structs of numbers, as it is in
// memory.
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
	b = appendRows(b, f.LocalTable.Masks)
	b = appendRows(b, f.LocalTable.Spans)
	b = appendRows(b, f.LocalTable.Runs)
	b = appendRows(b, f.Lines)
	return appendRows(b, f.Owed)
}

// A reader takes stored code apart.
type reader struct{ decode.Reader }

func (r *reader) text() []byte { return r.Bytes(uint64(r.Count(1))) }

// function decodes a function whose relocations have so many bytes, by kind.
func (r *reader) function(relocBytes *[abi.NumRelocs]int32) *abi.Func {
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
	f.LocalTable = ir.LocalTable{Ptrs: rows[ir.LocalPtrs](r), Masks: rows[uint64](r), Spans: rows[ir.LocalSpan](r), Runs: rows[ir.LocalRun](r)}
	f.Lines = rows[abi.Line](r)
	f.Owed = rows[abi.Owed](r)
	for _, rel := range f.Relocs {
		if rel.Kind >= abi.NumRelocs || rel.PC < 0 || int(rel.PC)+int(relocBytes[rel.Kind]) > len(f.Code) {
			r.Short = true
		}
	}
	r.Short = r.Short || len(f.Code) == 0 || f.Recover < 0 || int(f.Recover) >= len(f.Code)
	return f
}

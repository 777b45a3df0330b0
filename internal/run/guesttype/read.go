package guesttype

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Types are the types of one program whose values cross. They are read on demand from the program's
// data, and never from the memory of a guest. So their number is that of the compiler's
// descriptors, all instances of the program share them, and no instance changes them. Every address
// and length is checked, because the data may come from an untrusted image.
//
// Types are safe for concurrent use.
type Types struct {
	mod   *ir.Module
	host  HostTypes
	maps  release.MapType
	tails [len(tails)]uint32 // see tails
	known sync.Map           // uint32, the address of a descriptor → *Type

	mu    sync.Mutex        // for the fields below
	pages map[uint32][]byte // of the data: see bytes

	naming sync.Once
	names  map[string][]uint32 // addresses of descriptors by plainName

	counting sync.Once
	large    map[uint32]bool // descriptors without a type on the host
}

// HostTypes tells which types of the host mean more than their structure.
type HostTypes struct {
	Handle func(reflect.Type) bool // reports whether values are handles of objects
	Buffer func(reflect.Type) bool // reports whether values are buffers that may be lent as slices
}

// New returns the types of a module, all of them still unread.
func New(mod *ir.Module, host HostTypes) *Types {
	r := release.OfModule(mod.Go)
	ts := &Types{mod: mod, host: host, maps: r.Map, tails: tails}
	ts.tails[reflect.Map] = r.Map.Size - TypeHead
	return ts
}

// Offsets in internal/abi.Type and its tails that only crossing values need.
const (
	typeStr         = 40
	elemOffset      = 48 // of pointers and slices
	mapKey          = 48
	mapElem         = 56
	mapGroupSize    = 80
	interMethods    = 56 // a slice
	interHead       = 80
	ItabType        = 8
	flagUncommon    = 1 << 0
	flagExtraStar   = 1 << 1
	flagNamed       = 1 << 2
	flagDirect      = 1 << 5
	mapIndirectKey  = 1 << 2
	mapIndirectElem = 1 << 3
)

const (
	maxCallFields = 1 << 12
	maxTypeChain  = 1000 // nested types
	maxNameLength = 1 << 12
)

// tails are the sizes of a descriptor's tail after abi.Type, by kind, where they are not 0. The
// tail of a map depends on the release.
var tails = [...]uint32{
	reflect.Array: 24, reflect.Chan: 16, reflect.Func: 8, reflect.Interface: 32, reflect.Map: 0,
	reflect.Pointer: 8, reflect.Slice: 8, reflect.Struct: 32, reflect.UnsafePointer: 0,
}

var KindSizes = [...]uint32{
	reflect.Bool: 1, reflect.Int: 8, reflect.Int8: 1, reflect.Int16: 2, reflect.Int32: 4, reflect.Int64: 8,
	reflect.Uint: 8, reflect.Uint8: 1, reflect.Uint16: 2, reflect.Uint32: 4, reflect.Uint64: 8, reflect.Uintptr: 8,
	reflect.Float32: 4, reflect.Float64: 8, reflect.Complex64: 8, reflect.Complex128: 16, reflect.String: 16,
	reflect.Pointer: 8, reflect.Slice: 24, reflect.Map: 8, reflect.Interface: 16,
}

// At returns the type with the descriptor at an address.
func (ts *Types) At(addr uint32) (*Type, error) {
	if t, ok := ts.known.Load(addr); ok {
		return t.(*Type), nil
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	r := typesReader{ts: ts, seen: map[uint32]*Type{}}
	t, err := r.all(addr)
	if err == nil {
		err = settle(r.order)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range r.order {
		ts.known.Store(t.Addr, t)
	}
	return t, nil
}

// A typesReader reads descriptors.
type typesReader struct {
	ts    *Types
	seen  map[uint32]*Type // types read in this call
	order []*Type          // the same, in the order of their discovery
}

// dataPage is the size of the pieces in which the data is read.
const dataPage = 4 << 10

// bytes returns n bytes of the program's data, read-only.
func (r *typesReader) bytes(addr, n uint64) ([]byte, bool) {
	size := uint64(r.ts.mod.DataSize())
	if addr < ir.DataBase || n > size || addr-ir.DataBase > size-n {
		return nil, false
	}
	if r.ts.pages == nil {
		r.ts.pages = map[uint32][]byte{}
	}
	at := addr - ir.DataBase
	var out []byte
	for first := at / dataPage * dataPage; first < at+n; first += dataPage {
		page := r.ts.pages[uint32(first)]
		if page == nil {
			page = make([]byte, min(dataPage, size-first))
			if r.ts.mod.ReadData(page, int(first)) != nil {
				return nil, false
			}
			r.ts.pages[uint32(first)] = page
		}
		from, to := max(at, first)-first, min(at+n-first, dataPage)
		if out == nil && to-from == n {
			return page[from:to:to], true
		}
		out = append(out, page[from:to]...)
	}
	return out, true
}

// all reads the type at addr and everything that it leads to. Finding a type and reading its parts
// are separate steps, so that a chain of descriptors of any length needs no stack.
func (r *typesReader) all(addr uint32) (*Type, error) {
	t, err := r.find(addr)
	for i := 0; i < len(r.order) && err == nil; i++ {
		err = r.read(r.order[i])
	}
	for i := 0; i < len(r.order) && err == nil; i++ {
		err = r.order[i].fits()
	}
	return t, err
}

// badType reports an address without a valid descriptor.
func badType(addr uint32) error {
	return fmt.Errorf("%w: type descriptor at %#x", memory.ErrCorrupt, addr)
}

// find returns the type at addr. Its component types may not have been read yet.
func (r *typesReader) find(addr uint32) (*Type, error) {
	if t, ok := r.ts.known.Load(addr); ok {
		return t.(*Type), nil
	}
	if t := r.seen[addr]; t != nil {
		return t, nil
	}
	if _, ok := r.ts.mod.TypeLayout(addr); !ok {
		return nil, badType(addr) // other data may look like a descriptor, at any number of addresses
	}
	b, ok := r.bytes(uint64(addr), TypeHead)
	if !ok || U64(b, TypeSize) > 1<<31 {
		return nil, badType(addr)
	}
	flags := b[TypeTFlag]
	t := &Type{Kind: reflect.Kind(b[TypeKind]), Size: uint32(U64(b, TypeSize)), Addr: addr,
		named: flags&flagNamed != 0, Direct: flags&flagDirect != 0, in: r.ts}
	if int(t.Kind) < len(KindSizes) && KindSizes[t.Kind] != 0 && t.Size != KindSizes[t.Kind] {
		return nil, badType(addr)
	}
	r.identify(t, b, flags)
	r.seen[addr] = t
	r.order = append(r.order, t)
	return t, nil
}

// read reads the components of t.
func (r *typesReader) read(t *Type) (err error) {
	tail := uint32(0)
	if int(t.Kind) < len(tails) {
		tail = r.ts.tails[t.Kind]
	}
	b, ok := r.bytes(uint64(t.Addr), uint64(TypeHead+tail))
	if !ok {
		return badType(t.Addr)
	}
	elem := func(offset int) (e *Type) {
		if err == nil {
			e, err = r.find(uint32(U64(b, offset)))
		}
		return e
	}
	switch t.Kind {
	case reflect.Int64:
		if t.is("time", "time.Duration") {
			t.Role = durationRole
		}
	case reflect.Pointer, reflect.Slice:
		t.Elem = elem(elemOffset)
	case reflect.Array:
		t.Elem = elem(ArrayElem)
		n := U64(b, ArrayLen)
		if n > 1<<31 {
			return badType(t.Addr)
		}
		t.Len = int(n)
	case reflect.Map:
		t.Key, t.Elem = elem(mapKey), elem(mapElem)
		if err == nil && !t.Slots.read(t, b) {
			return badType(t.Addr)
		}
	case reflect.Interface:
		switch n := U64(b, interMethods+8); {
		case n == 0:
			t.Role = AnyRole
		case n == 1 && t.is("", "error"):
			t.Role = ErrorRole
		}
	case reflect.Struct:
		err = r.fields(t, b)
	}
	t.reason = t.kindReason()
	return err
}

// fits reports whether sizes and offsets of t agree with those of its component types, which are
// all found.
func (t *Type) fits() error {
	switch t.Kind {
	case reflect.Array:
		if uint64(t.Len)*uint64(t.Elem.Size) != uint64(t.Size) {
			return badType(t.Addr)
		}
	case reflect.Struct:
		for _, f := range t.Fields {
			if uint64(f.Offset)+uint64(f.Type.Size) > uint64(t.Size) {
				return badType(t.Addr)
			}
		}
		if t.is("time", "time.Time") {
			if !isTime(t) {
				return badType(t.Addr)
			}
			t.Role = TimeRole
		}
	}
	return nil
}

// fields reads the fields of the struct t with the descriptor b.
func (r *typesReader) fields(t *Type, b []byte) error {
	list, n := U64(b, StructFields), U64(b, StructFields+8)
	if n > maxCallFields {
		t.reason = "has too many fields to cross"
		n = 0
	}
	t.Fields = make([]Field, n)
	for i := range t.Fields {
		f := &t.Fields[i]
		fb, ok := r.bytes(list&math.MaxUint32+uint64(i)*FieldSize, FieldSize)
		if !ok {
			return badType(t.Addr)
		}
		if f.Name, ok = r.name(uint32(U64(fb, 0))); !ok {
			return badType(t.Addr)
		}
		var err error
		if f.Type, err = r.find(uint32(U64(fb, FieldType))); err != nil {
			return err
		}
		off := U64(fb, FieldOffset)
		if off > uint64(t.Size) {
			return badType(t.Addr)
		}
		f.Offset = uint32(off)
	}
	return nil
}

// identify reads the name of a type, unless it is uselessly long, and its package.
func (r *typesReader) identify(t *Type, b []byte, flags byte) {
	t.Name, _ = r.name(binary.LittleEndian.Uint32(b[typeStr:]))
	if flags&flagExtraStar != 0 {
		t.Name = strings.TrimPrefix(t.Name, "*")
	}
	if flags&flagUncommon != 0 && int(t.Kind) < len(tails) {
		if u, ok := r.bytes(uint64(t.Addr)+uint64(TypeHead+r.ts.tails[t.Kind]), 4); ok {
			if at := binary.LittleEndian.Uint32(u); at != 0 {
				t.path, _ = r.name(at)
			}
		}
	}
}

// name reads an abi.Name: flags, length as a varint, bytes.
func (r *typesReader) name(addr uint32) (string, bool) {
	n, shift := 0, 0
	at := uint64(addr) + 1
	for {
		b, ok := r.bytes(at, 1)
		if !ok || shift > 14 {
			return "", false
		}
		at++
		n |= int(b[0]&0x7f) << shift
		if b[0]&0x80 == 0 {
			break
		}
		shift += 7
	}
	b, ok := r.bytes(at, uint64(n))
	if !ok || n > maxNameLength {
		return "", false
	}
	return string(b), true
}

// TypeFor returns the type for values of the host type h in an any.
func (ts *Types) TypeFor(h reflect.Type) (*Type, error) {
	ts.naming.Do(ts.listNames)
	named := h.PkgPath() != "" || h.Name() != ""
	var found *Type
	for _, addr := range ts.names[plainName(h.String())] {
		t, err := ts.At(addr)
		if err != nil || t.named != named || t.Check(h) != nil || found != nil && found.Name == t.Name && found.path == t.path {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s in an any: the guest has both %s and %s", h, found.Name, t.Name)
		}
		found = t
	}
	if found == nil {
		return nil, fmt.Errorf("%s in an any: the guest has no such type", h)
	}
	return found, nil
}

// listNames lists the descriptors in the program's data by name.
func (ts *Types) listNames() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var addrs []uint32
	for m := ts.mod; m != nil; m = m.Base {
		addrs = slices.AppendSeq(addrs, maps.Keys(m.TypeLayouts))
	}
	slices.Sort(addrs)
	r := typesReader{ts: ts}
	ts.names = make(map[string][]uint32, len(addrs))
	for _, addr := range addrs {
		b, ok := r.bytes(uint64(addr), TypeHead)
		if !ok {
			continue
		}
		if name, ok := r.name(binary.LittleEndian.Uint32(b[typeStr:])); ok {
			name = plainName(name)
			ts.names[name] = append(ts.names[name], addr)
		}
	}
}

// The host's package reflect never frees a type that it made, nor the text of the type's whole
// structure. The types of the standard library are the same for all programs. The size of a
// program's descriptors bounds its own types, together with the charges for types without a value.
const (
	typeAllowance = 1 << 20 // bytes for every program
	typeExpansion = 16      // additional bytes for each byte of a program's descriptors
)

// refused reports whether the host makes no type for t, because it and the types before it in the
// program's data would take too much memory.
func (ts *Types) refused(t *Type) bool {
	ts.counting.Do(ts.count)
	return ts.large[t.Addr]
}

// count decides which types are refused.
func (ts *Types) count() {
	ts.large = map[uint32]bool{}
	left, used := int64(typeAllowance), int64(0)
	for _, addr := range slices.Sorted(maps.Keys(ts.mod.TypeLayouts)) {
		t, err := ts.At(addr)
		if err != nil || t.bad || t.Traits&endless != 0 {
			continue
		}
		left += typeExpansion * int64(TypeHead+FieldSize*len(t.Fields))
		if cost := t.hostSize(); used+cost > left {
			ts.large[addr] = true
		} else {
			used += cost
		}
	}
}

// hostSize estimates the bytes of the host's type for t, without those of its parts.
func (t *Type) hostSize() int64 {
	if RoleTypes[t.Role] != nil || t.Kind <= reflect.Complex128 || t.Kind == reflect.String {
		return 0
	}
	n := 256 + t.text
	for _, f := range t.Fields {
		n += 96 + int64(len(f.Name))
	}
	return n
}

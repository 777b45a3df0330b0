package rt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Types of the guest whose values cross. They are read from their descriptors in guest memory, once,
// with every address and length checked; what reads and writes values (convert.go) goes by what was read.
//
// Whether values of a type cross is decided in one place, crosses. Whether a type of the host fits one of
// the guest, GuestType.Check decides.

// A GuestType describes a type of the guest whose values the host reads and writes.
type GuestType struct {
	Kind   reflect.Kind
	Elem   *GuestType // of arrays, maps, pointers and slices
	Key    *GuestType // of maps
	Len    int        // of arrays
	Fields []GuestField

	name   string // as reflect prints it in the guest: "lib.Point", "[]int"
	path   string // of the package of a defined type
	named  bool   // it is a defined or a basic type
	role   role
	direct bool // an interface holds the value itself, not its address
	slots  mapSlots

	size   uint32
	addr   uint32 // of the descriptor
	reason string // why values of it do not cross, whatever its parts are; empty if they do

	known  bool // traits and fault are
	traits traits
	fault  error
	host   atomic.Value // of reflect.Type: what HostType returned
}

// A GuestField is a field of a struct, a parameter or a result.
type GuestField struct {
	Name   string
	Type   *GuestType
	Offset uint32
}

// A role is what a type means beyond its structure.
type role uint8

const (
	plainRole    role = iota
	anyRole           // an interface without methods
	errorRole         // error
	timeRole          // time.Time
	durationRole      // time.Duration
)

// traits are what crossing values of a type takes.
type traits uint8

const (
	hasErrors traits = 1 << iota // there may be errors in a value: the guest lifts them first
	needsKit                     // the host cannot write a value without the kit
	hasFloats                    // there may be a NaN
	branches                     // values are trees of any size, which must be looked at before they are written
)

// What GuestType asks for, of the functions that the guest describes. gyr_needskit and gyr_needslift
// (runtime/call.go of the overlay) are the same numbers.
const (
	guestNeedsKit  = 1
	guestNeedsLift = 2
)

// needs returns what the guest has to do for values of a struct of arguments or results.
func (t *GuestType) needs() (n uint64) {
	t.judge()
	if t.traits&needsKit != 0 {
		n |= guestNeedsKit
	}
	if t.traits&hasErrors != 0 {
		n |= guestNeedsLift
	}
	return n
}

// Offsets in internal/abi.Type and its tails that only calls need.
const (
	typeStr         = 40
	elemOffset      = 48 // of pointers and slices
	mapKey          = 48
	mapElem         = 56
	mapGroupSize    = 80
	mapSlotSize     = 88
	mapElemOffset   = 96
	mapFlags        = 104
	mapHead         = 112
	interMethods    = 56 // a slice
	interHead       = 80
	itabType        = 8
	flagUncommon    = 1 << 0
	flagExtraStar   = 1 << 1
	flagNamed       = 1 << 2
	flagDirect      = 1 << 5
	mapIndirectKey  = 1 << 2
	mapIndirectElem = 1 << 3
)

const (
	maxCallFields = 1 << 12
	maxTypeChain  = 1000 // types within types
	maxNameLength = 1 << 12
)

// tails are the bytes of a descriptor behind abi.Type by kind, where they are not 0.
var tails = [...]uint32{
	reflect.Array: 24, reflect.Chan: 16, reflect.Func: 8, reflect.Interface: 32, reflect.Map: 64,
	reflect.Pointer: 8, reflect.Slice: 8, reflect.Struct: 32, reflect.UnsafePointer: 0,
}

// guestTypes reads descriptors.
type guestTypes struct {
	vm   *VM
	seen map[uint32]*GuestType
}

func (r *guestTypes) read(addr uint32, depth int) (*GuestType, error) {
	if t := r.seen[addr]; t != nil {
		return t, nil
	}
	if depth > maxTypeChain || len(r.seen) > maxExports {
		return &GuestType{addr: addr, name: "the type", reason: "is too large to cross"}, nil
	}
	bad := fmt.Errorf("%w: type descriptor at %#x", ErrCorrupt, addr)
	b, ok := r.vm.Space.Bytes(uint64(addr), typeHead)
	if !ok {
		return nil, bad
	}
	size, flags := u64(b, typeSize), b[typeTFlag]
	if size > 1<<31 {
		return nil, bad
	}
	t := &GuestType{Kind: reflect.Kind(b[typeKind]), size: uint32(size), addr: addr,
		named: flags&flagNamed != 0, direct: flags&flagDirect != 0}
	if int(t.Kind) < len(tails) && tails[t.Kind] > 0 {
		if b, ok = r.vm.Space.Bytes(uint64(addr), uint64(typeHead+tails[t.Kind])); !ok {
			return nil, bad
		}
	}
	r.identify(t, b, flags)
	r.seen[addr] = t
	elem := func(offset int) (e *GuestType, err error) { return r.read(uint32(u64(b, offset)), depth+1) }
	var err error
	switch t.Kind {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.String:
		if want := kindSizes[t.Kind]; t.size != want {
			return nil, bad
		}
		if t.is("time", "time.Duration") && t.Kind == reflect.Int64 {
			t.role = durationRole
		}
	case reflect.Pointer, reflect.Slice:
		if want := map[reflect.Kind]uint32{reflect.Pointer: 8, reflect.Slice: 24}[t.Kind]; t.size != want {
			return nil, bad
		}
		if t.Elem, err = elem(elemOffset); err != nil {
			return nil, err
		}
	case reflect.Array:
		if t.Elem, err = elem(arrayElem); err != nil {
			return nil, err
		}
		n := u64(b, arrayLen)
		if n > 1<<31 || n*uint64(t.Elem.size) != size {
			return nil, bad
		}
		t.Len = int(n)
	case reflect.Map:
		if t.Key, err = elem(mapKey); err != nil {
			return nil, err
		}
		if t.Elem, err = elem(mapElem); err != nil {
			return nil, err
		}
		if t.size != 8 || !t.slots.read(t, b) {
			return nil, bad
		}
	case reflect.Interface:
		if t.size != 16 {
			return nil, bad
		}
		switch n := u64(b, interMethods+8); {
		case n == 0:
			t.role = anyRole
		case n == 1 && t.is("", "error"):
			t.role = errorRole
		}
	case reflect.Struct:
		list, n := uint32(u64(b, structFields)), u64(b, structFields+8)
		if n > maxCallFields {
			return nil, bad
		}
		for i := range uint32(n) {
			fb, ok := r.vm.Space.Bytes(uint64(list)+uint64(i)*fieldSize, fieldSize)
			if !ok {
				return nil, bad
			}
			f := GuestField{}
			if f.Name, ok = r.name(uint32(u64(fb, 0))); !ok {
				return nil, bad
			}
			if f.Type, err = r.read(uint32(u64(fb, fieldType)), depth+1); err != nil {
				return nil, err
			}
			off := u64(fb, fieldOffset)
			if off > size || off+uint64(f.Type.size) > size {
				return nil, bad
			}
			f.Offset = uint32(off)
			t.Fields = append(t.Fields, f)
		}
		if t.is("time", "time.Time") {
			if !isTime(t) {
				return nil, bad
			}
			t.role = timeRole
		}
	}
	if t.reason = t.kindReason(); t.reason == "" && t.Kind == reflect.Map {
		t.reason = t.Key.keyReason(0)
	}
	return t, nil
}

// identify reads the name of a type, which may be too long to be of use, and its package.
func (r *guestTypes) identify(t *GuestType, b []byte, flags byte) {
	t.name, _ = r.name(binary.LittleEndian.Uint32(b[typeStr:]))
	if flags&flagExtraStar != 0 {
		t.name = strings.TrimPrefix(t.name, "*")
	}
	if flags&flagUncommon != 0 && int(t.Kind) < len(tails) {
		if u, ok := r.vm.Space.Bytes(uint64(t.addr)+uint64(typeHead+tails[t.Kind]), 4); ok {
			if at := binary.LittleEndian.Uint32(u); at != 0 {
				t.path, _ = r.name(at)
			}
		}
	}
}

// is reports whether t is a defined or basic type of that package and name. Packages of the standard
// library have paths that no other package can have (front/load, origin.go).
func (t *GuestType) is(path, name string) bool { return t.named && t.path == path && t.name == name }

// field returns a field of a struct by its name.
func (t *GuestType) field(name string) (GuestField, bool) {
	i := slices.IndexFunc(t.Fields, func(f GuestField) bool { return f.Name == name })
	if i < 0 {
		return GuestField{}, false
	}
	return t.Fields[i], true
}

var kindSizes = [...]uint32{
	reflect.Bool: 1, reflect.Int: 8, reflect.Int8: 1, reflect.Int16: 2, reflect.Int32: 4, reflect.Int64: 8,
	reflect.Uint: 8, reflect.Uint8: 1, reflect.Uint16: 2, reflect.Uint32: 4, reflect.Uint64: 8, reflect.Uintptr: 8,
	reflect.Float32: 4, reflect.Float64: 8, reflect.Complex64: 8, reflect.Complex128: 16, reflect.String: 16,
}

// name reads an abi.Name: flags, length as a varint, bytes.
func (r *guestTypes) name(addr uint32) (string, bool) {
	n, shift := 0, 0
	at := uint64(addr) + 1
	for {
		b, ok := r.vm.Space.Bytes(at, 1)
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
	b, ok := r.vm.Space.Bytes(at, uint64(n))
	if !ok || n > maxNameLength {
		return "", false
	}
	return string(b), true
}

// kindReason is why no value of a type of t's kind crosses.
func (t *GuestType) kindReason() string {
	switch t.Kind {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return "does not cross"
	case reflect.Interface:
		if t.role == plainRole {
			return "does not cross: it is an interface with methods other than error"
		}
	}
	if int(t.Kind) >= len(tails) || t.Kind == reflect.Invalid {
		return "is of no kind"
	}
	return ""
}

// keyReason is why maps with keys of type t do not cross.
func (t *GuestType) keyReason(depth int) string {
	const no = "does not cross: the host cannot order its keys"
	switch t.Kind {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return no
	case reflect.Interface:
		if t.role != anyRole {
			return no
		}
	case reflect.Array:
		return t.Elem.keyReason(depth + 1)
	case reflect.Struct:
		switch {
		case t.role == timeRole:
			return ""
		case t.isHandle():
			return no
		}
		for _, f := range t.Fields {
			if reason := f.Type.keyReason(depth + 1); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// Crosses returns why values of t do not cross, with the path to the part that does not, or nil.
func (t *GuestType) Crosses() error {
	t.judge()
	return t.fault
}

// judge finds the traits of t, and its fault.
func (t *GuestType) judge() {
	if !t.known {
		j := judge{over: map[*GuestType]bool{}}
		t.fault = j.look(t)
		t.traits, t.known = j.traits, true
	}
}

// share makes types, and those that they consist of, good for several instances at a time: from then on nothing
// changes what is known of them. It reports false if there are very many.
func share(types ...*GuestType) bool {
	seen := map[*GuestType]bool{}
	for len(types) > 0 {
		t := types[len(types)-1]
		types = types[:len(types)-1]
		if t == nil || seen[t] {
			continue
		}
		if seen[t] = true; len(seen) > maxSharedTypes {
			return false
		}
		t.judge()
		types = append(types, t.Elem, t.Key)
		for _, f := range t.Fields {
			types = append(types, f.Type)
		}
	}
	return true
}

// maxSharedTypes bounds the types that share looks at: it looks at all parts of each.
const maxSharedTypes = 1 << 10

type judge struct {
	over   map[*GuestType]bool // false: begun
	traits traits
}

func (j *judge) look(t *GuestType) error {
	if over, begun := j.over[t]; begun {
		if !over {
			j.traits |= branches // it contains itself
		}
		return nil
	}
	j.over[t] = false
	defer func() { j.over[t] = true }()
	if t.reason != "" {
		name := t.name
		if name == "" {
			name = t.Kind.String()
		}
		return fmt.Errorf("%s %s", name, t.reason)
	}
	switch t.role {
	case anyRole:
		j.traits |= hasErrors | needsKit | hasFloats | branches
		return nil
	case errorRole:
		j.traits |= hasErrors | needsKit | branches
		return nil
	case timeRole:
		return nil
	}
	switch t.Kind {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		j.traits |= hasFloats
	case reflect.Pointer:
		return within("pointer", j.look(t.Elem))
	case reflect.Slice, reflect.Array:
		return within("element", j.look(t.Elem))
	case reflect.Map:
		j.traits |= needsKit | branches
		if err := j.look(t.Key); err != nil {
			return within("key", err)
		}
		return within("element", j.look(t.Elem))
	case reflect.Struct:
		for _, f := range t.Fields {
			if err := j.look(f.Type); err != nil {
				return within("field "+f.Name, err)
			}
		}
	}
	return nil
}

// within says of which part of a type or a value err is.
func within(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", part, err)
}

// Check reports why values of the host's type cannot be values of t: kinds must
// be equal, and so must the names and order of fields. Names of types do not matter, but for
// time.Time, error and any, which are the same on both sides.
func (t *GuestType) Check(h reflect.Type) error {
	if err := t.Crosses(); err != nil {
		return err
	}
	return t.check(h, map[typePair]bool{})
}

// Argument returns v as a value for a parameter of type t: an any or an error may be nil, and holds v otherwise.
func (t *GuestType) Argument(v reflect.Value) (reflect.Value, error) {
	if t.role != anyRole && t.role != errorRole {
		if !v.IsValid() {
			return v, errors.New("untyped nil")
		}
		return v, t.CheckParam(v.Type())
	}
	x := reflect.New(roleTypes[t.role]).Elem()
	if !v.IsValid() {
		return x, nil
	}
	if !v.Type().AssignableTo(x.Type()) {
		return v, fmt.Errorf("%s of the host for %s of the guest", v.Type(), t.name)
	}
	x.Set(v)
	return x, nil
}

type typePair struct {
	t *GuestType
	h reflect.Type
}

func (t *GuestType) check(h reflect.Type, seen map[typePair]bool) error {
	if p := (typePair{t, h}); seen[p] {
		return nil
	} else {
		seen[p] = true
	}
	if want := roleTypes[t.role]; want != nil && t.role != durationRole {
		if h != want && (t.role != anyRole || h.Kind() != reflect.Interface || h.NumMethod() != 0) {
			return fmt.Errorf("%s of the host for %s of the guest", h, t.name)
		}
		return nil
	}
	if objectType(h) != nil {
		if !t.isHandle() {
			return fmt.Errorf("%s of the host for %s of the guest, which is no defined type of a uint64 or of a struct with an unexported uint64", h, t.name)
		}
		return nil
	}
	if h.Kind() != t.Kind {
		return fmt.Errorf("%s of the host for %s of the guest", h, t.Kind)
	}
	switch t.Kind {
	case reflect.Array:
		if h.Len() != t.Len {
			return fmt.Errorf("array of %d elements for one of %d", h.Len(), t.Len)
		}
		return within("element", t.Elem.check(h.Elem(), seen))
	case reflect.Pointer:
		return within("pointer", t.Elem.check(h.Elem(), seen))
	case reflect.Slice:
		return within("element", t.Elem.check(h.Elem(), seen))
	case reflect.Map:
		if err := t.Key.check(h.Key(), seen); err != nil {
			return within("key", err)
		}
		if holdsHandle(h.Key()) {
			return fmt.Errorf("key: %s: handles are no keys", h.Key())
		}
		return within("element", t.Elem.check(h.Elem(), seen))
	case reflect.Struct:
		if h.NumField() != len(t.Fields) {
			return fmt.Errorf("%s has %d fields, the guest's struct %d", h, h.NumField(), len(t.Fields))
		}
		for i, f := range t.Fields {
			hf := h.Field(i)
			if hf.Name != f.Name {
				return fmt.Errorf("field %s of %s is %s in the guest", hf.Name, h, f.Name)
			}
			if !hf.IsExported() {
				return fmt.Errorf("field %s of %s is not exported", hf.Name, h)
			}
			if err := f.Type.check(hf.Type, seen); err != nil {
				return within("field "+f.Name, err)
			}
		}
	}
	return nil
}

// roleTypes are the types of the host for types that mean more than their structure.
var roleTypes = [...]reflect.Type{
	anyRole: reflect.TypeFor[any](), errorRole: reflect.TypeFor[error](), timeRole: reflect.TypeFor[time.Time](),
	durationRole: reflect.TypeFor[time.Duration](),
}

// HostType returns the host's type for values of t: basic types, any, error, time.Time, time.Duration, and
// slices, arrays, maps, pointers and structs of such.
func (t *GuestType) HostType() (reflect.Type, error) {
	if err := t.Crosses(); err != nil {
		return nil, err
	}
	if h, ok := t.host.Load().(reflect.Type); ok {
		return h, nil
	}
	h, err := t.hostType(map[*GuestType]bool{})
	if err == nil {
		t.host.Store(h)
	}
	return h, err
}

// hostType makes the type; around are the types that it is a part of.
func (t *GuestType) hostType(around map[*GuestType]bool) (reflect.Type, error) {
	if around[t] {
		return nil, fmt.Errorf("%s contains itself, and crosses only as a type that the host declares", t.name)
	}
	around[t] = true
	defer delete(around, t)
	if h := roleTypes[t.role]; h != nil {
		return h, nil
	}
	if int(t.Kind) < len(basicTypes) && basicTypes[t.Kind] != nil {
		return basicTypes[t.Kind], nil
	}
	if t.Kind == reflect.Struct {
		return t.hostStruct(around)
	}
	e, err := t.Elem.hostType(around)
	if err != nil {
		return nil, within("element", err)
	}
	switch t.Kind {
	case reflect.Pointer:
		return reflect.PointerTo(e), nil
	case reflect.Slice:
		return reflect.SliceOf(e), nil
	case reflect.Map:
		k, err := t.Key.hostType(around)
		if err != nil {
			return nil, within("key", err)
		}
		if !k.Comparable() {
			return nil, fmt.Errorf("%s is no type for keys", k)
		}
		return reflect.MapOf(k, e), nil
	}
	return reflect.ArrayOf(t.Len, e), nil
}

func (t *GuestType) hostStruct(around map[*GuestType]bool) (reflect.Type, error) {
	var fields []reflect.StructField
	for i, f := range t.Fields {
		h, err := f.Type.hostType(around)
		if err != nil {
			return nil, within("field "+f.Name, err)
		}
		if !exported(f.Name) {
			return nil, fmt.Errorf("field %s is not exported", f.Name)
		}
		if slices.ContainsFunc(t.Fields[:i], func(g GuestField) bool { return g.Name == f.Name }) {
			return nil, fmt.Errorf("two fields are called %s", f.Name)
		}
		fields = append(fields, reflect.StructField{Name: f.Name, Type: h})
	}
	return reflect.StructOf(fields), nil
}

func exported(name string) bool { return token.IsExported(name) && token.IsIdentifier(name) }

var basicTypes = [...]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.Int: reflect.TypeFor[int](), reflect.Int8: reflect.TypeFor[int8](),
	reflect.Int16: reflect.TypeFor[int16](), reflect.Int32: reflect.TypeFor[int32](),
	reflect.Int64: reflect.TypeFor[int64](),
	reflect.Uint:  reflect.TypeFor[uint](), reflect.Uint8: reflect.TypeFor[uint8](),
	reflect.Uint16: reflect.TypeFor[uint16](),
	reflect.Uint32: reflect.TypeFor[uint32](), reflect.Uint64: reflect.TypeFor[uint64](),
	reflect.Uintptr: reflect.TypeFor[uintptr](),
	reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
	reflect.Complex64: reflect.TypeFor[complex64](), reflect.Complex128: reflect.TypeFor[complex128](),
	reflect.String: reflect.TypeFor[string](),
}

package rt

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"sync/atomic"
	"time"
)

// Types of the guest whose values cross, as their descriptors in the program's data say (crosstypes.go reads them).
//
// Whether values of a type cross is decided in one place, settle.go. Whether a type of the host fits one of
// the guest, GuestType.Check decides.

// A GuestType describes a type of the guest whose values the host reads and writes. It is shared by all instances of a
// program, and does not change once [Types] has handed it out.
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

	settled              // what follows from its parts
	in      *Types       // that have read it
	host    atomic.Value // of reflect.Type: what HostType returned
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
	endless                      // it contains itself, or a part of it does
	isJudged                     // the others are known
)

// What GuestType asks for, of the functions that the guest describes. gyr_needskit and gyr_needslift
// (runtime/call.go of the overlay) are the same numbers.
const (
	guestNeedsKit  = 1
	guestNeedsLift = 2
)

// needs returns what the guest has to do for values of a struct of arguments or results.
func (t *GuestType) needs() (n uint64) {
	if t.traits&needsKit != 0 {
		n |= guestNeedsKit
	}
	if t.traits&hasErrors != 0 {
		n |= guestNeedsLift
	}
	return n
}

// is reports whether t is a defined or basic type of that package and name. Packages of the standard
// library have paths that no other package can have (front/load, origin.go).
func (t *GuestType) is(path, name string) bool { return t.named && t.path == path && t.name == name }

// weighs reports whether values of a struct's fields have a weight that is not in the price of the call. Strings and bytes that are
// fields are not meant.
func (t *GuestType) weighs() bool {
	if t.parts > freeParts || t.size > 16*freeParts {
		return true
	}
	for _, f := range t.Fields {
		if f.Type.refs && !f.Type.isText() {
			return true
		}
	}
	return false
}

// isText reports whether values of the type are strings, or slices of bytes.
func (t *GuestType) isText() bool {
	return t.Kind == reflect.String || t.Kind == reflect.Slice && t.Elem.Kind == reflect.Uint8
}

// isHandle reports whether values of the guest's type t may be handles: it is a defined type, uint64 or a struct with
// a field of type uint64 that is not exported.
func (t *GuestType) isHandle() bool {
	return t.named && t.path != "" && (t.Kind == reflect.Uint64 || t.sealed())
}

// sealed reports whether t is a struct of a uint64 that is not exported. The host's type for such
// a type is a handle.
func (t *GuestType) sealed() bool {
	return t.Kind == reflect.Struct && len(t.Fields) == 1 && t.size == 8 && t.Fields[0].Type.Kind == reflect.Uint64 &&
		!exported(t.Fields[0].Name)
}

// textsIn returns where the lengths of strings and slices of bytes are in values of the host's struct h for t; false if something else
// in them refers to more.
func (t *GuestType) textsIn(h reflect.Type, at uintptr, list []uintptr) ([]uintptr, bool) {
	switch {
	case !t.refs:
		return list, true
	case t.isText():
		return append(list, at+8), true
	case t.Kind != reflect.Struct || t.role != plainRole:
		return nil, false
	}
	ok := true
	for i, f := range t.Fields {
		hf := h.Field(i)
		if list, ok = f.Type.textsIn(hf.Type, at+hf.Offset, list); !ok {
			return nil, false
		}
	}
	return list, true
}

// field returns a field of a struct by its name.
func (t *GuestType) field(name string) (GuestField, bool) {
	i := slices.IndexFunc(t.Fields, func(f GuestField) bool { return f.Name == name })
	if i < 0 {
		return GuestField{}, false
	}
	return t.Fields[i], true
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

// CheckParam is Check for parameters, which may be lent: a slice is, if its elements are numbers, or arrays and structs of
// such.
func (t *GuestType) CheckParam(h reflect.Type) error {
	if !t.in.host.Buffer(h) {
		return t.Check(h)
	}
	if t.Kind != reflect.Slice || !t.Elem.plain {
		return fmt.Errorf("a buffer can be lent as a slice of numbers, or of arrays and structs of numbers, not as a %s", t.Kind)
	}
	return nil
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
	if t.in.host.Handle(h) {
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
		if t.in.holdsHandle(h.Key()) {
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
	if h, ok := t.host.Load().(reflect.Type); ok {
		return h, nil
	}
	if err := t.Crosses(); err != nil {
		return nil, err
	}
	return t.hostType(map[*GuestType]bool{})
}

// hostType makes the type; around are the types that it is a part of. What it makes package reflect keeps for ever: see
// Types.refused.
func (t *GuestType) hostType(around map[*GuestType]bool) (reflect.Type, error) {
	if h, ok := t.host.Load().(reflect.Type); ok {
		return h, nil
	}
	if around[t] {
		return nil, fmt.Errorf("%s contains itself, and crosses only as a type that the host declares", t.name)
	}
	around[t] = true
	defer delete(around, t)
	h, err := t.makeHostType(around)
	if err == nil {
		t.host.Store(h)
	}
	return h, err
}

func (t *GuestType) makeHostType(around map[*GuestType]bool) (reflect.Type, error) {
	if h := roleTypes[t.role]; h != nil {
		return h, nil
	}
	if int(t.Kind) < len(basicTypes) && basicTypes[t.Kind] != nil {
		return basicTypes[t.Kind], nil
	}
	if t.in.refused(t) {
		return nil, fmt.Errorf("%s crosses only as a type that the host declares: the types of the program are too large for the host to make them all", t.name)
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
	fields := make([]reflect.StructField, 0, len(t.Fields))
	names := make(map[string]bool, len(t.Fields))
	for _, f := range t.Fields {
		h, err := f.Type.hostType(around)
		switch {
		case err != nil:
			return nil, within("field "+f.Name, err)
		case !exported(f.Name):
			return nil, fmt.Errorf("field %s is not exported", f.Name)
		case names[f.Name]:
			return nil, fmt.Errorf("two fields are called %s", f.Name)
		}
		names[f.Name] = true
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

package guesttype

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"sync/atomic"
	"time"
)

// A Type describes a type of the guest whose values the host reads and writes. All instances of a
// program share it, and it does not change after [Types] has returned it.
type Type struct {
	Kind   reflect.Kind
	Elem   *Type // of arrays, maps, pointers and slices
	Key    *Type // of maps
	Len    int   // of arrays
	Fields []Field

	Name   string // as reflect prints it in the guest: "lib.Point", "[]int"
	path   string // of the package of a defined type
	named  bool   // it is a defined or a basic type
	Role   role
	Direct bool // an interface holds the value itself, not its address
	Slots  mapSlots

	Size   uint32
	Addr   uint32 // of the descriptor
	reason string // why values do not cross, independently of its parts; empty if they do

	settled              // derived from its parts
	in      *Types       // the Types that have read it
	host    atomic.Value // of reflect.Type: the result of HostType
}

// A Field is a field of a struct, a parameter or a result.
type Field struct {
	Name   string
	Type   *Type
	Offset uint32
}

// A role is the meaning of a type beyond its structure.
type role uint8

const (
	plainRole    role = iota
	AnyRole           // an interface without methods
	ErrorRole         // error
	TimeRole          // time.Time
	durationRole      // time.Duration
)

// traits tell what crossing values of a type takes.
type traits uint8

const (
	HasErrors traits = 1 << iota // values may have errors: the guest lifts them first
	needsKit                     // the host cannot write a value without the kit
	HasFloats                    // values may have a NaN
	branches                     // values are trees of any size, which must be visited before they are written
	endless                      // the type contains itself, or a part of it does
	isJudged                     // the other bits are known
)

// What Needs asks of the functions that the guest describes. gyr_needskit and gyr_needslift
// (runtime/call.go of the overlay) are the same numbers.
const (
	GuestNeedsKit  = 1
	guestNeedsLift = 2
)

// Needs returns what the guest has to do for values of a struct of arguments or results.
func (t *Type) Needs() (n uint64) {
	if t.Traits&needsKit != 0 {
		n |= GuestNeedsKit
	}
	if t.Traits&HasErrors != 0 {
		n |= guestNeedsLift
	}
	return n
}

// is reports whether t is a defined or basic type of that package and name. Packages of the standard
// library have paths that no other package can have (front/load, origin.go).
func (t *Type) is(path, name string) bool { return t.named && t.path == path && t.Name == name }

// Weighs reports whether values of a struct's fields have a weight that the price of the call does
// not cover. Fields that are strings or slices of bytes do not count.
func (t *Type) Weighs() bool {
	if t.Parts > FreeParts || t.Size > 16*FreeParts {
		return true
	}
	for _, f := range t.Fields {
		if f.Type.Refs && !f.Type.isText() {
			return true
		}
	}
	return false
}

// isText reports whether values of the type are strings, or slices of bytes.
func (t *Type) isText() bool {
	return t.Kind == reflect.String || t.Kind == reflect.Slice && t.Elem.Kind == reflect.Uint8
}

// isHandle reports whether values of the guest's type t may be handles. It has to be a defined
// type: uint64, or a struct with an unexported field of type uint64.
func (t *Type) isHandle() bool {
	return t.named && t.path != "" && (t.Kind == reflect.Uint64 || t.Sealed())
}

// Sealed reports whether t is a struct of an unexported uint64. The host's type for such a type is
// a handle.
func (t *Type) Sealed() bool {
	return t.Kind == reflect.Struct && len(t.Fields) == 1 && t.Size == 8 && t.Fields[0].Type.Kind == reflect.Uint64 &&
		!exported(t.Fields[0].Name)
}

// TextsIn returns the offsets of the lengths of strings and slices of bytes in values of h, the
// host's struct for t. It returns false if such values hold other references.
func (t *Type) TextsIn(h reflect.Type, at uintptr, list []uintptr) ([]uintptr, bool) {
	switch {
	case !t.Refs:
		return list, true
	case t.isText():
		return append(list, at+8), true
	case t.Kind != reflect.Struct || t.Role != plainRole:
		return nil, false
	}
	ok := true
	for i, f := range t.Fields {
		hf := h.Field(i)
		if list, ok = f.Type.TextsIn(hf.Type, at+hf.Offset, list); !ok {
			return nil, false
		}
	}
	return list, true
}

// field returns a field of a struct by its name.
func (t *Type) field(name string) (Field, bool) {
	i := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return t.Fields[i], true
}

// Check reports why values of the host's type cannot be values of t. Kinds must be equal, and so
// must the names and order of fields. Names of types do not matter, except for time.Time, error and
// any, which are the same on both sides.
func (t *Type) Check(h reflect.Type) error {
	if err := t.Crosses(); err != nil {
		return err
	}
	return t.check(h, map[typePair]bool{})
}

// CheckParam is Check for parameters, which may be lent buffers. A slice may be lent if its
// elements are numbers, or arrays and structs of numbers.
func (t *Type) CheckParam(h reflect.Type) error {
	if !t.in.host.Buffer(h) {
		return t.Check(h)
	}
	if t.Kind != reflect.Slice || !t.Elem.plain {
		return fmt.Errorf("a buffer can be lent as a slice of numbers, or of arrays and structs of numbers, not as a %s", t.Kind)
	}
	return nil
}

// Argument returns v as a value for a parameter of type t. A parameter of type any or error holds
// v, or nil if v is invalid.
func (t *Type) Argument(v reflect.Value) (reflect.Value, error) {
	if t.Role != AnyRole && t.Role != ErrorRole {
		if !v.IsValid() {
			return v, errors.New("untyped nil")
		}
		return v, t.CheckParam(v.Type())
	}
	x := reflect.New(RoleTypes[t.Role]).Elem()
	if !v.IsValid() {
		return x, nil
	}
	if !v.Type().AssignableTo(x.Type()) {
		return v, fmt.Errorf("%s of the host for %s of the guest", v.Type(), t.Name)
	}
	x.Set(v)
	return x, nil
}

type typePair struct {
	t *Type
	h reflect.Type
}

func (t *Type) check(h reflect.Type, seen map[typePair]bool) error {
	if p := (typePair{t, h}); seen[p] {
		return nil
	} else {
		seen[p] = true
	}
	if want := RoleTypes[t.Role]; want != nil && t.Role != durationRole {
		if h != want && (t.Role != AnyRole || h.Kind() != reflect.Interface || h.NumMethod() != 0) {
			return fmt.Errorf("%s of the host for %s of the guest", h, t.Name)
		}
		return nil
	}
	if t.in.host.Handle(h) {
		if !t.isHandle() {
			return fmt.Errorf("%s of the host for %s of the guest, which is no defined type of a uint64 or of a struct with an unexported uint64", h, t.Name)
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
		return Within("element", t.Elem.check(h.Elem(), seen))
	case reflect.Pointer:
		return Within("pointer", t.Elem.check(h.Elem(), seen))
	case reflect.Slice:
		return Within("element", t.Elem.check(h.Elem(), seen))
	case reflect.Map:
		if err := t.Key.check(h.Key(), seen); err != nil {
			return Within("key", err)
		}
		if t.in.holdsHandle(h.Key()) {
			return fmt.Errorf("key: %s: handles are no keys", h.Key())
		}
		return Within("element", t.Elem.check(h.Elem(), seen))
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
				return Within("field "+f.Name, err)
			}
		}
	}
	return nil
}

// RoleTypes are the host types of roles.
var RoleTypes = [...]reflect.Type{
	AnyRole: reflect.TypeFor[any](), ErrorRole: reflect.TypeFor[error](), TimeRole: reflect.TypeFor[time.Time](),
	durationRole: reflect.TypeFor[time.Duration](),
}

// HostType returns the host's type for values of t: basic types, any, error, time.Time,
// time.Duration, and slices, arrays, maps, pointers and structs of these.
func (t *Type) HostType() (reflect.Type, error) {
	if h, ok := t.host.Load().(reflect.Type); ok {
		return h, nil
	}
	if err := t.Crosses(); err != nil {
		return nil, err
	}
	return t.hostType(map[*Type]bool{})
}

// hostType makes the type. around are the types that contain it. Package reflect never frees what
// it makes: see Types.refused.
func (t *Type) hostType(around map[*Type]bool) (reflect.Type, error) {
	if h, ok := t.host.Load().(reflect.Type); ok {
		return h, nil
	}
	if around[t] {
		return nil, fmt.Errorf("%s contains itself, and crosses only as a type that the host declares", t.Name)
	}
	around[t] = true
	defer delete(around, t)
	h, err := t.makeHostType(around)
	if err == nil {
		t.host.Store(h)
	}
	return h, err
}

func (t *Type) makeHostType(around map[*Type]bool) (reflect.Type, error) {
	if h := RoleTypes[t.Role]; h != nil {
		return h, nil
	}
	if int(t.Kind) < len(basicTypes) && basicTypes[t.Kind] != nil {
		return basicTypes[t.Kind], nil
	}
	if t.in.refused(t) {
		return nil, fmt.Errorf("%s crosses only as a type that the host declares: the types of the program are too large for the host to make them all", t.Name)
	}
	if t.Kind == reflect.Struct {
		return t.hostStruct(around)
	}
	e, err := t.Elem.hostType(around)
	if err != nil {
		return nil, Within("element", err)
	}
	switch t.Kind {
	case reflect.Pointer:
		return reflect.PointerTo(e), nil
	case reflect.Slice:
		return reflect.SliceOf(e), nil
	case reflect.Map:
		k, err := t.Key.hostType(around)
		if err != nil {
			return nil, Within("key", err)
		}
		if !k.Comparable() {
			return nil, fmt.Errorf("%s is no type for keys", k)
		}
		return reflect.MapOf(k, e), nil
	}
	return reflect.ArrayOf(t.Len, e), nil
}

func (t *Type) hostStruct(around map[*Type]bool) (reflect.Type, error) {
	fields := make([]reflect.StructField, 0, len(t.Fields))
	names := make(map[string]bool, len(t.Fields))
	for _, f := range t.Fields {
		h, err := f.Type.hostType(around)
		switch {
		case err != nil:
			return nil, Within("field "+f.Name, err)
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

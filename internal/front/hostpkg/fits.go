package hostpkg

import (
	"fmt"
	"go/types"
	"reflect"
	"time"
)

// A Mismatch says why a declared type and the host's type do not fit. Path leads to the place:
// "parameter 2: field Conn: element".
type Mismatch struct {
	Path, Reason string
}

func (m *Mismatch) Error() string {
	if m.Path == "" {
		return m.Reason
	}
	return m.Path + ": " + m.Reason
}

// A Handle is the method set of the host's types of opaque handles, or of their only field.
type Handle interface{ IsHandle() }

func isHandleType(h reflect.Type) bool {
	return h.Kind() == reflect.Struct && h.NumField() == 1 && (h.Implements(handleType) || h.Field(0).Type.Implements(handleType))
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	hostError  = reflect.TypeFor[error]()
	handleType = reflect.TypeFor[Handle]()
)

// isAny reports whether a type of the host holds values of all types.
func isAny(h reflect.Type) bool { return h.Kind() == reflect.Interface && h.NumMethod() == 0 }

// holdsHandle reports whether values of the host's type contain a handle.
func holdsHandle(h reflect.Type) bool {
	switch h.Kind() {
	case reflect.Array:
		return holdsHandle(h.Elem())
	case reflect.Struct:
		if isHandleType(h) {
			return true
		}
		for i := range h.NumField() {
			if holdsHandle(h.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// Fits returns why values of a declared type and of the host's type cannot be exchanged, nil if
// they can. Types fit if they have the same structure, whatever their names. Structs fit if they
// have the same exported fields in the same order.
func (p *Package) Fits(t types.Type, h reflect.Type) *Mismatch {
	return (&fitter{p: p, seen: map[pair]bool{}}).fits(t, h)
}

type pair struct {
	t types.Type
	h reflect.Type
}

type fitter struct {
	p    *Package
	seen map[pair]bool
}

func (f *fitter) no(t types.Type, h reflect.Type) *Mismatch {
	return &Mismatch{"", fmt.Sprintf("%s is declared, the host's type is %s", f.p.TypeString(t), h)}
}

// at adds a step to the path of a mismatch.
func (m *Mismatch) at(step string) *Mismatch {
	if m == nil {
		return nil
	}
	if m.Path != "" {
		step += ": " + m.Path
	}
	return &Mismatch{step, m.Reason}
}

var basicKinds = map[types.BasicKind]reflect.Kind{
	types.Bool: reflect.Bool, types.String: reflect.String, types.Uintptr: reflect.Uintptr,
	types.Int: reflect.Int, types.Int8: reflect.Int8, types.Int16: reflect.Int16, types.Int32: reflect.Int32, types.Int64: reflect.Int64,
	types.Uint: reflect.Uint, types.Uint8: reflect.Uint8, types.Uint16: reflect.Uint16, types.Uint32: reflect.Uint32, types.Uint64: reflect.Uint64,
	types.Float32: reflect.Float32, types.Float64: reflect.Float64, types.Complex64: reflect.Complex64, types.Complex128: reflect.Complex128,
}

func (f *fitter) fits(t types.Type, h reflect.Type) *Mismatch {
	if f.seen[pair{t, h}] {
		return nil
	}
	f.seen[pair{t, h}] = true
	if IsTime(t) || h == timeType {
		if IsTime(t) && h == timeType {
			return nil
		}
		return f.no(t, h)
	}
	if isHandleType(h) {
		if IsHandle(t) {
			return nil
		}
		return &Mismatch{"", fmt.Sprintf("%s is declared, which is no handle: declare it as a type of its own, struct{ handle uint64 }", f.p.TypeString(t))}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		kind, ok := basicKinds[u.Kind()]
		if !ok {
			return &Mismatch{"", f.p.TypeString(t) + " does not cross between host and guest"}
		}
		if h.Kind() != kind {
			return f.no(t, h)
		}
		return nil
	case *types.Slice:
		if h.Kind() != reflect.Slice {
			return f.no(t, h)
		}
		return f.fits(u.Elem(), h.Elem()).at("element")
	case *types.Array:
		if h.Kind() != reflect.Array || int64(h.Len()) != u.Len() {
			return f.no(t, h)
		}
		return f.fits(u.Elem(), h.Elem()).at("element")
	case *types.Pointer:
		if h.Kind() != reflect.Pointer {
			return f.no(t, h)
		}
		return f.fits(u.Elem(), h.Elem()).at("what it points to")
	case *types.Map:
		if h.Kind() != reflect.Map {
			return f.no(t, h)
		}
		if m := f.fits(u.Key(), h.Key()).at("key"); m != nil {
			return m
		}
		switch {
		case !Ordered(u.Key()):
			return &Mismatch{"", f.p.TypeString(t) + " does not cross between host and guest: the host cannot order its keys"}
		case holdsHandle(h.Key()):
			return &Mismatch{"key", fmt.Sprintf("%s of the host: handles are no keys", h.Key())}
		}
		return f.fits(u.Elem(), h.Elem()).at("value")
	case *types.Struct:
		return f.structs(t, u, h)
	case *types.Interface:
		switch {
		case types.Identical(t, errorType) && h == hostError, u.Empty() && isAny(h):
			return nil
		case h == hostError || isAny(h):
			return f.no(t, h)
		}
	}
	return &Mismatch{"", f.p.TypeString(t) + " does not cross between host and guest"}
}

func (f *fitter) structs(t types.Type, u *types.Struct, h reflect.Type) *Mismatch {
	if h.Kind() != reflect.Struct {
		return f.no(t, h)
	}
	if h.NumField() != u.NumFields() {
		return &Mismatch{"", fmt.Sprintf("%s is declared with %d fields, %s of the host has %d", f.p.TypeString(t), u.NumFields(), h, h.NumField())}
	}
	for i := range u.NumFields() {
		v, hf := u.Field(i), h.Field(i)
		switch {
		case v.Name() != hf.Name:
			return &Mismatch{"field " + v.Name(), fmt.Sprintf("its name is %s in the host's %s", hf.Name, h)}
		case !v.Exported():
			return &Mismatch{"field " + v.Name(), "it is not exported"}
		}
		if m := f.fits(v.Type(), hf.Type).at("field " + v.Name()); m != nil {
			return m
		}
	}
	return nil
}

// Ordered reports whether the host can order values of a type, as keys of a map.
func Ordered(t types.Type) bool { return ordered(t, map[types.Type]bool{}) }

// ordered is Ordered. over has the types that can be ordered.
func ordered(t types.Type, over map[types.Type]bool) bool {
	if over[t] || IsTime(t) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice:
		return false
	case *types.Interface:
		return u.NumMethods() == 0
	case *types.Array:
		if !ordered(u.Elem(), over) {
			return false
		}
	case *types.Struct:
		if IsHandle(t) {
			return false
		}
		for f := range u.Fields() {
			if !ordered(f.Type(), over) {
				return false
			}
		}
	}
	over[t] = true
	return true
}

// IsHandle reports whether a type of the guest can be an opaque handle: a named type whose
// underlying type is uint64 or a struct whose only field is an unexported uint64.
func IsHandle(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.Named); !ok {
		return false
	}
	u := t.Underlying()
	if s, ok := u.(*types.Struct); ok && s.NumFields() == 1 && !s.Field(0).Exported() {
		u = s.Field(0).Type()
	}
	return types.Identical(u, types.Typ[types.Uint64])
}

// FitsFunc is Fits for the parameters and results of a function, except a first parameter of the
// host's function for the context and a last result of type error.
func (p *Package) FitsFunc(f *Func, params, results []reflect.Type) *Mismatch {
	if len(params) != len(f.Params) {
		return &Mismatch{"", fmt.Sprintf("%d parameters are declared, the host's function has %d", len(f.Params), len(params))}
	}
	if len(results) != len(f.Results) {
		return &Mismatch{"", fmt.Sprintf("%d results are declared beside an error, the host's function has %d", len(f.Results), len(results))}
	}
	for i, a := range f.Params {
		if m := p.fitsParam(a.Type, params[i]); m != nil {
			return m.at(fmt.Sprintf("parameter %d", i+1))
		}
	}
	for i, r := range f.Results {
		if m := p.Fits(r, results[i]); m != nil {
			return m.at(fmt.Sprintf("result %d", i+1))
		}
	}
	return nil
}

// fitsParam is Fits for a parameter, which may be a callback. The rules for the host's own
// functions apply to callbacks too.
func (p *Package) fitsParam(t types.Type, h reflect.Type) *Mismatch {
	sig, ok := t.Underlying().(*types.Signature)
	if !ok {
		return p.Fits(t, h)
	}
	c := newCallback(sig)
	if h.Kind() != reflect.Func || h.NumIn() != len(c.params) || sig.Variadic() != h.IsVariadic() {
		return (&fitter{p: p}).no(t, h)
	}
	out := h.NumOut()
	if c.fails && out > 0 && h.Out(out-1) == hostError {
		out--
	} else if c.fails {
		return (&fitter{p: p}).no(t, h)
	}
	if out != len(c.results) {
		return (&fitter{p: p}).no(t, h)
	}
	for i, a := range c.params {
		if m := p.Fits(a, h.In(i)).at(fmt.Sprintf("its parameter %d", i+1)); m != nil {
			return m
		}
	}
	for i, r := range c.results {
		if m := p.Fits(r, h.Out(i)).at(fmt.Sprintf("its result %d", i+1)); m != nil {
			return m
		}
	}
	return nil
}

// A callback is the signature of a parameter that is a function.
type callback struct {
	params, results []types.Type
	fails           bool
	variadic        bool
}

func newCallback(sig *types.Signature) callback {
	c := callback{variadic: sig.Variadic()}
	for v := range sig.Params().Variables() {
		c.params = append(c.params, v.Type())
	}
	for v := range sig.Results().Variables() {
		c.results = append(c.results, v.Type())
	}
	if n := len(c.results); n > 0 && types.Identical(c.results[n-1], errorType) {
		c.fails, c.results = true, c.results[:n-1]
	}
	return c
}

// Callbacks returns the numbers of the parameters that are functions.
func (f *Func) Callbacks() (list []int) {
	for i, a := range f.Params {
		if _, ok := a.Type.Underlying().(*types.Signature); ok {
			list = append(list, i)
		}
	}
	return list
}

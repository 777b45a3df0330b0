package runtime

import (
	"internal/abi"
	"internal/runtime/maps"
	"unsafe"
)

// Values that cross between host and guest, as far as the host needs code of the guest for
// them. The host writes and reads guest memory by type descriptors (package rt, convert.go), but it
// can neither hash a key nor call a method. So maps that it hands in are built here, from two
// arrays (gyr_settle), and the texts of errors that it takes out are made here, before it reads
// them (gyr_lift).

// A gyr_kit says where the host finds what it needs to write such values. The host knows its layout.
type gyr_kit struct {
	errorTab  *itab        // of *hostError as an error
	errorType *_type       // *hostError
	mapType   *_type       // gyr_map
	pending   **gyr_map    // &gyr_pending
	lifted    *[]gyr_error // &gyr_lifted
	sentinels *[]*error    // &gyr_sentinels
	types     []any        // a value of each type that the host finds without a declaration
}

// host_values names the kit. The host keeps its address.
func host_values(kit *gyr_kit)

// gyr_named is the kit, once the host knows it.
var gyr_named *gyr_kit

// gyr_values names the kit to the host. It is called before the first value crosses that needs it, and
// does nothing when the host has it.
func gyr_values() {
	if gyr_named != nil {
		return
	}
	var err error = (*hostError)(nil)
	var record any = gyr_map{}
	gyr_named = &gyr_kit{
		errorTab:  (*iface)(unsafe.Pointer(&err)).tab,
		errorType: (*iface)(unsafe.Pointer(&err)).tab.Type,
		mapType:   efaceOf(&record)._type,
		pending:   &gyr_pending,
		lifted:    &gyr_lifted,
		sentinels: &gyr_sentinels,
		types: []any{
			false, int(0), int8(0), int16(0), int32(0), int64(0),
			uint(0), uint8(0), uint16(0), uint32(0), uint64(0), uintptr(0),
			float32(0), float64(0), complex64(0), complex128(0), "",
			[]byte(nil), []any(nil), []string(nil), []int(nil), []float64(nil),
			map[string]any(nil), map[string]string(nil), map[string]int(nil),
		},
	}
	host_values(gyr_named)
}

// A gyr_map is a map that the host handed in and that is not yet made.
type gyr_map struct {
	next        *gyr_map
	slot        unsafe.Pointer // the variable that the map goes to; nil until then
	typ         *abi.MapType
	keys, elems unsafe.Pointer // arrays of n, in an order that the host decided
	n           int
}

// gyr_pending are the maps that the host handed in last, inner ones before those that they are
// elements of.
var gyr_pending *gyr_map

// gyr_settle makes the maps among what the host handed in.
func gyr_settle() {
	if gyr_pending != nil {
		m := gyr_pending
		gyr_pending = nil // mapassign may let other goroutines run
		gyr_makemaps(m)
	}
}

func gyr_makemaps(m *gyr_map) {
	for ; m != nil; m = m.next {
		t := m.typ
		key, elem, n := t.Key.Size_, t.Elem.Size_, uintptr(m.n)
		charge(n, madeWeight)
		charge(n*(key+elem), moveWeight+hashWeight)
		h := makemap(t, m.n)
		for i := range n {
			typedmemmove(t.Elem, mapassign(t, h, add(m.keys, i*key)), add(m.elems, i*elem))
		}
		*(*unsafe.Pointer)(m.slot) = unsafe.Pointer(h)
	}
}

// A hostError is an error of the host.
type hostError struct {
	text string
	is   []int // numbers of the sentinels that it is, the closest first
}

func (e *hostError) Error() string { return e.text }

// Is is for errors that are several sentinels.
func (e *hostError) Is(target error) bool {
	for _, n := range e.is {
		if s := gyr_sentinel(n); s != nil && gyr_same(s, target) {
			return true
		}
	}
	return false
}

func (e *hostError) Unwrap() error {
	if len(e.is) == 0 {
		return nil
	}
	return gyr_sentinel(e.is[0])
}

// gyr_sentinels are the variables of the guest that stand for sentinel errors of the host, by number.
var gyr_sentinels []*error

// gyr_addsentinel says which variable stands for the sentinel error with a number. The numbers are those that the host has
// given, and few.
func gyr_addsentinel(n int, p *error) {
	for len(gyr_sentinels) <= n {
		gyr_sentinels = append(gyr_sentinels, nil)
	}
	gyr_sentinels[n] = p
}

func gyr_sentinel(n int) error {
	if n < 0 || n >= len(gyr_sentinels) || gyr_sentinels[n] == nil {
		return nil
	}
	return *gyr_sentinels[n]
}

// gyr_same is a == b, and false for what cannot be compared.
func gyr_same(a, b error) bool {
	t := (*iface)(unsafe.Pointer(&a)).tab
	u := (*iface)(unsafe.Pointer(&b)).tab
	if t == nil || u == nil || t.Type != u.Type || t.Type.Equal == nil {
		return false
	}
	charge(t.Type.Size_, unitWeight)
	return a == b
}

// gyr_is is errors.Is.
func gyr_is(err, target error) bool {
	for err != nil {
		charge(1, walkWeight)
		if gyr_same(err, target) {
			return true
		}
		if x, ok := err.(interface{ Is(error) bool }); ok && x.Is(target) {
			return true
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			for _, e := range x.Unwrap() {
				charge(1, walkWeight)
				if gyr_is(e, target) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

// A gyr_error is an error that the host takes out: the words of the interface, its text, and the
// numbers of the sentinels that it is. Exactly is the one that it equals, or -1.
type gyr_error struct {
	typ     *_type
	data    unsafe.Pointer
	text    string
	is      []int
	exactly int
}

// gyr_lifted are the errors in what the host takes out next.
var gyr_lifted []gyr_error

// A gyr_lifter finds the errors in a value.
type gyr_lifter struct {
	list  []gyr_error
	steps int // that are left
}

// gyr_lift prepares the value of type t at p for the host, which takes it out at once. The host has
// said that there may be errors in it.
func gyr_lift(t *_type, p unsafe.Pointer) {
	// What shares its parts may be endless, and what is so the host refuses.
	w := gyr_lifter{steps: 1<<20 + int(host_heapbytes()/2)}
	w.walk(t, p, 0)
	gyr_lifted = w.list // Error may have let other goroutines run
}

const (
	walkWeight = 8 * unitWeight  // for each part of a value in which errors may be
	madeWeight = 60 * unitWeight // for each entry of a map that is made
)

// gyr_maxdepth bounds the references that lead to a value.
const gyr_maxdepth = 10000

func (w *gyr_lifter) walk(t *_type, p unsafe.Pointer, depth int) {
	charge(1, walkWeight)
	w.steps--
	if w.steps < 0 || depth > gyr_maxdepth {
		w.steps = -1
		return
	}
	switch t.Kind() {
	case abi.Interface:
		w.inter(t, p, depth)
	case abi.Pointer:
		if e, q := (*abi.PtrType)(unsafe.Pointer(t)).Elem, *(*unsafe.Pointer)(p); q != nil && !gyr_leaf(e) {
			w.walk(e, q, depth+1)
		}
	case abi.Slice:
		s := (*slice)(p)
		w.elements((*abi.SliceType)(unsafe.Pointer(t)).Elem, s.array, s.len, depth+1)
	case abi.Array:
		a := (*abi.ArrayType)(unsafe.Pointer(t))
		w.elements(a.Elem, p, int(a.Len), depth)
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		if s.PkgPath.Bytes != nil && s.PkgPath.Name() == "time" {
			return // no part of a time.Time is an error
		}
		charge(uintptr(len(s.Fields)), unitWeight)
		for i := range s.Fields {
			if f := &s.Fields[i]; !gyr_leaf(f.Typ) && w.steps >= 0 {
				w.walk(f.Typ, add(p, f.Offset), depth)
			}
		}
	case abi.Map:
		w.entries((*abi.MapType)(unsafe.Pointer(t)), *(*unsafe.Pointer)(p), depth+1)
	}
}

func (w *gyr_lifter) elements(t *_type, p unsafe.Pointer, n, depth int) {
	if t.Size_ == 0 || gyr_leaf(t) {
		return
	}
	for i := range n {
		if w.steps < 0 {
			return
		}
		w.walk(t, add(p, uintptr(i)*t.Size_), depth)
	}
}

// gyr_leaf reports whether no value of the type has an error in it.
func gyr_leaf(t *_type) bool {
	k := t.Kind()
	return k <= abi.Complex128 || k == abi.String || k == abi.Func || k == abi.Chan || k == abi.UnsafePointer
}

func (w *gyr_lifter) entries(t *abi.MapType, m unsafe.Pointer, depth int) {
	if m == nil || gyr_leaf(t.Key) && gyr_leaf(t.Elem) {
		return
	}
	var it maps.Iter
	for mapIterStart(t, (*maps.Map)(m), &it); it.Key() != nil && w.steps >= 0; mapIterNext(&it) {
		w.walk(t.Key, it.Key(), depth)
		w.walk(t.Elem, it.Elem(), depth)
	}
}

// inter is walk for an interface: an error is lifted, another value is looked into.
func (w *gyr_lifter) inter(t *_type, p unsafe.Pointer, depth int) {
	e := *(*eface)(p)
	if e._type == nil {
		return
	}
	if len((*interfacetype)(unsafe.Pointer(t)).Methods) > 0 {
		e._type = (*itab)(unsafe.Pointer(e._type)).Type
	}
	if tab := getitab(gyr_errortype(), e._type, true); tab != nil {
		w.lift(iface{tab, e.data})
		return
	}
	if gyr_leaf(e._type) {
		return
	}
	q := e.data
	if e._type.IsDirectIface() {
		q = unsafe.Pointer(&e.data)
	}
	w.walk(e._type, q, depth+1)
}

// gyr_errortype is the type error.
func gyr_errortype() *interfacetype {
	var p any = (*error)(nil)
	return (*interfacetype)(unsafe.Pointer((*abi.PtrType)(unsafe.Pointer(efaceOf(&p)._type)).Elem))
}

func (w *gyr_lifter) lift(i iface) {
	err := *(*error)(unsafe.Pointer(&i))
	x := gyr_error{typ: i.tab.Type, data: i.data, text: err.Error()}
	x.is, x.exactly = gyr_sentinelsof(err)
	w.list = append(w.list, x)
}

// gyr_sentinelsof returns the numbers of the sentinels that err is, and of the one that it equals, or -1.
func gyr_sentinelsof(err error) (is []int, exactly int) {
	exactly = -1
	for n := range gyr_sentinels {
		s := gyr_sentinel(n)
		if s == nil || !gyr_is(err, s) {
			continue
		}
		if exactly < 0 && gyr_same(err, s) {
			exactly = n
		}
		is = append(is, n)
	}
	return is, exactly
}

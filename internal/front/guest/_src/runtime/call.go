package runtime

import (
	"internal/abi"
	"unsafe"
)

// Calls by the host. A program whose functions the host calls has a generated
// main function (internal/front/load, exports.go). For each function it makes a struct for
// the arguments and one for the results, and names them to the host (gyr_describe). Then it
// asks for calls (gyr_next): the host fills the one struct, and reads the other
// when it is asked for the next call.

// host_describe names function number i's structs: their types, and where they are. It
// returns what values of them need of the guest, see gyr_needs.
func host_describe(i int, inType, outType, in, out unsafe.Pointer) int

// What values of a type need of the guest when they cross (values.go).
const (
	gyr_needskit  = 1 << iota // the host needs the kit in order to hand arguments in
	gyr_needslift             // the host takes out results after gyr_lift
	gyr_weighs                // results have a weight, which host_outweigh returns
)

// Values that cross have a weight in units of gas, by their parts and bytes, which is charged before the host reads or writes them. What small values
// without references weigh is in the price of a call.

// host_outweigh returns the weight of the results of the call.
func host_outweigh() uintptr

// gyr_bytesaunit is bytesAUnit of package rt.
const gyr_bytesaunit = 8

// host_nextcall leaves the engine until the host calls, and returns the number of
// the function, and the weight of the arguments: if there is no gas for that the host has not written them. The host has taken the results
// of the call before. Where that has left goroutines, the host first asks for what gyr_rest does; where memory is that of an earlier version
// of the program, for descriptions, by the complements of numbers from 0 on, and for a collection.
func host_nextcall() (i int, weight uintptr)

// What host_nextcall returns for a collection, and when the last call has left goroutines.
const (
	gyr_collect = -1 << 62
	gyr_rest    = gyr_collect + 1
)

// A gyr_export is a function that the host may call.
type gyr_export struct {
	in, out any       // pointers to the structs
	clear   uintptr   // bytes of out that may hold pointers
	lift    *_type    // of out, if there may be errors in it; otherwise nil
	begins  bool      // there is something to do when a call begins: gyr_begin
	ends    bool      // and when it is over: gyr_takeout
	weighs  bool      // results have a weight that the host knows
	texts   []uintptr // otherwise: the offsets in out of strings and slices of bytes, whose length is their weight
}

var (
	gyr_exports []gyr_export
	gyr_last    *gyr_export // was called last, if there is something to do behind the call; otherwise nil
	gyr_asked   *gyr_export // nil: see gyr_next
)

func gyr_describe(in, out any) {
	i, o := efaceOf(&in), efaceOf(&out)
	t, u := (*abi.PtrType)(unsafe.Pointer(i._type)).Elem, (*abi.PtrType)(unsafe.Pointer(o._type)).Elem
	needs := host_describe(len(gyr_exports), unsafe.Pointer(t), unsafe.Pointer(u), i.data, o.data)
	x := gyr_export{in: in, out: out, clear: u.PtrBytes}
	if needs&(gyr_needskit|gyr_needslift) != 0 {
		gyr_values()
		if needs&gyr_needslift != 0 {
			x.lift = u
		}
	}
	if x.weighs = needs&gyr_weighs != 0; !x.weighs {
		x.texts = gyr_textsof(u)
	}
	x.ends = x.lift != nil || x.weighs || x.texts != nil
	x.begins = needs != 0 || x.clear > 0 || x.ends
	gyr_exports = append(gyr_exports, x)
}

// gyr_next waits for a call and returns the function's number and its structs: none where the function is to be described. It is small enough to be
// inlined into the loop that makes the calls, so that code leaves and comes back at one depth of the stack: the
// processor predicts no return otherwise. What not every call needs is not inlined for that reason.
func gyr_next() (n int, in, out any) {
	if x := gyr_last; x != nil && x.ends {
		gyr_takeout(x)
	}
	i, weight := host_nextcall()
	charge(weight, unitWeight)
	gyr_asked = nil // before anything beside it is read: the page is mapped alone then, and not with fifteen neighbours
	if x := gyr_last; x != nil {
		gyr_taken(x)
	}
	if i < 0 {
		return gyr_again(i)
	}
	x := &gyr_exports[i]
	if x.begins {
		gyr_begin(x)
	}
	return i, x.in, x.out
}

// gyr_takeout pays for the results of a function, and prepares those that may have errors in them.
//
//go:noinline
func gyr_takeout(x *gyr_export) {
	p := efaceOf(&x.out).data
	if x.lift != nil {
		gyr_lift(x.lift, p)
	}
	if x.weighs {
		charge(host_outweigh(), unitWeight)
		return
	}
	n := 0
	for _, at := range x.texts {
		if s := (*slice)(add(p, at)); s.array != nil {
			n += s.len
		}
	}
	charge(uintptr(n), unitWeight/gyr_bytesaunit)
}

// gyr_textsof returns the offsets of the strings and slices of bytes that are fields of a struct.
func gyr_textsof(t *_type) (list []uintptr) {
	s := (*structtype)(unsafe.Pointer(t))
	for i := range s.Fields {
		f := &s.Fields[i]
		if k := f.Typ.Kind(); k == abi.String || k == abi.Slice {
			list = append(list, f.Offset)
		}
	}
	return list
}

// gyr_taken forgets results that the host has taken out.
//
//go:noinline
func gyr_taken(x *gyr_export) {
	gyr_lifted, gyr_last = nil, nil
	ir_memclr(efaceOf(&x.out).data, x.clear)
}

// gyr_begin finishes what the host has handed in.
//
//go:noinline
func gyr_begin(x *gyr_export) {
	gyr_last = x
	gyr_settle()
}

// gyr_again is what a program does that is asked for something else than a call: where memory is that of an earlier version, or there are goroutines. It
// returns a number that is none of a function where there is none to describe.
//
//go:noinline
func gyr_again(i int) (n int, in, out any) {
	switch i {
	case gyr_collect:
		GC()
		return -1, nil, nil
	case gyr_rest:
		restspecials()
		return -1, nil, nil
	}
	if i == -1 {
		gyr_exports, gyr_last = nil, nil
	}
	return ^i, nil, nil
}

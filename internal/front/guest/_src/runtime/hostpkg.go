package runtime

import (
	"internal/abi"
	"unsafe"
)

// Calls of the host's functions. A package of the host (internal/front/hostpkg) has a generated body for each function that
// its host supplies. The body puts the arguments into a struct, the frame, charges for the call, and calls gyr_hostcall. Results
// that are numbers are in the frame when that returns. Others wait with the host until they are paid for: gyr_hostfinish. A
// function that calls back asks for that by what gyr_hostcall returns; the body then makes the call as any other and gives
// the results to gyr_hostresume. So the host never calls into a guest that runs.
//
// A call of which the host still knows something has a number, its id.

// Values that cross have a weight in units of gas, by their parts and bytes, which is charged before the host reads or writes them. Besides,
// the host may ask a price for each byte of contents: of strings, slices and so on.

// host_hostsize is the weight of the arguments in a frame, and perByte times the number of bytes of contents behind them.
func host_hostsize(number int, perByte uintptr, typ, frame unsafe.Pointer) uintptr

// host_hostcall calls a function of the host. r is 0 if all is done; greater: so many bytes of results wait; -1: the function has
// failed with a panic for the guest; less: callback number -2-r is asked for, whose arguments wait. weight is that of results.
func host_hostcall(number int, typ, frame unsafe.Pointer) (r, id int, weight uintptr)

// host_hostpending is how many bytes of contents the arguments of a callback have that wait for host_hosttake, and their weight.
func host_hostpending(id int, typ unsafe.Pointer) (n int, weight uintptr)

// host_hosttake copies what waits into the frame: results, which ends the call, or the arguments of a callback.
func host_hosttake(id int, typ, frame unsafe.Pointer)

// host_hostbacksize is host_hostsize for the results of a callback.
func host_hostbacksize(id int, perByte uintptr, typ, frame unsafe.Pointer) uintptr

// host_hostresume gives the results of a callback to the host's function, and returns what host_hostcall does.
func host_hostresume(id int, typ, frame unsafe.Pointer) (r, sameid int, weight uintptr)

// host_hostabandon ends a call whose callback does not return.
func host_hostabandon(id int)

// host_hosttext copies n bytes of the text of the panic with which the call failed, and returns its length. With n > 0 the call is over.
func host_hosttext(id int, p unsafe.Pointer, n int) int

func gyr_hostcharge(n uintptr) { charge(n, unitWeight) }

func gyr_frameof(frame any) (typ, p unsafe.Pointer) {
	e := efaceOf(&frame)
	return unsafe.Pointer((*abi.PtrType)(unsafe.Pointer(e._type)).Elem), e.data
}

func gyr_hostsize(number int, perByte uintptr, frame any) uintptr {
	typ, p := gyr_frameof(frame)
	return host_hostsize(number, perByte, typ, p)
}

func gyr_hostcall(number int, frame any) (r, id int, weight uintptr) {
	typ, p := gyr_frameof(frame)
	r, id, weight = host_hostcall(number, typ, p)
	gyr_lifted = nil
	return r, id, weight
}

// gyr_hostfinish ends a call of the host that has not failed with an error for the run.
func gyr_hostfinish(r, id int, weight, perByte uintptr, frame any) {
	if r < 0 {
		b := make([]byte, max(1, host_hosttext(id, nil, 0)))
		charge(uintptr(len(b)), moveWeight)
		n := host_hosttext(id, unsafe.Pointer(unsafe.SliceData(b)), len(b))
		panic(plainError(unsafe.String(unsafe.SliceData(b), n)))
	}
	charge(uintptr(r)*perByte+weight, unitWeight)
	typ, p := gyr_frameof(frame)
	host_hosttake(id, typ, p)
	gyr_settle()
}

func gyr_hostgiven(id int, perByte uintptr, frame any) {
	typ, p := gyr_frameof(frame)
	n, weight := host_hostpending(id, typ)
	charge(uintptr(n)*perByte+weight, unitWeight)
	host_hosttake(id, typ, p)
	gyr_settle()
}

func gyr_hostbacksize(id int, perByte uintptr, frame any) uintptr {
	typ, p := gyr_frameof(frame)
	return host_hostbacksize(id, perByte, typ, p)
}

func gyr_hostresume(id int, frame any) (r int, weight uintptr) {
	typ, p := gyr_frameof(frame)
	r, _, weight = host_hostresume(id, typ, p)
	gyr_lifted = nil
	return r, weight
}

func gyr_hostabandon(id int) { host_hostabandon(id) }

// gyr_hostlift prepares a frame with errors in it, or values of which that is not known, for the host, which reads it next.
func gyr_hostlift(frame any) {
	gyr_values()
	typ, p := gyr_frameof(frame)
	gyr_lift((*_type)(typ), p)
}

// gyr_newsentinel makes the value of a variable that stands for a sentinel error of the host.
func gyr_newsentinel(text string) error { return &hostError{text: text} }

// gyr_errorof makes the error that the host has put into a frame as a number and a text: 0 is nil, 1 an error that is no sentinel, and
// greater by 2 than its number if it is one.
func gyr_errorof(n int, text string) error {
	if n == 0 {
		return nil
	}
	s := gyr_sentinel(n - 2)
	if s != nil && s.Error() == text {
		return s
	}
	charge(unsafe.Sizeof(hostError{}), moveWeight)
	e := &hostError{text: text}
	if s != nil {
		e.is = []int{n - 2}
	}
	return e
}

// gyr_textof is the number and text of an error for the host.
func gyr_textof(err error) (n int, text string) {
	if err == nil {
		return 0, ""
	}
	text = err.Error()
	is, exactly := gyr_sentinelsof(err)
	switch {
	case exactly >= 0:
		return exactly + 2, text
	case len(is) > 0:
		return is[0] + 2, text
	}
	return 1, text
}

// gyr_hostvalues lets the host write values for which it needs code of the guest.
func gyr_hostvalues() { gyr_values() }

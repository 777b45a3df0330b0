package runtime

import (
	"internal/abi"
	"unsafe"
)

// An Error identifies a run time error: the value of a panic that the language
// itself raises, such as an index out of range or a failed type assertion.
type Error interface {
	error

	// RuntimeError does nothing; it marks the types of run time errors.
	RuntimeError()
}

// A TypeAssertionError explains a failed type assertion.
type TypeAssertionError struct {
	_interface    *_type // of the operand; may be nil
	concrete      *_type // that the operand holds; nil if it is nil
	asserted      *_type
	missingMethod string // of concrete, if asserted is an interface
}

func (*TypeAssertionError) RuntimeError() {}

func (e *TypeAssertionError) Error() string {
	want := typestring(e.asserted)
	if e.missingMethod != "" {
		return "interface conversion: " + typestring(e.concrete) + " is not " + want + ": missing method " + e.missingMethod
	}
	operand := "interface"
	if e._interface != nil {
		operand = typestring(e._interface)
	}
	if e.concrete == nil {
		return "interface conversion: " + operand + " is nil, not " + want
	}
	have := typestring(e.concrete)
	text := "interface conversion: " + operand + " is " + have + ", not " + want
	if have == want {
		if typepkg(e.concrete) != typepkg(e.asserted) {
			text += " (types from different packages)"
		} else {
			text += " (types from different scopes)"
		}
	}
	return text
}

// A PanicNilError is the value of panic(nil).
type PanicNilError struct {
	_ [0]*PanicNilError // no other type has this structure
}

func (*PanicNilError) Error() string { return panicNilText }
func (*PanicNilError) RuntimeError() {}

// An errorString is a run time error with a fixed text.
type errorString string

func (e errorString) RuntimeError() {}
func (e errorString) Error() string { return "runtime error: " + string(e) }

// A plainError is a run time error whose text has no prefix.
type plainError string

func (e plainError) RuntimeError() {}
func (e plainError) Error() string { return string(e) }

// An errorAddressString is a memory error.
type errorAddressString struct {
	msg  string
	addr uintptr
}

func (e errorAddressString) RuntimeError() {}
func (e errorAddressString) Error() string { return "runtime error: " + e.msg }

// Addr is the address that was accessed.
func (e errorAddressString) Addr() uintptr { return e.addr }

// Errors that other packages raise. The variables are shared by linkname.
var (
	divideError   = error(errorString("integer divide by zero"))
	overflowError = error(errorString("integer overflow"))
)

// A boundsError is an index or a slice bound out of range.
type boundsError struct {
	x      int64 // the offending operand
	y      int   // the limit
	signed bool  // x is signed
	code   abi.BoundsErrorCode
}

func (e boundsError) RuntimeError() {}

func (e boundsError) Error() string {
	x := utoa(uint64(e.x))
	negative := e.signed && e.x < 0
	if negative {
		x = itoa(e.x)
	}
	y := itoa(int64(e.y))

	const slice = "runtime error: slice bounds out of range ["
	if negative {
		// The limit does not matter.
		switch e.code {
		case abi.BoundsIndex:
			return "runtime error: index out of range [" + x + "]"
		case abi.BoundsSliceAlen, abi.BoundsSliceAcap:
			return slice + ":" + x + "]"
		case abi.BoundsSliceB:
			return slice + x + ":]"
		case abi.BoundsSlice3Alen, abi.BoundsSlice3Acap:
			return slice + "::" + x + "]"
		case abi.BoundsSlice3B:
			return slice + ":" + x + ":]"
		case abi.BoundsSlice3C:
			return slice + x + "::]"
		}
	}
	switch e.code {
	case abi.BoundsIndex:
		return "runtime error: index out of range [" + x + "] with length " + y
	case abi.BoundsSliceAlen:
		return slice + ":" + x + "] with length " + y
	case abi.BoundsSliceAcap:
		return slice + ":" + x + "] with capacity " + y
	case abi.BoundsSliceB:
		return slice + x + ":" + y + "]"
	case abi.BoundsSlice3Alen:
		return slice + "::" + x + "] with length " + y
	case abi.BoundsSlice3Acap:
		return slice + "::" + x + "] with capacity " + y
	case abi.BoundsSlice3B:
		return slice + ":" + x + ":" + y + "]"
	case abi.BoundsSlice3C:
		return slice + x + ":" + y + ":]"
	}
	return "runtime error: cannot convert slice with length " + y + " to array or pointer to array with length " + x
}

// The functions of ir.Traps. x is the operand that failed, y the limit; the U
// functions take x as unsigned.

func panicBounds(x int64, y int, signed bool, code abi.BoundsErrorCode) {
	panic(boundsError{x: x, y: y, signed: signed, code: code})
}

func panicIndex(x, y int)       { panicBounds(int64(x), y, true, abi.BoundsIndex) }
func panicIndexU(x, y int)      { panicBounds(int64(x), y, false, abi.BoundsIndex) }
func panicSliceAlen(x, y int)   { panicBounds(int64(x), y, true, abi.BoundsSliceAlen) }
func panicSliceAlenU(x, y int)  { panicBounds(int64(x), y, false, abi.BoundsSliceAlen) }
func panicSliceAcap(x, y int)   { panicBounds(int64(x), y, true, abi.BoundsSliceAcap) }
func panicSliceAcapU(x, y int)  { panicBounds(int64(x), y, false, abi.BoundsSliceAcap) }
func panicSliceB(x, y int)      { panicBounds(int64(x), y, true, abi.BoundsSliceB) }
func panicSliceBU(x, y int)     { panicBounds(int64(x), y, false, abi.BoundsSliceB) }
func panicSlice3Alen(x, y int)  { panicBounds(int64(x), y, true, abi.BoundsSlice3Alen) }
func panicSlice3AlenU(x, y int) { panicBounds(int64(x), y, false, abi.BoundsSlice3Alen) }
func panicSlice3Acap(x, y int)  { panicBounds(int64(x), y, true, abi.BoundsSlice3Acap) }
func panicSlice3AcapU(x, y int) { panicBounds(int64(x), y, false, abi.BoundsSlice3Acap) }
func panicSlice3B(x, y int)     { panicBounds(int64(x), y, true, abi.BoundsSlice3B) }
func panicSlice3BU(x, y int)    { panicBounds(int64(x), y, false, abi.BoundsSlice3B) }
func panicSlice3C(x, y int)     { panicBounds(int64(x), y, true, abi.BoundsSlice3C) }
func panicSlice3CU(x, y int)    { panicBounds(int64(x), y, false, abi.BoundsSlice3C) }

// panicSliceConvert: a slice of length y is converted to an array of length x.
func panicSliceConvert(x, y int) { panicBounds(int64(x), y, true, abi.BoundsConvert) }

// These do not use the variables above, which initialisation has to set first.

func panicdivide() { panic(errorString("integer divide by zero")) }
func panicshift()  { panic(errorString("negative shift amount")) }

// panicrangestate ends an iteration over a function that does not keep to the protocol. state is that of the
// loop: see lower/rangefunc.go.
func panicrangestate(state int) {
	switch state {
	case -1:
		panic(errorString("range function continued iteration after loop body panic"))
	case -2:
		panic(errorString("range function continued iteration after whole loop exit"))
	case -3:
		panic(errorString("range function recovered a loop body panic and did not resume panicking"))
	}
	panic(errorString("range function continued iteration after function for loop body returned false"))
}

// panicwrap: a value method was called through a nil pointer. recv is its
// receiver's type with the package's path.
func panicwrap(recv, meth string) {
	end := indexbyte(recv, '[')
	if end < 0 {
		end = len(recv)
	}
	typ := recv[lastindexbyte(recv[:end], '.')+1:]
	if end < len(recv) {
		// Type arguments are not spelled out.
		recv = recv[:end] + "[...]"
		typ = typ[:indexbyte(typ, '[')] + "[...]"
	}
	panic(plainError("value method " + recv + "." + meth + " called using nil *" + typ + " pointer"))
}

type stringer interface {
	String() string
}

// printpanicval prints the value of a panic. Errors and Stringers have become
// strings before.
func printpanicval(v any) {
	switch v := v.(type) {
	case nil:
		print("nil")
	case string:
		printindented(v)
	case bool:
		print(v)
	case int:
		print(v)
	case int8:
		print(v)
	case int16:
		print(v)
	case int32:
		print(v)
	case int64:
		print(v)
	case uint:
		print(v)
	case uint8:
		print(v)
	case uint16:
		print(v)
	case uint32:
		print(v)
	case uint64:
		print(v)
	case uintptr:
		print(v)
	case float32:
		print(v)
	case float64:
		print(v)
	case complex64:
		print(v)
	case complex128:
		print(v)
	default:
		printnamedval(efaceOf(&v))
	}
}

// printnamedval prints a value of another type: with its type's name, and if
// the type is not basic, its address.
func printnamedval(e *eface) {
	name := typestring(e._type)
	p := e.data
	switch e._type.Kind() {
	case abi.Complex64:
		print(name, *(*complex64)(p))
		return
	case abi.Complex128:
		print(name, *(*complex128)(p))
		return
	case abi.String:
		print(name, `("`)
		printindented(*(*string)(p))
		print(`")`)
		return
	case abi.Bool:
		print(name, "(", *(*bool)(p))
	case abi.Int:
		print(name, "(", *(*int)(p))
	case abi.Int8:
		print(name, "(", *(*int8)(p))
	case abi.Int16:
		print(name, "(", *(*int16)(p))
	case abi.Int32:
		print(name, "(", *(*int32)(p))
	case abi.Int64:
		print(name, "(", *(*int64)(p))
	case abi.Uint:
		print(name, "(", *(*uint)(p))
	case abi.Uint8:
		print(name, "(", *(*uint8)(p))
	case abi.Uint16:
		print(name, "(", *(*uint16)(p))
	case abi.Uint32:
		print(name, "(", *(*uint32)(p))
	case abi.Uint64:
		print(name, "(", *(*uint64)(p))
	case abi.Uintptr:
		print(name, "(", *(*uintptr)(p))
	case abi.Float32:
		print(name, "(", *(*float32)(p))
	case abi.Float64:
		print(name, "(", *(*float64)(p))
	default:
		print("(", name, ") ", unsafe.Pointer(p))
		return
	}
	print(")")
}

// printindented prints s with a tab after each newline, so that a value cannot
// be mistaken for a part of the traceback.
func printindented(s string) {
	for {
		i := indexbyte(s, '\n')
		if i < 0 {
			break
		}
		printstring(s[:i+1])
		printstring("\t")
		s = s[i+1:]
	}
	printstring(s)
}

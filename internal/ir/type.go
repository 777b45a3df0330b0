package ir

import "fmt"

// A Type is the machine type of one scalar. Strings, slices, interfaces and
// small structs are several values; larger aggregates live in memory.
//
// An integer of N bits is just that: no operation may depend on the upper bits of its register,
// which a back end may keep in any way. Booleans are I8 holding 0 or 1. Ptr is a 32-bit offset into
// linear memory, stored in 8 bytes; it is the only type that the collector follows. uintptr is I64.
type Type uint8

const (
	Void Type = iota
	I8
	I16
	I32
	I64
	F32
	F64
	Ptr
	numTypes
)

var typeNames = [numTypes]string{"void", "i8", "i16", "i32", "i64", "f32", "f64", "ptr"}
var typeSizes = [numTypes]int64{0, 1, 2, 4, 8, 4, 8, 8}

func (t Type) String() string {
	if t < numTypes {
		return typeNames[t]
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// Size returns the number of bytes that a value of the type takes in memory.
func (t Type) Size() int64 { return typeSizes[t] }

// Bits returns the width of an integer or float type in bits.
func (t Type) Bits() uint { return uint(typeSizes[t]) * 8 }

// IsInt reports whether t is one of I8 to I64.
func (t Type) IsInt() bool { return t >= I8 && t <= I64 }

// IsFloat reports whether t is F32 or F64.
func (t Type) IsFloat() bool { return t == F32 || t == F64 }

// Valid reports whether t is a defined type other than Void.
func (t Type) Valid() bool { return t > Void && t < numTypes }

// A Sig is the machine signature of a function: the flattened parameters and
// results. Two functions with equal Sigs may be called through one another.
type Sig struct {
	Params  []Type
	Results []Type
}

// Equal reports whether two signatures have the same scalars.
func (s *Sig) Equal(o *Sig) bool {
	if s == o {
		return true
	}
	if len(s.Params) != len(o.Params) || len(s.Results) != len(o.Results) {
		return false
	}
	for i, t := range s.Params {
		if o.Params[i] != t {
			return false
		}
	}
	for i, t := range s.Results {
		if o.Results[i] != t {
			return false
		}
	}
	return true
}

// Result returns the type of a call's own value: of the first result, or Void.
func (s *Sig) Result() Type {
	if len(s.Results) == 0 {
		return Void
	}
	return s.Results[0]
}

// typeLetters has the letter of each type in keys.
const typeLetters = "vbhwlfdp"

// Key returns a compact spelling of the signature, equal for equal signatures: one letter per
// scalar (b h w l f d p), parameters, a colon, results.
func (s *Sig) Key() string {
	buf := make([]byte, 0, len(s.Params)+len(s.Results)+1)
	for _, t := range s.Params {
		buf = append(buf, typeLetters[t])
	}
	buf = append(buf, ':')
	for _, t := range s.Results {
		buf = append(buf, typeLetters[t])
	}
	return string(buf)
}

// TruncConst brings a constant to the form that OpConst wants: sign-extended
// integers, 32 bits of a pointer or an F32.
func TruncConst(t Type, c int64) int64 {
	switch t {
	case I8:
		return int64(int8(c))
	case I16:
		return int64(int16(c))
	case I32:
		return int64(int32(c))
	case F32, Ptr:
		return int64(uint32(c))
	}
	return c
}

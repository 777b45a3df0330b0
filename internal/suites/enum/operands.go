package enum

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// A variable is a leaf whose value comes from a row of operands.
type variable struct {
	number int
	name   string
	typ    ir.Type
	kinds  []kind
	after  int // how many places earlier the variable is that must occur first in a tree; 0: none
	draw   func(r *rand.Rand, t ir.Type) uint64
}

var variables = [...]variable{
	{0, "x8", ir.I8, []kind{kind(ir.I8)}, 0, drawInt},
	{1, "y8", ir.I8, []kind{kind(ir.I8)}, 1, drawInt},
	{2, "z8", ir.I8, []kind{kind(ir.I8), divisor8}, 0, drawDivisor},
	{3, "x16", ir.I16, []kind{kind(ir.I16)}, 0, drawInt},
	{4, "y16", ir.I16, []kind{kind(ir.I16)}, 1, drawInt},
	{5, "z16", ir.I16, []kind{kind(ir.I16), divisor16}, 0, drawDivisor},
	{6, "x32", ir.I32, []kind{kind(ir.I32)}, 0, drawInt},
	{7, "y32", ir.I32, []kind{kind(ir.I32)}, 1, drawInt},
	{8, "z32", ir.I32, []kind{kind(ir.I32), divisor32}, 0, drawDivisor},
	{9, "x64", ir.I64, []kind{kind(ir.I64)}, 0, drawInt},
	{10, "y64", ir.I64, []kind{kind(ir.I64)}, 1, drawInt},
	{11, "z64", ir.I64, []kind{kind(ir.I64), divisor64}, 0, drawDivisor},
	{12, "f32", ir.F32, []kind{kind(ir.F32)}, 0, drawFloat},
	{13, "g32", ir.F32, []kind{kind(ir.F32)}, 1, drawFloat},
	{14, "f64", ir.F64, []kind{kind(ir.F64)}, 0, drawFloat},
	{15, "g64", ir.F64, []kind{kind(ir.F64)}, 1, drawFloat},
	{16, "b", ir.I8, []kind{boolean}, 0, drawBool},
	{17, "c", ir.I8, []kind{boolean}, 1, drawBool},
	{18, "p", ir.Ptr, []kind{kind(ir.Ptr), object}, 0, drawAddress},
	{19, "q", ir.Ptr, []kind{kind(ir.Ptr), object}, 1, drawAddress},
	{20, "i", ir.I64, []kind{little}, 0, drawLittle},
}

// Numbers of variables that programs name.
const (
	varX8     = 0
	varX16    = 3
	varX32    = 6
	varX64    = 9
	varY64    = 10
	varF32    = 12
	varF64    = 14
	varP      = 18
	varQ      = 19
	varLittle = 20
)

// rowBytes is the size of a row of operands in memory.
const rowBytes = int64(len(variables)) * 8

// A row is a value for each variable.
type row [len(variables)]uint64

// bits truncates a number to its type.
func bits(t ir.Type, x uint64) uint64 {
	if n := t.Bits(); n < 64 && t != ir.Ptr {
		x &= 1<<n - 1
	}
	return x
}

// drawInt draws a number near the bounds of types, a small one, or any.
func drawInt(r *rand.Rand, t ir.Type) uint64 {
	list := constants(t)
	switch r.IntN(8) {
	case 0, 1, 2:
		return bits(t, uint64(list[r.IntN(len(list))]))
	case 3:
		return bits(t, uint64(list[r.IntN(len(list))])+r.Uint64N(3)-1)
	case 4, 5:
		return bits(t, r.Uint64N(24)-4)
	case 6:
		return bits(t, r.Uint64()>>r.IntN(64))
	}
	return bits(t, r.Uint64())
}

func drawDivisor(r *rand.Rand, t ir.Type) uint64 {
	for {
		if x := drawInt(r, t); x != 0 {
			return x
		}
	}
}

func drawFloat(r *rand.Rand, t ir.Type) uint64 {
	x := floats[r.IntN(len(floats))]
	switch r.IntN(4) {
	case 0:
		x = r.NormFloat64() * 100
	case 1:
		x = float64(r.IntN(9)) - 4
	case 2:
		x = math.Copysign(x, r.NormFloat64())
	}
	if t == ir.F32 {
		return ir.MemoryNaN(t, uint64(math.Float32bits(float32(x))))
	}
	return ir.MemoryNaN(t, math.Float64bits(x))
}

func drawBool(r *rand.Rand, _ ir.Type) uint64   { return r.Uint64N(2) }
func drawLittle(r *rand.Rand, _ ir.Type) uint64 { return r.Uint64N(16) }
func drawAddress(r *rand.Rand, _ ir.Type) uint64 {
	return objectAddr + []uint64{0, 0, 1, 4, 8, 8, 15}[r.IntN(7)]
}

// drawRow draws a value for each variable. In one of four rows variables of the same type are
// equal, in one of eight the floats are NaNs.
func drawRow(r *rand.Rand) (x row) {
	same, nans := r.IntN(4) == 0, r.IntN(8) == 0
	for i := range variables {
		v := &variables[i]
		switch x[i] = v.draw(r, v.typ); {
		case nans && v.typ.IsFloat():
			x[i] = ir.MemoryNaN(v.typ, uint64(constants(v.typ)[len(floats)-1]))
		case same && v.after > 0:
			x[i] = x[i-v.after]
		}
	}
	return x
}

// append appends the row's memory.
func (x *row) append(b []byte) []byte {
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// text prints the values of the variables that a program's text names.
func (x *row) text(program string) string {
	words := strings.FieldsFunc(program, func(c rune) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'z') })
	var list []string
	for i := range variables {
		if v := &variables[i]; slices.Contains(words, v.name) {
			list = append(list, fmt.Sprintf("%s = %s", v.name, constText(v.typ, ir.TruncConst(v.typ, int64(x[i])))))
		}
	}
	return strings.Join(list, ", ")
}

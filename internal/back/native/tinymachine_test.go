//go:build unix

package native

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// A tinyMachine executes the code of a tinyCPU.
type tinyMachine struct {
	base    uintptr
	pc      uintptr
	r       [32]uint64
	handler *Handler
	over    bool
}

// tinyEnter is Enter for a tinyCPU.
func tinyEnter(base unsafe.Pointer, h *Handler) {
	m := &tinyMachine{base: uintptr(base), handler: h}
	m.resume()
	for !m.over {
		m.step((*record)(pointer(m.pc)))
	}
}

func (m *tinyMachine) word(off int) *uint64 { return (*uint64)(pointer(m.base + uintptr(off))) }
func at64(a uintptr) *uint64                { return (*uint64)(pointer(a)) }

// resume continues at the PC in the context, with empty registers.
func (m *tinyMachine) resume() {
	m.pc = uintptr(*m.word(abi.PC))
	for i := range m.r {
		m.r[i] = 0xdead_0000_dead_0000 + uint64(i)
	}
	m.r[tinyBase], m.r[tinyStack], m.r[tinyGas] = uint64(m.base), *m.word(abi.SP), *m.word(abi.Gas)
}

func (m *tinyMachine) push(ret uintptr) {
	m.r[tinyStack] -= tinyLink
	sp := uintptr(m.r[tinyStack])
	*at64(sp), *at64(sp + 8) = uint64(ret), 0x1111
}

func (m *tinyMachine) ret() {
	m.pc = uintptr(*at64(uintptr(m.r[tinyStack])))
	m.r[tinyStack] += tinyLink
}

func (m *tinyMachine) address(i *record) uintptr {
	a := uintptr(int64(i.disp)) + uintptr(m.r[i.mx])
	if i.my != tinyNone {
		a += uintptr(m.r[i.my]) * uintptr(i.scale)
	}
	return a
}

func (m *tinyMachine) holds(i *record) bool {
	y := uint64(i.imm)
	if i.y != tinyNone {
		y = m.r[i.y]
	}
	return tinyHolds(i.cond, i.size, i.float, m.r[i.x], y)
}

func (m *tinyMachine) step(i *record) {
	here := m.pc
	m.pc += uintptr(recordSize)
	jumpIf := func(yes bool) {
		if yes {
			m.pc = here + uintptr(int64(i.to))
		}
	}
	r := &m.r
	switch i.do {
	case doImm:
		r[i.d] = uint64(i.imm)
	case doUnary:
		r[i.d] = tinyUnary(i.op, i.size, r[i.x])
	case doBinary:
		r[i.d] = tinyBinary(i.op, i.size, r[i.x], r[i.y])
	case doImmOp:
		r[i.d] = tinyBinary(i.op, i.size, r[i.x], uint64(i.imm))
	case doFMA:
		r[i.d] = tinyFMA(i.size, r[i.y], r[i.z], r[i.x])
	case doLea:
		r[i.d] = uint64(m.address(i))
	case doTruncLea:
		r[i.d] = uint64(uint32(m.address(i)))
	case doLoad:
		r[i.d] = tinyLoad(i, m.address(i))
	case doStore:
		tinyStore(i.size, m.address(i), r[i.x])
	case doStoreImm:
		tinyStore(i.size, m.address(i), uint64(i.imm))
	case doNear:
		r[i.d] = *at64(here + uintptr(int64(i.to)))
	case doSet:
		set := uint64(0)
		if m.holds(i) {
			set = 1
		}
		r[i.d] = set
	case doIf:
		jumpIf(m.holds(i))
	case doIfNot:
		jumpIf(!m.holds(i))
	case doHere:
		r[i.d] = uint64(here) + uint64(int64(i.to))
	case doJump:
		m.pc = here + uintptr(i.imm) + uintptr(int64(i.to))
	case doJumpTo:
		m.pc = uintptr(r[i.x])
	case doTable:
		table := here + uintptr(int64(i.to))
		m.pc = table + uintptr(*(*uint32)(pointer(table + 4*uintptr(r[i.x]))))
		if d := int32(*(*uint32)(pointer(table + 4*uintptr(r[i.x])))); d < 0 {
			m.pc = table + uintptr(int64(d))
		}
	case doClear:
		clear(m.bytes(r[i.x], i.imm))
	default:
		m.control(i, here, jumpIf)
	}
}

func (m *tinyMachine) bytes(p uint64, n int64) []byte {
	return unsafe.Slice((*byte)(pointer(m.base+uintptr(p))), n)
}

// control executes records about calls, gas and the handler.
func (m *tinyMachine) control(i *record, here uintptr, jumpIf func(bool)) {
	r := &m.r
	switch i.do {
	case doCall:
		m.push(m.pc)
		m.pc = here + uintptr(i.imm) + uintptr(int64(i.to))
	case doCallTable:
		m.push(m.pc)
		m.pc = uintptr(*at64(here + uintptr(i.imm)))
	case doCallIndex:
		n := r[i.x]
		ok := n < *m.word(abi.NumFuncs)
		if ok && i.checked {
			sig := *(*uint32)(pointer(uintptr(*m.word(abi.Sigs)) + 4*uintptr(n)))
			ok = sig == uint32(i.imm) || sig == anySig
		}
		if !ok {
			jumpIf(true)
			return
		}
		m.push(m.pc)
		m.pc = uintptr(*at64(uintptr(*m.word(abi.Table)) + 8*uintptr(n)))
	case doChargeReg:
		r[tinyGas] -= min(r[i.x], 1<<62)
	case doLeave:
		*m.word(abi.Gas), *m.word(abi.SP), *m.word(abi.PC) = r[tinyGas], r[tinyStack], uint64(m.pc)
		m.over = !(*m.handler).Handle()
		m.resume()
	case doRet:
		m.ret()
	default:
		panic("tiny: no instruction")
	}
}

func tinyLoad(i *record, a uintptr) uint64 {
	p := pointer(a)
	switch i.op {
	case plan.Zext8:
		return uint64(*(*uint8)(p))
	case plan.Zext16:
		return uint64(*(*uint16)(p))
	case plan.Zext32:
		return uint64(*(*uint32)(p))
	case plan.Sext8:
		return uint64(*(*int8)(p))
	case plan.Sext16:
		return uint64(*(*int16)(p))
	case plan.Sext32:
		return uint64(*(*int32)(p))
	}
	if i.size == plan.S32 { // a float
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func tinyStore(size plan.Size, a uintptr, x uint64) {
	switch p := pointer(a); size {
	case plan.S8:
		*(*uint8)(p) = uint8(x)
	case plan.S16:
		*(*uint16)(p) = uint16(x)
	case plan.S32:
		*(*uint32)(p) = uint32(x)
	default:
		*(*uint64)(p) = x
	}
}

func float(size plan.Size, x uint64) float64 {
	if size == plan.S32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

func unfloat(size plan.Size, x float64) uint64 {
	if size == plan.S32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// cut and signed are a number's low bits, with zeros or the sign above.
func cut(size plan.Size, x uint64) uint64 { return x << (64 - size.Bits()) >> (64 - size.Bits()) }

func signed(size plan.Size, x uint64) int64 {
	return int64(x<<(64-size.Bits())) >> (64 - size.Bits())
}

func tinyHolds(cond plan.Cond, size plan.Size, isFloat bool, x, y uint64) bool {
	order := 0 // 2: not ordered
	if isFloat {
		switch a, b := float(size, x), float(size, y); {
		case a < b:
			order = -1
		case a > b:
			order = 1
		case a != b:
			order = 2
		}
		switch cond {
		case plan.Eq:
			return order == 0
		case plan.Ne:
			return order != 0
		case plan.GtU:
			return order == 1
		case plan.GeU:
			return order == 1 || order == 0
		}
		panic("tiny: a condition that floats do not have")
	}
	a, b, s, t := cut(size, x), cut(size, y), signed(size, x), signed(size, y)
	switch cond {
	case plan.Eq:
		return a == b
	case plan.Ne:
		return a != b
	case plan.LtS:
		return s < t
	case plan.LeS:
		return s <= t
	case plan.GtS:
		return s > t
	case plan.GeS:
		return s >= t
	case plan.LtU:
		return a < b
	case plan.LeU:
		return a <= b
	case plan.GtU:
		return a > b
	}
	return a >= b
}

// toInt converts a float to an integer, MinInt64 if there is none.
func toInt(x float64) uint64 {
	if x >= -1<<63 && x < 1<<63 {
		return uint64(int64(x))
	}
	return 1 << 63
}

func tinyUnary(op plan.Op, size plan.Size, x uint64) uint64 {
	width := uint64(size.Bits())
	sign := uint64(1) << (width - 1)
	switch op {
	case plan.Copy:
		return x
	case plan.FloatOf:
		return cut(size, x)
	case plan.BitsOf:
		return cut(size, x)
	case plan.Zext8:
		return uint64(uint8(x))
	case plan.Zext16:
		return uint64(uint16(x))
	case plan.Zext32:
		return uint64(uint32(x))
	case plan.Sext8:
		return uint64(int8(x))
	case plan.Sext16:
		return uint64(int16(x))
	case plan.Sext32:
		return uint64(int32(x))
	case plan.Neg:
		return cut(size, -x)
	case plan.Not:
		return cut(size, ^x)
	case plan.Bswap:
		return bits.ReverseBytes64(x) >> (64 - width)
	case plan.Clz:
		return uint64(bits.LeadingZeros64(cut(size, x))) - (64 - width)
	case plan.Ctz:
		return min(uint64(bits.TrailingZeros64(x)), width)
	case plan.Popcnt:
		return uint64(bits.OnesCount64(cut(size, x)))
	case plan.FSqrt:
		return unfloat(size, math.Sqrt(float(size, x)))
	case plan.FFloor:
		return unfloat(size, math.Floor(float(size, x)))
	case plan.FCeil:
		return unfloat(size, math.Ceil(float(size, x)))
	case plan.FTrunc:
		return unfloat(size, math.Trunc(float(size, x)))
	case plan.FNeg:
		return x ^ sign
	case plan.FAbs:
		return x &^ sign
	case plan.IToF:
		if size == plan.S32 {
			return uint64(math.Float32bits(float32(int64(x))))
		}
		return math.Float64bits(float64(int64(x)))
	case plan.UToF:
		if size == plan.S32 {
			return uint64(math.Float32bits(float32(x)))
		}
		return math.Float64bits(float64(x))
	case plan.FToI:
		return toInt(float(size, x))
	case plan.FToN:
		if f := float(size, x); f > -1<<31-1 && f < 1<<31 {
			return uint64(int32(f))
		}
		return 1 << 31
	case plan.FToU:
		if f := float(size, x); f < 1<<63 {
			return toInt(f)
		} else {
			return toInt(f-1<<63) | 1<<63
		}
	case plan.FWiden:
		return unfloat(plan.S64, float(plan.S32, x))
	case plan.FNarrow:
		return unfloat(plan.S32, float(plan.S64, x))
	}
	panic("tiny: no such operation on one operand")
}

func tinyBinary(op plan.Op, size plan.Size, x, y uint64) uint64 {
	width := uint64(size.Bits())
	switch op {
	case plan.FAdd:
		return tinyFloats(size, x, y, func(a, b float64) float64 { return a + b })
	case plan.FSub:
		return tinyFloats(size, x, y, func(a, b float64) float64 { return a - b })
	case plan.FMul:
		return tinyFloats(size, x, y, func(a, b float64) float64 { return a * b })
	case plan.FDiv:
		return tinyFloats(size, x, y, func(a, b float64) float64 { return a / b })
	case plan.FCopysign:
		sign := uint64(1) << (width - 1)
		if math.IsNaN(float(size, y)) {
			y = 0
		}
		return x&^sign | y&sign
	case plan.MulHighU:
		hi, _ := bits.Mul64(x, y)
		return hi
	case plan.MulHighS:
		hi, _ := bits.Mul64(x, y)
		return hi - x*(y>>63) - y*(x>>63)
	}
	return cut(size, tinyIntegers(op, size, x, y))
}

// tinyFloats computes with float64, which rounds right for float32 too.
func tinyFloats(size plan.Size, x, y uint64, f func(a, b float64) float64) uint64 {
	return unfloat(size, f(float(size, x), float(size, y)))
}

func tinyIntegers(op plan.Op, size plan.Size, x, y uint64) uint64 {
	width := uint64(size.Bits())
	switch op {
	case plan.Add:
		return x + y
	case plan.Sub:
		return x - y
	case plan.And:
		return x & y
	case plan.Or:
		return x | y
	case plan.Xor:
		return x ^ y
	case plan.Mul:
		return x * y
	case plan.AndNot:
		return x &^ y
	case plan.DivU:
		return cut(size, x) / cut(size, y)
	case plan.RemU:
		return cut(size, x) % cut(size, y)
	case plan.DivS:
		return uint64(signed(size, x) / signed(size, y))
	case plan.RemS:
		return uint64(signed(size, x) % signed(size, y))
	case plan.Shl:
		return x << (y % width)
	case plan.ShrU:
		return cut(size, x) >> (y % width)
	case plan.ShrS:
		return uint64(signed(size, x) >> (y % width))
	case plan.ShlAny:
		if y >= width {
			return 0
		}
		return x << y
	case plan.ShrUAny:
		return cut(size, x) >> y
	case plan.ShrSAny:
		return uint64(signed(size, x) >> y)
	case plan.Rotl:
		n := y % width
		return cut(size, x)<<n | cut(size, x)>>(width-n)
	}
	panic("tiny: no such operation on two operands")
}

// tinyFMA is x*y + z. That of float32 is rounded to odd first, so that it is rounded once.
func tinyFMA(size plan.Size, x, y, z uint64) uint64 {
	a, b, c := float(size, x), float(size, y), float(size, z)
	if size == plan.S64 {
		return math.Float64bits(math.FMA(a, b, c))
	}
	p := a * b // exact
	s := p + c
	t := s - p
	lost := (p - (s - t)) + (c - t)
	if n := math.Float64bits(s); lost != 0 && !math.IsNaN(lost) && n&1 == 0 {
		if lost > 0 == (s > 0) {
			n++
		} else {
			n--
		}
		s = math.Float64frombits(n)
	}
	return unfloat(plan.S32, s)
}

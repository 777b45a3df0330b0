package ir

// A Trap says which Go panic a failing check raises. The runtime overlay has one function per trap,
// named here; it takes the check's I64 operands.
type Trap int64

const (
	TrapNil Trap = iota
	TrapIndex
	TrapIndexU
	TrapSliceAlen
	TrapSliceAlenU
	TrapSliceAcap
	TrapSliceAcapU
	TrapSliceB
	TrapSliceBU
	TrapSlice3Alen
	TrapSlice3AlenU
	TrapSlice3Acap
	TrapSlice3AcapU
	TrapSlice3B
	TrapSlice3BU
	TrapSlice3C
	TrapSlice3CU
	TrapSliceConvert
	TrapDivide
	TrapShift
	TrapMakeSliceLen
	TrapMakeSliceCap
	TrapUnsafeSliceLen
	TrapUnsafeSliceNil
	TrapUnsafeStringLen
	TrapUnsafeStringNil
	NumTraps
)

// TrapInfo names the function of package runtime that raises a trap and the
// number of I64 operands that it takes.
type TrapInfo struct {
	Name string
	Func string
	Args int
}

// Traps is the table of all traps.
var Traps = [NumTraps]TrapInfo{
	TrapNil:             {"nil", "sigpanic", 0},
	TrapIndex:           {"index", "panicIndex", 2},
	TrapIndexU:          {"indexu", "panicIndexU", 2},
	TrapSliceAlen:       {"slicealen", "panicSliceAlen", 2},
	TrapSliceAlenU:      {"slicealenu", "panicSliceAlenU", 2},
	TrapSliceAcap:       {"sliceacap", "panicSliceAcap", 2},
	TrapSliceAcapU:      {"sliceacapu", "panicSliceAcapU", 2},
	TrapSliceB:          {"sliceb", "panicSliceB", 2},
	TrapSliceBU:         {"slicebu", "panicSliceBU", 2},
	TrapSlice3Alen:      {"slice3alen", "panicSlice3Alen", 2},
	TrapSlice3AlenU:     {"slice3alenu", "panicSlice3AlenU", 2},
	TrapSlice3Acap:      {"slice3acap", "panicSlice3Acap", 2},
	TrapSlice3AcapU:     {"slice3acapu", "panicSlice3AcapU", 2},
	TrapSlice3B:         {"slice3b", "panicSlice3B", 2},
	TrapSlice3BU:        {"slice3bu", "panicSlice3BU", 2},
	TrapSlice3C:         {"slice3c", "panicSlice3C", 2},
	TrapSlice3CU:        {"slice3cu", "panicSlice3CU", 2},
	TrapSliceConvert:    {"sliceconvert", "panicSliceConvert", 2},
	TrapDivide:          {"divide", "panicdivide", 0},
	TrapShift:           {"shift", "panicshift", 0},
	TrapMakeSliceLen:    {"makeslicelen", "panicmakeslicelen", 0},
	TrapMakeSliceCap:    {"makeslicecap", "panicmakeslicecap", 0},
	TrapUnsafeSliceLen:  {"unsafeslicelen", "panicunsafeslicelen", 0},
	TrapUnsafeSliceNil:  {"unsafeslicenil", "panicunsafeslicenilptr", 0},
	TrapUnsafeStringLen: {"unsafestringlen", "panicunsafestringlen", 0},
	TrapUnsafeStringNil: {"unsafestringnil", "panicunsafestringnilptr", 0},
}

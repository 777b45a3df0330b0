package rt

import "encoding/binary"

// Offsets in internal/abi.Type and its tails, in all releases. Those of maps are in package release.
const (
	typeSize     = 0
	typePtrBytes = 8
	typeTFlag    = 20
	typeKind     = 23
	typeGCData   = 32
	typeHead     = 48

	arrayElem    = 48
	arrayLen     = 64
	arrayHead    = 72
	structFields = 56 // a slice
	structHead   = 80

	fieldSize   = 24
	fieldType   = 8
	fieldOffset = 16

	flagGCMaskOnDemand = 1 << 4

	kindArray  = 17
	kindStruct = 25
)

func u64(b []byte, off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }

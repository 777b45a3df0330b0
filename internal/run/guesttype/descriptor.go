package guesttype

import "encoding/binary"

// Offsets in internal/abi.Type and its tails, the same in all releases. Package release has those
// of maps.
const (
	TypeSize     = 0
	TypePtrBytes = 8
	TypeTFlag    = 20
	TypeKind     = 23
	TypeGCData   = 32
	TypeHead     = 48

	ArrayElem    = 48
	ArrayLen     = 64
	ArrayHead    = 72
	StructFields = 56 // a slice
	StructHead   = 80

	FieldSize   = 24
	FieldType   = 8
	FieldOffset = 16

	FlagGCMaskOnDemand = 1 << 4

	KindArray  = 17
	KindStruct = 25
)

func U64(b []byte, off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }

package layout

import (
	"go/token"
	"go/types"
)

// abi constants of maps.
const (
	mapGroupSlots = 8
	mapSlots      = 8   // offset of the slots in a group
	mapMaxInline  = 128 // larger keys and elements are stored by pointer

	mapNeedKeyUpdate  = 1 << 0
	mapHashMightPanic = 1 << 1
	mapIndirectKey    = 1 << 2
	mapIndirectElem   = 1 << 3
)

// MapInfo has the facts about a map's memory from its descriptor.
type MapInfo struct {
	// Group is the type of a group of slots, which programs do not see:
	//	struct {
	//		ctrl  uint64
	//		slots [8]struct{ key K; elem E }
	//	}
	// where K and E are pointers if the real ones exceed 128 bytes.
	Group     *types.Struct
	Slot      *types.Struct
	GroupSize int64
	SlotSize  int64
	ElemOff   int64  // of elem in a slot
	Flags     uint32 // abi.MapNeedKeyUpdate, MapHashMightPanic, MapIndirectKey, MapIndirectElem
}

// MapInfo returns the memory layout of maps of type t.
func (b *Builder) MapInfo(t types.Type) MapInfo {
	m, ok := t.Underlying().(*types.Map)
	if !ok {
		b.fail("%v is not a map type", t)
		return MapInfo{}
	}
	if g, ok := b.groups[m]; ok {
		return g
	}
	var g MapInfo
	key, elem := m.Key(), m.Elem()
	if b.Sizeof(key) > mapMaxInline {
		key = types.NewPointer(key)
		g.Flags |= mapIndirectKey
	}
	if b.Sizeof(elem) > mapMaxInline {
		elem = types.NewPointer(elem)
		g.Flags |= mapIndirectElem
	}
	if b.info(m.Key()).keyUpdate {
		g.Flags |= mapNeedKeyUpdate
	}
	if b.info(m.Key()).mayPanic {
		g.Flags |= mapHashMightPanic
	}

	field := func(name string, t types.Type) *types.Var { return types.NewField(token.NoPos, nil, name, t, false) }
	g.Slot = types.NewStruct([]*types.Var{field("key", key), field("elem", elem)}, nil)
	slots := types.NewArray(g.Slot, mapGroupSlots)
	g.Group = types.NewStruct([]*types.Var{field("ctrl", types.Typ[types.Uint64]), field("slots", slots)}, nil)
	g.GroupSize = b.Sizeof(g.Group)
	g.SlotSize = b.Sizeof(g.Slot)
	g.ElemOff = b.Offsets(g.Slot)[1]
	b.noalg[g.Group], b.noalg[slots], b.noalg[g.Slot] = m, nil, nil
	b.groups[m] = g
	return g
}

// writeMap writes the part for the kind of a map descriptor at a.
func (b *Builder) writeMap(a uint32, d *desc, m *types.Map) {
	g := b.MapInfo(m)
	b.setPtr(a, b.ref(m.Key()))
	b.setPtr(a+8, b.ref(m.Elem()))
	b.setPtr(a+16, b.ref(g.Group))
	if b.hooks.Hasher != nil {
		b.setPtr(a+24, b.hooks.Hasher(m.Key()))
	}
	b.SetInt64(a+32, g.GroupSize)
	t := &b.mapType
	at := a - sizeType // of the descriptor
	b.SetInt64(at+t.Stride, g.SlotSize)
	b.SetInt64(at+t.ElemOff, g.ElemOff)
	b.SetInt32(at+t.Flags, int32(g.Flags))
	if keys, elems, stride := t.Arrays[0], t.Arrays[1], t.Arrays[2]; keys > 0 {
		b.SetInt64(at+keys, mapSlots)
		b.SetInt64(at+elems, mapSlots+g.ElemOff)
		b.SetInt64(at+stride, g.SlotSize)
	}
	if d.named {
		// If reflect converts a named map to its underlying type, it must find that type's
		// descriptor: both hash alike.
		b.ref(m)
	}
}

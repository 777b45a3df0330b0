package layout

import (
	"slices"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Base is a finished segment that builders of other segments continue: their segments begin with
// its bytes, and types that it describes are not described again. A program could tell two
// descriptors of one type apart, so builders find the base's descriptors. They also find its
// layouts, but not its strings, masks, closures and itabs. A Base is immutable and safe for
// concurrent use.
type Base struct {
	BaseIndex
	below   *Base // nil: the segment stands alone
	m       *ir.Module
	layouts map[string]int32 // without those of the bases below
}

// A BaseIndex has the facts about a segment that its module does not have.
type BaseIndex struct {
	Types   decode.Table // descriptors, by link string, without those of the bases below
	Links   []uint32     // see [Builder.TypeLinks]
	Low     uint64       // end of the data in the first region
	High    uint64       // end of the data in the second
	Globals int64        // bytes of globals in the first region
}

// Index returns the facts that a base of the builder's segment needs. It is called before Finish,
// when all else is done.
func (b *Builder) Index() BaseIndex {
	types := make(map[string]uint32, len(b.descList))
	for _, d := range b.descList {
		types[d.key] = d.addr
	}
	return BaseIndex{
		Types: decode.TableOf(types), Links: b.TypeLinks(), Low: b.low.end, High: b.high.end, Globals: b.inLow,
	}
}

// NewBase makes a base of a finished module. Unless below is nil, the module's segment continues
// that of below.
func NewBase(below *Base, m *ir.Module, x BaseIndex) *Base {
	first := 1 // ir.NoPointers has none
	if below != nil {
		first = max(first, len(below.m.Layouts))
	}
	base := &Base{BaseIndex: x, below: below, m: m, layouts: map[string]int32{}}
	for i, l := range m.Layouts[min(first, len(m.Layouts)):] {
		base.layouts[layoutKey(l)] = int32(first + i)
	}
	return base
}

// continues makes an empty builder continue the segment of a base.
func (b *Builder) continues(base *Base) {
	b.base = base
	data := base.m.Data
	b.low.end, b.high.end, b.inLow = base.Low, base.High, base.Globals
	low := data[:min(len(data), int(base.Low-ir.DataBase))]
	b.low.bytes = append(make([]byte, 0, len(low)+ownRoom), low...)
	if base.High > highBase && len(data) > highBase-ir.DataBase {
		b.high.bytes = slices.Clone(data[highBase-ir.DataBase:])
	}
	b.layouts, b.roots = slices.Clip(base.m.Layouts), slices.Clip(base.m.Roots)
}

// ownRoom is how many bytes a segment may add to its base's before the base is copied again.
const ownRoom = 64 << 10

func (base *Base) typ(key string) (addr uint32, ok bool) {
	for ; base != nil && !ok; base = base.below {
		addr, ok = base.Types.Get(key)
	}
	return addr, ok
}

func (base *Base) layout(key string) (n int32, ok bool) {
	for ; base != nil && !ok; base = base.below {
		n, ok = base.layouts[key]
	}
	return n, ok
}

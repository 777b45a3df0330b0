package layout

import (
	"encoding/binary"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/ir"
)

// This file writes a plan for the cache, without what its module has.

// AppendRecord appends the plan's record: what [Plan.With] does not know.
func (p *Plan) AppendRecord(b []byte) []byte {
	for _, n := range []uint64{p.Low, p.High, uint64(p.Globals), uint64(len(p.Things))} {
		b = binary.AppendUvarint(b, n)
	}
	last := uint32(0) // most things follow the one before
	for _, x := range p.Things {
		b = append(b, byte(x.Kind))
		b = binary.AppendVarint(b, int64(x.Addr)-int64(last))
		b = binary.AppendUvarint(b, uint64(x.Size))
		b = append(binary.AppendUvarint(b, uint64(len(x.Name))), x.Name...)
		last = x.Addr + x.Size
	}
	return b
}

// ReadPlan reads the record of a plan of the module. The Reader is short if it is none.
func ReadPlan(r *decode.Reader, m *ir.Module) *Plan {
	end := uint64(ir.DataBase) + uint64(m.DataSize()) + uint64(m.BSS)
	p := &Plan{Low: r.Uvarint(end), High: r.Uvarint(max(end, highBase)), Globals: int64(r.Uvarint(end))}
	if p.Low < ir.DataBase {
		r.Fail()
	}
	p.Things = make([]Thing, r.Uvarint(uint64(len(r.B))/leastThing))
	last := uint32(0)
	for i := range p.Things {
		x := &p.Things[i]
		x.Kind = ThingKind(r.Uvarint(uint64(VariableThing)))
		addr := int64(last) + r.Varint()
		if r.Short || addr < ir.DataBase || uint64(addr) > end {
			r.Fail()
			break
		}
		x.Addr, x.Size = uint32(addr), uint32(r.Uvarint(end-uint64(addr)))
		x.Name = r.Text()
		last = x.Addr + x.Size
	}
	return p
}

// leastThing is the least number of bytes that a thing has in a record.
const leastThing = 4

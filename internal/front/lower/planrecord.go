package lower

import (
	"encoding/binary"
	"errors"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/layout"
	"github.com/gyrvm/gyr/internal/ir"
)

// This file writes a plan for the cache, without what its module has.

// AppendRecord appends the plan's record: what [Plan.With] does not know.
func (p *Plan) AppendRecord(b []byte) []byte {
	b = p.Layout.AppendRecord(b)
	b = binary.AppendUvarint(b, uint64(len(p.Funcs)))
	last, key := int32(0), ""
	for _, f := range p.Funcs {
		// Functions of one package follow each other.
		same := 0
		for same < min(len(key), len(f.Key)) && key[same] == f.Key[same] {
			same++
		}
		b = binary.AppendVarint(b, int64(f.Index)-int64(last))
		b = binary.AppendUvarint(b, uint64(same))
		b = binary.AppendUvarint(b, uint64(len(f.Key)-same))
		b = append(b, f.Key[same:]...)
		declared := byte(0)
		if f.Declared {
			declared = 1
		}
		b = append(b, declared)
		last, key = f.Index, f.Key
	}
	return b
}

var errPlanRecord = errors.New("lower: not the record of a plan of this module")

// ReadPlan reads the record of a plan of the module.
func ReadPlan(b []byte, m *ir.Module) (*Plan, error) {
	r := &decode.Reader{B: b}
	p := &Plan{Layout: layout.ReadPlan(r, m)}
	p.Funcs = make([]PlannedFunc, r.Uvarint(uint64(len(r.B))/leastFunc))
	last, key := int64(0), ""
	for i := range p.Funcs {
		if last += r.Varint(); last < int64(m.FirstOwn()) || last >= int64(m.NumFuncs()) {
			r.Fail()
		}
		key = key[:r.Uvarint(uint64(len(key)))] + r.Text()
		p.Funcs[i] = PlannedFunc{key, int32(last), r.Uvarint(1) == 1}
		if r.Short {
			break
		}
	}
	if !r.End() {
		return nil, errPlanRecord
	}
	return p, nil
}

// leastFunc is the least number of bytes that a function has in a record.
const leastFunc = 4

package plan

import "encoding/binary"

// constants are the constants after the code: of 8 bytes, and of 16, the same 8 twice.
type constants struct {
	at8, at16       map[uint64]Label
	order8, order16 []uint64
}

// Const8 returns the place of 8 constant bytes, Const16 that of the same bytes twice.
func (e *Emitter) Const8(x uint64) Label { return e.constant8or16(&e.pool.at8, &e.pool.order8, x) }

func (e *Emitter) Const16(x uint64) Label { return e.constant8or16(&e.pool.at16, &e.pool.order16, x) }

func (e *Emitter) constant8or16(at *map[uint64]Label, order *[]uint64, x uint64) Label {
	l, ok := (*at)[x]
	if !ok {
		if *at == nil {
			*at = map[uint64]Label{}
		}
		l = e.NewLabel()
		(*at)[x] = l
		*order = append(*order, x)
	}
	return l
}

// A jumpTable follows the constants: 32-bit distances from its start.
type jumpTable struct {
	at      Label
	targets []Label
}

// Table returns the place of a table of the distances to targets.
func (e *Emitter) Table(targets []Label) Label {
	t := jumpTable{e.NewLabel(), targets}
	e.jumps = append(e.jumps, t)
	return t.at
}

// writeConstants writes the constants and reserves the jump tables.
func (e *Emitter) writeConstants() {
	le, p := binary.LittleEndian, &e.pool
	if len(p.order16) > 0 {
		e.Fill(16, e.cpu.Trap)
		for _, x := range p.order16 {
			e.Bind(p.at16[x])
			e.Buf = le.AppendUint64(le.AppendUint64(e.Buf, x), x)
		}
	}
	if len(p.order8) > 0 {
		e.Fill(8, e.cpu.Trap)
		for _, x := range p.order8 {
			e.Bind(p.at8[x])
			e.Buf = le.AppendUint64(e.Buf, x)
		}
	}
	if len(e.jumps) > 0 {
		e.Fill(4, e.cpu.Trap)
		for _, t := range e.jumps {
			e.Bind(t.at)
			e.Buf = append(e.Buf, make([]byte, 4*len(t.targets))...)
		}
	}
}

func (e *Emitter) fillTables() {
	for _, t := range e.jumps {
		base := e.Offset(t.at)
		for i, l := range t.targets {
			binary.LittleEndian.PutUint32(e.Buf[base+4*i:], uint32(e.Offset(l)-base))
		}
	}
}

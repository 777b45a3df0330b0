package gas

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// A work emits the charges before an operation.
type work func(p *placer, v *ir.Value) error

// opWork is the counted work of operations. Calls are in callWork and ir.Primitives.
var opWork = [ir.NumOps]work{
	ir.OpMoveN:     count(2, MoveWeight),
	ir.OpClearN:    count(1, MoveWeight),
	ir.OpMemEq:     count(2, MoveWeight),
	ir.OpMemCmp:    count(1, MoveWeight), // at most the shorter of the two is looked at
	ir.OpIndexByte: count(1, MoveWeight),
	ir.OpMemHash:   count(2, HashWeight),
	ir.OpNewArray: func(p *placer, v *ir.Value) error {
		p.counted(v.Args[0], v.Aux2*AllocWeight)
		return nil
	},
	ir.OpCall: runtimeCall,
	ir.OpHost: hostCall,
}

// callWork is the counted work of functions of the runtime, by the names of Calls. The functions
// check the count here against the truth if the caller could understate it.
var callWork = map[string]work{
	"concatstring2": func(p *placer, v *ir.Value) error {
		n, err := operands(v, ir.I64, 1, 3)
		if err == nil {
			p.counted(p.op(ir.OpAdd, ir.I64, 0, n...), AllocWeight)
		}
		return err
	},
	"slicebytetostring": count(1, AllocWeight),
	"stringtoslicebyte": count(1, AllocWeight),
	"growslice":         elements(1, 4),
	"makeslice":         elements(2, 0),
	"makemap":           count(1, EntryWeight),
	"mapclear":          count(2, EntryWeight),
	"charge":            chargeCall,
	"GC":                collection, "runtime_debug_freeOSMemory": collection,
}

// collection charges for an explicit collection by the size of the heap.
func collection(p *placer, v *ir.Value) error {
	p.counted(p.heapSize(), 32)
	return nil
}

// workOf returns what emits the charges before v, or nil.
func (p *placer) workOf(v *ir.Value) work {
	switch {
	case v.Op == ir.OpCall && v.Fn.Flags&ir.Runtime == 0:
		return nil
	case p.metering == meterAll:
		return opWork[v.Op]
	case v.Op == ir.OpCall:
		if v.Fn.Name == "runtime.charge" {
			return chargeCall
		}
		return nil
	case p.metering == meterBulk && v.Op != ir.OpHost:
		return opWork[v.Op]
	}
	return nil
}

// chargeCall is charge(n, weight): the runtime calls it to charge for bulk work whose size its
// callers do not know.
func chargeCall(p *placer, v *ir.Value) error {
	vs, err := operands(v, ir.I64, 0, 1)
	if err != nil {
		return err
	}
	if w := vs[1]; w.Op != ir.OpConst || w.Aux <= 0 || w.Aux > 1<<16 {
		return errors.New("the weight is not a constant")
	}
	p.counted(vs[0], vs[1].Aux)
	return nil
}

func runtimeCall(p *placer, v *ir.Value) error {
	name, reflect := callName(v.Fn.Name)
	p.units(Call(name))
	if w := callWork[name]; w != nil && !reflect {
		return w(p, v)
	}
	return nil
}

func hostCall(p *placer, v *ir.Value) error {
	info := p.m.Primitives[v.Aux].Info()
	p.units(hostPrices[info.Price])
	if w := info.Work; w.How != ir.NotCounted {
		return hostWork[w.How](int(w.Arg), hostWeights[w.Weight])(p, v)
	}
	return nil
}

// hostWork makes the work that a line of ir.Primitives names.
var hostWork = [...]func(arg int, weight int64) work{ir.CountedWork: count, ir.BufferWork: buffer,
	ir.VectorWork: vector}

// buffer charges for the buffer whose length is operand n.
func buffer(n int, weight int64) work {
	return func(p *placer, v *ir.Value) error {
		vs, err := operands(v, ir.I32, n)
		if err == nil {
			p.counted(p.op(ir.OpZExt, ir.I64, 0, vs...), weight)
		}
		return err
	}
}

// vector charges for one buffer: operand n is the address of the vectors and the next one their
// number. The standard library never passes more than one.
func vector(n int, weight int64) work {
	return func(p *placer, v *ir.Value) error {
		many, err := operands(v, ir.I32, n+1)
		if err != nil {
			return err
		}
		if !many[0].IsConst(1) {
			return errors.New("the number of buffers is not the constant 1")
		}
		addr, err := operands(v, ir.Ptr, n)
		if err == nil {
			p.counted(p.op(ir.OpZExt, ir.I64, 0, p.op(ir.OpLoad, ir.I32, 4, addr...)), weight)
		}
		return err
	}
}

// callName returns the name of a function of the runtime in Calls and callWork: those of the map
// package have names of their own, and those called by reflect have other parameters.
func callName(name string) (short string, reflect bool) {
	if s, ok := strings.CutPrefix(name, "runtime."); ok {
		return strings.CutPrefix(s, "reflect_")
	}
	if s, ok := strings.CutPrefix(name, "internal/runtime/maps."); ok {
		switch s {
		case "(*Iter).Init":
			return "mapIterStart", false
		case "(*Iter).Next":
			return "mapIterNext", false
		}
		return strings.TrimPrefix(s, "runtime_"), false
	}
	return name, false
}

// operands returns operands of a call that must exist and have a type: the signatures of the
// runtime's functions ensure it, but a module may not come from this compiler.
func operands(v *ir.Value, t ir.Type, at ...int) ([]*ir.Value, error) {
	vs := make([]*ir.Value, len(at))
	for i, n := range at {
		if n >= len(v.Args) || v.Args[n].Type != t {
			return nil, fmt.Errorf("operand %d is not an %s", n, t)
		}
		vs[i] = v.Args[n]
	}
	return vs, nil
}

// count charges by the operand in place n, weight for each.
func count(n int, weight int64) work {
	return func(p *placer, v *ir.Value) error {
		vs, err := operands(v, ir.I64, n)
		if err == nil {
			p.counted(vs[0], weight)
		}
		return err
	}
}

// elements charges for allocating as many elements as operand n says. Operand t is their type.
func elements(n, t int) work {
	return func(p *placer, v *ir.Value) error {
		vs, err := operands(v, ir.I64, n)
		if err != nil {
			return err
		}
		size, err := p.typeSize(v, t)
		if err == nil {
			p.counted(vs[0], size*AllocWeight)
		}
		return err
	}
}

// typeSize returns the size of the type whose descriptor operand n of a call names. The operand
// must be a constant. Size_ is the first field of an abi.Type.
func (p *placer) typeSize(v *ir.Value, n int) (int64, error) {
	vs, err := operands(v, ir.Ptr, n)
	if err != nil {
		return 0, err
	}
	if err := p.m.LoadData(); err != nil {
		return 0, err
	}
	at := vs[0].Aux - ir.DataBase
	if vs[0].Op != ir.OpConst || at < 0 || at > int64(len(p.m.Data)) {
		return 0, fmt.Errorf("operand %d is not the address of a type descriptor", n)
	}
	var size [8]byte // its upper bytes may be in the zeros after the stored data
	copy(size[:], p.m.Data[at:])
	if s := binary.LittleEndian.Uint64(size[:]); s <= 1<<32 {
		return int64(s), nil
	}
	return 0, fmt.Errorf("operand %d is not the address of a type descriptor", n)
}

// heapSize emits the host function that returns the bytes in use in the heap.
func (p *placer) heapSize() *ir.Value {
	if p.heapBytes == 0 {
		for i, h := range p.m.Primitives {
			if h.Name == "heapbytes" {
				p.heapBytes = int64(i) + 1
			}
		}
		if p.heapBytes == 0 {
			p.m.Primitives = append(p.m.Primitives, ir.Primitive{Name: "heapbytes", Sig: ir.PrimitiveNamed("heapbytes").Signature()})
			p.heapBytes = int64(len(p.m.Primitives))
		}
	}
	v := p.op(ir.OpHost, ir.I64, p.heapBytes-1)
	v.Sig = &p.m.Primitives[v.Aux].Sig
	return v
}

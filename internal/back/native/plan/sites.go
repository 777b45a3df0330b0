package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Places where the code is left
//
// A saving is a set of registers that is on the stack while Go code runs.

// A Saving says which registers are kept, lowest word first.
type Saving []regalloc.Reg

// savingOf makes the saving of a set.
func (e *Emitter) savingOf(set regalloc.RegSet) Saving {
	s := Saving(e.savings.Make(set.Len()))[:0]
	for ; set != 0; set &= set - 1 {
		s = append(s, set.First())
	}
	return s
}

// Bytes is the size of a saving.
func (s Saving) Bytes() int32 { return int32(8 * len(s)) }

// savingAt returns the saving of an instruction: the live registers, and those that hold roots.
func (e *Emitter) savingAt(r *regalloc.Inst, in *Inst) Saving {
	set := r.Live
	for _, i := range in.Roots {
		if l := r.Uses[i].Loc; l.IsReg() {
			set = set.With(l.Reg())
		}
	}
	return e.savingOf(set)
}

// rootWords returns the words of the frame that hold the roots of an instruction whose registers
// are saved as s says. They are valid until the next call.
func (e *Emitter) rootWords(r *regalloc.Inst, in *Inst, s Saving) []int32 {
	words := e.words[:0]
	for _, i := range in.Roots {
		switch l := r.Uses[i].Loc; {
		case l.IsReg():
			words = append(words, int32(slices.Index(s, l.Reg())))
		case l.IsSlot():
			words = append(words, (s.Bytes()+e.SlotBase)/8+l.Slot())
		}
	}
	e.words = words
	return words
}

// entryWords returns the words that hold the roots among the parameters before the frame is made.
// Their registers are saved, as s says, below the caller's frame.
func (e *Emitter) entryWords(s Saving) (words []int32) {
	if e.keepIn == nil {
		return nil
	}
	bases, _ := e.keepIn.Kept()
	list, _ := e.placesOf(e.F.Sig.Params)
	for _, b := range bases {
		reg := inMemory
		switch b.Op {
		case ir.OpClosure:
			reg = e.cpu.Closure
		case ir.OpArg:
			p := list[b.Aux]
			if p.reg == inMemory {
				words = append(words, (s.Bytes()+e.cpu.Link)/8+p.word)
				continue
			}
			reg = p.reg
		}
		if i := slices.Index(s, reg); i >= 0 {
			words = append(words, int32(i))
		}
	}
	return words
}

// reloc notes that publication fills in a place in the code.
func (e *Emitter) reloc(pc int32, kind abi.RelocKind, n int32) {
	e.arenas.out.relocs = append(e.arenas.out.relocs, abi.Reloc{PC: pc, Kind: kind, N: n})
}

// site notes the meaning of this place, a return address. v is the operation, nil where a panic
// begins.
func (e *Emitter) site(site abi.Site, words []int32, v *ir.Value) {
	site.PC = int32(len(e.Buf))
	if site.Pos == 0 {
		site.Pos = e.Pos
	}
	slices.Sort(words)
	words = slices.Compact(words)
	key := e.key[:0]
	for _, w := range words {
		key = append(key, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	at, ok := e.mapAt[string(key)]
	if !ok {
		at = int32(len(e.arenas.out.maps))
		e.arenas.out.maps = append(e.arenas.out.maps, words...)
		e.mapAt[string(key)] = at
	}
	e.key = key
	site.Root, site.Roots = at, int32(len(words))
	var locals []int32
	if v != nil && e.keeps[v.ID] != nil {
		_, locals = e.keeps[v.ID].Kept()
	}
	site.Run, site.Runs = e.Tabler.At(v, locals)
	e.arenas.out.sites = append(e.arenas.out.sites, site)
}

// yields reports whether a site may end the run with rt.Yield: it then leaves by Stubs.Yield.
func (e *Emitter) yields(site *abi.Site) bool {
	return site.Reason == abi.HostExit && e.F.Module.Primitives[site.A].Info().Is(ir.Yields)
}

// A TrapArg is an argument of a function that raises a trap: in a place, or (Nowhere) a constant.
type TrapArg struct {
	Loc regalloc.Loc // Scratch: it was compared in memory and must be loaded
	Imm int64
}

// trapArgs returns the arguments of the trap of a check, at most two.
func (e *Emitter) trapArgs(r *regalloc.Inst, in *Inst) (args []TrapArg) {
	if in.Kind == KCheck {
		for _, u := range r.Uses[in.NArgs:] {
			a := TrapArg{Loc: u.Loc}
			if u.Loc == regalloc.Again {
				a = TrapArg{regalloc.Nowhere, e.Remat(u.V).Imm}
			}
			args = append(args, a)
		}
		return args
	}
	c := in.Cmp
	for _, x := range []*ir.Value{in.V.Args[0], in.V.Args[1]} {
		a := TrapArg{Loc: regalloc.Nowhere}
		switch {
		case c.M.Kind != MemNone && (x == c.A) == c.Left:
			a.Loc = regalloc.Scratch
		case c.IsImm && x == c.B:
			a.Imm = c.Imm
		case x == c.A || c.Left:
			a.Loc = r.Uses[c.Use].Loc
		default:
			a.Loc = r.Uses[c.Use+1].Loc
		}
		args = append(args, a)
	}
	return args
}

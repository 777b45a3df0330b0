package hot

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
	"github.com/gyrvm/gyr/internal/tools/listing"
)

// A Guest holds the samples and counts of a guest, in machine code or in the interpreter.
type Guest struct {
	Program *engine.Program
	Tier    string // engine.Instance.Tier; "": machine code

	Samples []sample.Sample
	By      string // the event that triggered samples: sample.Sampler.By
	N       int    // iterations that were sampled

	// Ticks are the interpreter's own samples (engine.Instance.SampledWithin). They tell which
	// operation takes the time, whereas the processor executes only the interpreter's code.
	Ticks []engine.FuncCounts

	Counts  []engine.FuncCounts // of CountedN iterations; nil: not counted
	Counted int

	// Always are names of functions that are listed even if they take little time: the measured
	// loop.
	Always []string
}

// Functions are listed from this share of the time on, but no more than this many.
const (
	listShare = 0.01
	listMost  = 10
	// tinyShare is the least share that gets a line of a profile.
	tinyShare = 0.0005
)

// Profile makes the profile: the shares of functions, and listings of those with the largest
// shares. If a part is unavailable, the profile lacks it and Failed says why.
func (g *Guest) Profile() *record.Profile {
	p := &record.Profile{By: g.By, Samples: len(g.Samples), N: g.N}
	view := g.Program.View()
	t := &tally{counts: map[*ir.Func]*engine.FuncCounts{}, hits: map[*ir.Func]map[int]float64{}, kinds: map[*ir.Func]string{}, rest: map[record.Share]float64{}}
	for i := range g.Counts {
		if f := &g.Counts[i]; f.Func != nil {
			t.counts[f.Func] = f
		}
	}
	s := &stacks{byKey: map[string]int{}}
	switch {
	case len(g.Samples) > 0:
		t.sampled(g, view.Mod, s)
	case len(g.Ticks) > 0:
		p.By = "ticks"
		for i := range g.Ticks {
			p.Samples += int(g.Ticks[i].Executed())
		}
		t.byCounts(g.Ticks, 1)
	default:
		p.By, p.Samples, p.N = "blocks", 0, g.Counted
		t.byCounts(g.Counts, 1)
	}
	if t.total == 0 {
		p.Failed = "nothing was sampled, and nothing counted"
		return p
	}
	p.Shares = t.shares(view.Mod)
	l := &lister{guest: g, view: view, tally: t}
	for _, f := range t.listed(g.Always) {
		x, err := l.list(f)
		if err != nil {
			p.Failed = fmt.Sprintf("listing %s: %v", f.Name, err)
			continue
		}
		if x != nil {
			p.Listings = append(p.Listings, *x)
		}
	}
	p.Stacks = s.list
	return p
}

// A tally sums up hits.
type tally struct {
	counts map[*ir.Func]*engine.FuncCounts
	hits   map[*ir.Func]map[int]float64 // by offset with samples, else by the number of the instruction
	kinds  map[*ir.Func]string
	rest   map[record.Share]float64 // hits outside of the guest's functions
	total  float64
}

func (t *tally) add(f *ir.Func, kind string, at int, n float64) {
	if t.hits[f] == nil {
		t.hits[f] = map[int]float64{}
	}
	t.hits[f][at] += n
	t.kinds[f] = kind
	t.total += n
}

// sampled adds up samples.
func (t *tally) sampled(g *Guest, mod *ir.Module, s *stacks) {
	r := sample.NewResolver(g.Program)
	interpreted := 0.0
	lines := map[*ir.Func]*lineTable{}
	table := func(c *engine.CodePiece) *lineTable {
		if lines[c.Func] == nil {
			lines[c.Func] = newLineTable(c)
		}
		return lines[c.Func]
	}
	for _, x := range g.Samples {
		p := r.Resolve(x)
		if len(g.Ticks) > 0 && p.Code == nil && strings.HasPrefix(p.Func, interpreter) {
			interpreted++
			continue
		}
		frames := p.Frames
		if p.Code == nil || p.Code.Func == nil {
			t.rest[record.Share{Func: p.Func, Kind: p.Kind}]++
			t.total++
			if frames == nil {
				frames = []record.Frame{{Func: p.Func}}
			}
		} else {
			f := p.Code.Func
			t.add(f, p.Kind, p.Offset, 1)
			frames = chain(mod, table(p.Code).at(p.Offset), f)
		}
		for _, at := range x.Chain {
			switch p := r.Resolve(sample.Sample{IP: at - 1}); {
			case p.Code == nil:
				frames = append(frames, p.Frames...)
			case p.Code.Func != nil:
				frames = append(frames, chain(mod, table(p.Code).at(p.Offset), p.Code.Func)...)
			}
		}
		s.add(frames, 1)
	}
	if interpreted > 0 {
		ticks := 0.0
		for i := range g.Ticks {
			ticks += float64(g.Ticks[i].Executed())
		}
		t.byCounts(g.Ticks, interpreted/ticks)
		for i := range g.Ticks {
			if n := float64(g.Ticks[i].Executed()); n > 0 {
				s.add(chain(mod, 0, g.Ticks[i].Func), n*interpreted/ticks)
			}
		}
	}
}

// interpreter is the prefix of the names of its functions.
const interpreter = "internal/back/interp."

// byCounts takes each execution of an instruction as each hits.
func (t *tally) byCounts(list []engine.FuncCounts, each float64) {
	for i := range list {
		f := &list[i]
		n := float64(f.Executed()) * each
		if n == 0 {
			continue
		}
		if f.Func == nil {
			t.rest[record.Share{Func: f.Name, Kind: sample.Runtime}] += n
			t.total += n
			continue
		}
		kind := sample.Guest
		if strings.HasPrefix(f.Name, "runtime.") {
			kind = sample.Runtime
		}
		for _, b := range f.Blocks {
			for k := range b.Instrs {
				if b.Count > 0 {
					t.add(f.Func, kind, b.First+k, float64(b.Count)*each)
				}
			}
		}
	}
}

// of is the share of a function.
func (t *tally) of(f *ir.Func) (n float64) {
	for _, x := range t.hits[f] {
		n += x
	}
	return n / t.total
}

func (t *tally) shares(mod *ir.Module) (list []record.Share) {
	for f := range t.hits {
		x := record.Share{Func: f.Name, Kind: t.kinds[f], Share: t.of(f)}
		if file, line := mod.Line(f.Pos); file != "" {
			x.Place = fmt.Sprintf("%s:%d", filepath.Base(file), line)
		}
		list = append(list, x)
	}
	for x, n := range t.rest {
		x.Share = n / t.total
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b record.Share) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Func, b.Func), cmp.Compare(a.Kind, b.Kind))
	})
	for len(list) > listMost && list[len(list)-1].Share < tinyShare {
		list = list[:len(list)-1]
	}
	return list
}

// listed are the functions to list, the hottest first.
func (t *tally) listed(always []string) (list []*ir.Func) {
	for f := range t.hits {
		if t.of(f) >= listShare {
			list = append(list, f)
		}
	}
	order := func(a, b *ir.Func) int { return cmp.Or(cmp.Compare(t.of(b), t.of(a)), cmp.Compare(a.Name, b.Name)) }
	slices.SortFunc(list, order)
	list = list[:min(len(list), listMost)]
	for f := range t.hits {
		if slices.Contains(always, f.Name) && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, order)
	return list
}

// A lister makes listings of a guest's functions.
type lister struct {
	guest *Guest
	view  engine.View
	tally *tally
	src   listing.Sources
}

// list makes the listing of a function; nil if it has no code.
func (l *lister) list(f *ir.Func) (*record.Listing, error) {
	if l.guest.Tier == string(api.TierInterp) {
		return l.register(f)
	}
	c, err := l.guest.Program.MachineCode(f)
	if err == nil && c == nil {
		// It ran only in code that counts, or in another process: the instructions are the same.
		c, err = listing.Compile(l.view, f, listing.NewEnv(l.view))
	}
	if err != nil || c == nil {
		return nil, err
	}
	code := listing.Read(l.view.Mod, c, &l.src, listing.AsmOptions{Syntax: listing.Syntaxes[0]})
	counts, err := perInstr(l.tally.counts[f], l.guest.Counted, len(code.Instrs), l.guest.Counts != nil)
	if err != nil {
		return nil, err
	}
	out := &record.Listing{Func: f.Name, Kind: "native", Share: l.tally.of(f), Bytes: len(c.Code), Source: map[string]map[int]string{}}
	hits := l.tally.hits[f]
	for i := range code.Instrs {
		x := &code.Instrs[i]
		in := record.Instr{At: x.At, Text: roles.Replace(x.Line()), IR: x.Ops, Label: x.Label, To: x.To, Count: counts[i], Cold: x.Cold}
		if len(l.guest.Samples) > 0 {
			for at := x.At; at < x.At+x.Len; at++ {
				in.Share += hits[at]
			}
		} else {
			in.Share = hits[i]
		}
		in.Share /= l.tally.total
		pos := x.Pos
		if pos == 0 {
			pos = f.Pos
		}
		l.place(&in, pos, out)
		out.Code = append(out.Code, in)
	}
	return out, nil
}

// place sets the source line of an instruction, and the calls inlined there.
func (l *lister) place(in *record.Instr, pos ir.Pos, out *record.Listing) {
	frames := chain(l.view.Mod, pos, nil)
	if len(frames) == 0 {
		return
	}
	in.File, in.Line = frames[0].File, frames[0].Line
	if len(frames) > 1 {
		for _, f := range frames[:len(frames)-1] {
			in.Inlined = append(in.Inlined, f.Func)
		}
	}
	if text := l.src.Line(in.File, in.Line); text != "" {
		if out.Source[in.File] == nil {
			out.Source[in.File] = map[int]string{}
		}
		out.Source[in.File][in.Line] = text
	}
}

// roles are the registers that have one role in all code.
var roles = strings.NewReplacer("%r15", "%mem", "%r14", "%gas")

// perInstr are the executions of instructions per iteration, -1 where unknown.
func perInstr(f *engine.FuncCounts, n, instrs int, counted bool) ([]float64, error) {
	out := make([]float64, instrs)
	if f == nil {
		if !counted {
			for i := range out {
				out[i] = -1
			}
		}
		return out, nil // it was never called while counting
	}
	k := 0
	for _, b := range f.Blocks {
		if b.First != k || b.First+b.Instrs > instrs {
			return nil, fmt.Errorf("the code that was counted has other instructions than the code that is listed")
		}
		for ; k < b.First+b.Instrs; k++ {
			out[k] = float64(b.Count) / float64(max(n, 1))
			if b.Hidden {
				out[k] = -1
			}
		}
	}
	if k != instrs {
		return nil, fmt.Errorf("%d instructions were counted, %d are listed", k, instrs)
	}
	return out, nil
}

// chain are the functions at a position, the innermost inlined one first. fn is the compiled
// function, for empty positions.
func chain(mod *ir.Module, pos ir.Pos, fn *ir.Func) (list []record.Frame) {
	if pos <= 0 && fn != nil {
		pos = fn.Pos
	}
	for pos != 0 && len(list) < maxInlined {
		e, ok := mod.Position(pos)
		if !ok {
			break
		}
		f := record.Frame{}
		f.File, f.Line = mod.Line(pos)
		if s, ok := mod.Site(e.Site); ok && s.Func > 0 && int(s.Func) < mod.NumFuncs() {
			of := mod.Func(int(s.Func))
			if of != nil {
				f.Func = of.Name
			}
			if of != nil && of.Flags&ir.Wrapper != 0 { // no source contains it
				pos = e.Parent
				continue
			}
		}
		list = append(list, f)
		pos = e.Parent
	}
	if len(list) == 0 && fn != nil {
		list = []record.Frame{{Func: fn.Name}}
	}
	return list
}

// maxInlined bounds the functions of a chain.
const maxInlined = 64

// A lineTable maps offsets in a function's machine code to positions.
type lineTable struct {
	pcs []int
	pos []ir.Pos
}

func newLineTable(c *engine.CodePiece) *lineTable {
	t := &lineTable{}
	for _, l := range c.Code.Lines {
		t.pcs, t.pos = append(t.pcs, int(l.PC)), append(t.pos, l.Pos)
	}
	return t
}

func (t *lineTable) at(offset int) ir.Pos {
	i, found := slices.BinarySearch(t.pcs, offset)
	if !found {
		i--
	}
	if i < 0 {
		return 0
	}
	return t.pos[i]
}

// stacks counts equal stacks together.
type stacks struct {
	list  []record.Stack
	byKey map[string]int
}

func (s *stacks) add(frames []record.Frame, n float64) {
	k := fmt.Sprint(frames)
	i, ok := s.byKey[k]
	if !ok {
		i = len(s.list)
		s.byKey[k] = i
		s.list = append(s.list, record.Stack{Frames: frames})
	}
	s.list[i].Samples += n
}

package gcproof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
)

// Reasons why an operation is gone, as package proof has them.
const (
	unused   = "unused"
	constant = "constant"
	equal    = "equal" // to what is computed elsewhere, or to nothing
)

// Of proves what gc left of the loops of the package's benchmarks. measured is the test binary, and
// twins the one that was made of Files. Without any files both may be nil.
func (p *Package) Of(measured, twins *sample.Binary) (list []proof.Result) {
	c := &comparison{p, map[*sample.Binary]map[string]*function{}}
	for _, b := range p.benchmarks {
		if len(b.Loops) == 0 {
			list = append(list, proof.Result{Func: b.Func, Sub: "*", Proof: record.Proof{Func: b.Func, Place: fmt.Sprintf("%s:%d", b.File, b.Line),
				Unknown: "neither it nor a function of its package that it names has a loop over b.N or b.Loop"}})
		}
		called := c.called(b, measured)
		var results []proof.Result
		sure := map[string]bool{} // names of sub-benchmarks with a loop that they are seen to execute
		isSure := make([]bool, len(b.Loops))
		for i, l := range b.Loops {
			r := proof.Result{Func: b.Func, Sub: l.Sub, Proof: record.Proof{Func: b.Func, Place: fmt.Sprintf("%s:%d", l.File, l.First)}}
			f := c.prove(&r.Proof, b, l, called, measured, twins)
			isSure[i] = f != nil && called[f.name]
			sure[l.Sub] = sure[l.Sub] || isSure[i]
			results = append(results, r)
		}
		for i, r := range results {
			if isSure[i] || !sure[r.Sub] { // else it is of another function with the same name
				list = append(list, r)
			}
		}
	}
	return list
}

// called are the functions of a benchmark, which have its name or are in it, and those of the
// package's files that they call by name.
func (c *comparison) called(b *proof.Benchmark, in *sample.Binary) map[string]bool {
	if len(c.Files) == 0 {
		return nil
	}
	all := map[string]*function{}
	called := map[string]bool{}
	var list []*function
	for _, file := range b.Files {
		for _, f := range c.functions(in, file) {
			all[f.name] = f
			if name := short(f.name); !called[f.name] && (name == b.Func || strings.HasPrefix(name, b.Func+".")) {
				called[f.name] = true
				list = append(list, f)
			}
		}
	}
	for len(list) > 0 {
		f := list[0]
		list = list[1:]
		for i := range f.code {
			if f.code[i].kind != call || f.code[i].to == 0 {
				continue
			}
			name, _ := in.Symbol(f.code[i].to)
			if g := all[name]; g != nil && !called[name] {
				called[name] = true
				list = append(list, g)
			}
		}
	}
	return called
}

// A comparison has the functions that were decoded already.
type comparison struct {
	*Package
	decoded map[*sample.Binary]map[string]*function
}

// functions are those of a binary in a file.
func (c *comparison) functions(b *sample.Binary, file string) (list []*function) {
	if c.decoded[b] == nil {
		c.decoded[b] = map[string]*function{}
	}
	for _, name := range b.Functions(file) {
		f, ok := c.decoded[b][name]
		if !ok {
			f = decode(b, name)
			c.decoded[b][name] = f
		}
		if f != nil && len(f.code) > 0 {
			list = append(list, f)
		}
	}
	return list
}

// short is a function's name without its package and its types.
func short(name string) string {
	var b strings.Builder
	depth := 0
	for _, c := range name {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	name = b.String()
	name = name[strings.LastIndexByte(name, '/')+1:]
	_, rest, _ := strings.Cut(name, ".")
	return rest
}

// prove compares a benchmark's loop with its twin. It returns the function with the loop; nil: there
// is none. called are the functions that the benchmark is seen to call.
func (c *comparison) prove(p *record.Proof, b *proof.Benchmark, l *proof.Loop, called map[string]bool, measured, twins *sample.Binary) *function {
	x := c.loops[place{l.File, l.First}]
	if x == nil {
		p.Unknown = cmp.Or(c.reasons[place{l.File, l.First}], "its loop has no twin: its file was not read, or another loop begins in the same line")
		return nil
	}
	f, all := c.measuredIn(b, l, called, measured)
	if f == nil {
		p.Unknown = "the binary has no such loop"
		return nil
	}
	p.Func = f.name
	empty, found := c.emptyIn(x, f, twins)
	if !found {
		p.Unknown = "its twin has no loop"
		return f
	}
	left := all.minus(empty)
	p.Left, p.Calls, p.Overhead = left.payload(), left[call], empty.payload()
	p.Work, p.WorkLeft = x.work, left.work()
	for _, k := range []struct {
		name string
		n    int
	}{{"call", left[call]}, {"load", left[load]}, {"store", left[store]}, {"computation", left[compute]}, {"addition of a constant", left[adds]}} {
		if k.n > 0 {
			p.Kept = append(p.Kept, fmt.Sprintf("%s: %d", k.name, k.n))
		}
	}
	for _, d := range x.drops {
		if !f.has(&d.lines) {
			p.Vanished = append(p.Vanished, record.Vanished{Kind: "call", What: d.text, Place: fmt.Sprintf("%s:%d", d.lines.File, d.lines.First), Reason: unused, Unread: true})
		}
	}
	if p.Work == 0 || p.WorkLeft > 0 {
		return f
	}
	gone := func(at *proof.Loop, what, class string) {
		reason := equal
		switch {
		case x.dropped[at.First] || class == "allocation":
			reason = unused
		case all[fixed] > empty[fixed] || left[adds] > 0: // what it makes is stored, or added
			reason = constant
		}
		p.Gone = append(p.Gone, record.Gone{What: what + " " + x.texts[at], Place: fmt.Sprintf("%s:%d", at.File, at.First), Pass: "gc", Reason: reason, Class: class, Work: true})
	}
	for _, at := range x.calls {
		gone(at, "call", "call")
	}
	for _, at := range x.allocs {
		gone(at, "object", "allocation")
	}
	p.Lowered = p.Left + p.Work
	return f
}

// emptyIn is what the twin of a loop has, for the types of the function with the loop. A twin that was
// inlined has its lines in the function that names it.
func (c *comparison) emptyIn(x *loop, f *function, in *sample.Binary) (t tally, found bool) {
	best := -1
	for _, g := range c.functions(in, x.twin.File) {
		n, ok := g.count(&x.twin)
		if !ok {
			continue
		}
		rank := 0
		if slices.Contains(strings.Split(short(g.name), "."), x.name) {
			rank++
		}
		if types(g.name) == types(f.name) {
			rank++
		}
		if rank > best {
			best, t, found = rank, n, true
		}
	}
	return t, found
}

// types are the type arguments in a function's name.
func types(name string) string {
	from, to := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']')
	if from < 0 || to < from {
		return ""
	}
	return name[from : to+1]
}

// measuredIn is the function of a binary that has a benchmark's loop, and what the loop has: the
// benchmark's own, or one that it calls. A loop in a function that is passed to Run and was inlined
// from elsewhere is in the passed one.
func (c *comparison) measuredIn(b *proof.Benchmark, l *proof.Loop, called map[string]bool, in *sample.Binary) (own *function, t tally) {
	var other *function
	var others tally
	files := []string{l.File}
	if b.File != l.File {
		files = append(files, b.File)
	}
	for _, file := range files {
		for _, f := range c.functions(in, file) {
			n, ok := f.count(l)
			if !ok {
				continue
			}
			name := short(f.name)
			if name != b.Func && !strings.HasPrefix(name, b.Func+".") {
				better := other == nil || called[f.name] && !called[other.name] || called[f.name] == called[other.name] && n.work() > others.work()
				if better && !strings.HasPrefix(name, "Benchmark") {
					other, others = f, n
				}
				continue
			}
			if at := f.code[0].frames; l.RunFirst > 0 && len(at) > 0 {
				if line := at[len(at)-1].Line; line < l.RunFirst || line > l.RunLast {
					continue
				}
			}
			if own == nil || n.work() > t.work() {
				own, t = f, n
			}
		}
	}
	if own == nil {
		return other, others
	}
	return own, t
}

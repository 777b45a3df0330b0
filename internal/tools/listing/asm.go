package listing

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
)

// AsmOptions say how machine code is printed.
type AsmOptions struct {
	Syntax string // "gnu", "go" or "intel"
	Bytes  bool   // with the bytes of each instruction
}

// Syntaxes are the values of AsmOptions.Syntax.
var Syntaxes = []string{"gnu", "go", "intel"}

// The addresses below are given to names, for the disassembler. Real code may lie anywhere; a
// listing is the same on every run.
const (
	codeBase  = 0x0010_0000
	exitStub  = 0x0400_0000
	routines  = 0x0480_0000 // of the first routine; the next one is four bytes later
	codeTable = 0x2000_0000
)

// A processor is one whose code is listed.
type processor struct {
	cpu    plan.CPU
	decode plan.Decoder
}

// NewEnv returns what the code of a program's functions depends on, for a listing.
func NewEnv(p engine.View) *plan.Env {
	sigs := map[string]uint32{}
	return &plan.Env{
		Checked: p.Checked, Notes: true,
		SigID: func(s *ir.Sig) uint32 {
			k := s.Key()
			if sigs[k] == 0 {
				sigs[k] = uint32(len(sigs)) + 1
			}
			return sigs[k]
		},
		Trap: func(t ir.Trap) int32 {
			if f := p.Mod.Runtime[ir.Traps[t].Func]; f != nil {
				return f.Index
			}
			return 0
		},
	}
}

// Asm compiles a function for the target, even if this machine has another processor. It prints the
// machine code with the operations and lines that the code comes from.
func Asm(w io.Writer, p engine.View, f *ir.Func, env *plan.Env, src *Sources, o AsmOptions) (err error) {
	c, err := Compile(p, f, env)
	if err != nil || c == nil {
		return err
	}
	return Read(p.Mod, c, src, o).print(w)
}

// Compile compiles a function for the target. It returns nil for a function without a body.
func Compile(p engine.View, f *ir.Func, env *plan.Env) (*abi.Func, error) {
	if err := p.Prepare(f); err != nil {
		return nil, err
	}
	if f.Entry == nil {
		return nil, nil
	}
	f.Settle()
	return plan.Compile(target.cpu, f, env)
}

// Code is the disassembled machine code of a function.
type Code struct {
	Func   *abi.Func
	Instrs []Instr // in code order
	Data   int     // offset at which code ends and constants and tables begin

	code []byte // with placeholder addresses for names
	o    AsmOptions
}

// An Instr is an instruction with everything known about it.
type Instr struct {
	At, Len int
	Text    string
	Names   []string // of what its operands mention
	Ops     []string // IR operations and other work of the compiler whose code begins here
	Label   string   // of this place, for jumps to it
	To      string   // label of its jump target in this function
	Pos     ir.Pos   // of the source that it was compiled for
	Block   string   // IR block that begins here
	Out     bool     // out of line
	Cold    bool     // out of line, or in a block that rarely executes

	head  []string // lines of text above it
	right string   // text next to it
}

// Read disassembles code that was compiled with notes.
func Read(mod *ir.Module, c *abi.Func, src *Sources, o AsmOptions) *Code {
	a := &asm{mod: mod, f: c.Fn, c: c, src: src, o: o}
	return a.read()
}

// An asm reads one function.
type asm struct {
	mod *ir.Module
	f   *ir.Func
	c   *abi.Func
	src *Sources
	o   AsmOptions

	code   []byte // with placeholder addresses for names
	data   int    // offset at which code ends and constants begin
	labels map[int]string
	heads  map[int]bool // places that have their label printed by a note
}

func (a *asm) read() *Code {
	a.code = append([]byte(nil), a.c.Code...)
	for _, r := range a.c.Relocs {
		to := 0
		switch r.Kind {
		case abi.RelTable:
			to = codeTable + 8*int(r.N)
		case abi.RelStub, abi.RelYield:
			to = exitStub
		case abi.RelBulk:
			to = routines + 4*int(r.N)
		}
		target.cpu.Relocate(a.code, r, codeBase, uintptr(to))
	}
	a.data = len(a.code)
	a.heads = map[int]bool{}
	for _, n := range a.c.Notes {
		switch {
		case n.Kind == abi.NoteData:
			a.data = int(n.PC)
		case n.PC > 0 && (n.Kind == abi.NoteBlock || n.Kind == abi.NoteStub):
			a.heads[int(n.PC)] = true
		}
	}
	a.findLabels()
	out := &Code{Func: a.c, Data: a.data, code: a.code, o: a.o}
	notes, lines, sites := a.c.Notes, a.c.Lines, a.c.Sites
	pos := ir.Pos(0)
	stubs, cold, pad := false, false, false
	for at := 0; at < a.data; {
		var x Instr
		for len(notes) > 0 && int(notes[0].PC) <= at {
			n := notes[0]
			notes = notes[1:]
			switch n.Kind {
			case abi.NotePad:
				pad = true
			case abi.NoteBlock:
				cold, pad = n.Cold, false
				if n.Block != nil || at > 0 {
					x.block(n, a.labels[at])
				}
			case abi.NoteOp:
				x.right = operation(n)
				x.Ops = append(x.Ops, x.right)
			case abi.NoteMove:
				x.right = n.Text
				x.Ops = append(x.Ops, x.right)
			case abi.NoteSave, abi.NoteRestore:
				x.right = saving[n.Kind]
				x.Ops = append(x.Ops, x.right)
			case abi.NoteStub:
				if !stubs {
					x.head = append(x.head, "; out of line")
					stubs = true
				}
				pos = place(n)
				what := n.Text + " of " + operation(n)
				x.Ops = append(x.Ops, what)
				x.head = append(x.head, fmt.Sprintf("%s:  ; %s%s", a.labels[at], what, a.src.brief(a.mod, pos)))
			}
		}
		if pad {
			a.decode(at, &x)
			at += x.Len
			continue
		}
		for len(lines) > 0 && int(lines[0].PC) <= at {
			if p := lines[0].Pos; p != pos {
				pos = p
				if s := a.src.line(a.mod, pos); s != "" {
					x.head = append(x.head, "; "+s)
				}
			}
			lines = lines[1:]
		}
		a.decode(at, &x)
		switch x.Label = a.labels[at]; {
		case at == 0 && x.Label != "": // before that of the first block, of a function without a prologue
			x.head = slices.Insert(x.head, 0, x.Label+":")
		case x.Label != "" && !a.heads[at]:
			x.head = append(x.head, x.Label+":")
		}
		x.Pos, x.Out, x.Cold = pos, stubs, cold || stubs
		at += x.Len
		for len(sites) > 0 && int(sites[0].PC) <= at {
			if s := sites[0]; int(s.PC) == at && s.Roots > 0 {
				x.Names = append(x.Names, fmt.Sprintf("%d roots", s.Roots))
			}
			sites = sites[1:]
		}
		out.Instrs = append(out.Instrs, x)
	}
	return out
}

// saving are the texts of notes about saving and restoring live registers where code leaves.
var saving = map[abi.NoteKind]string{abi.NoteSave: "save registers", abi.NoteRestore: "restore registers"}

// block begins a block, or code that exists only for an edge.
func (x *Instr) block(n abi.Note, label string) {
	x.Ops = nil // the operations before it made no code
	if n.Block == nil {
		x.head = append(x.head, label+":  ; between two blocks")
		return
	}
	x.Block = n.Block.String()
	text := x.Block + ":"
	for i, p := range n.Block.Preds {
		if i == 0 {
			text += "  ; from"
		}
		text += fmt.Sprintf(" %s", p)
	}
	x.head, x.right = append(x.head, text), ""
}

// print writes the code as text.
func (c *Code) print(to io.Writer) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "code %s: %d bytes, frame %d, %d of the guest's\n", c.Func.Fn.Name, len(c.code),
		c.Func.Frame+target.cpu.Desc().Link, c.Func.Guest)
	for i := range c.Instrs {
		x := &c.Instrs[i]
		for _, s := range x.head {
			fmt.Fprintln(w, s)
		}
		fmt.Fprintf(w, "  %04x  ", x.At)
		if c.o.Bytes {
			fmt.Fprintf(w, "%-30x  ", c.Func.Code[x.At:x.At+x.Len])
		}
		text := x.Line()
		if x.right != "" {
			text = fmt.Sprintf("%-52s ; %s", text, x.right)
		}
		fmt.Fprintln(w, strings.TrimRight(text, " "))
	}
	if c.Data < len(c.code) {
		fmt.Fprintf(w, "; constants and tables\n")
		for at := c.Data; at < len(c.code); at += 16 {
			fmt.Fprintf(w, "  %04x  % x\n", at, c.code[at:min(at+16, len(c.code))])
		}
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// Line is the instruction with the names of its operands.
func (x *Instr) Line() string {
	if len(x.Names) == 0 {
		return x.Text
	}
	return x.Text + "  # " + strings.Join(x.Names, ", ")
}

// operation is the text of what a note is about.
func operation(n abi.Note) string {
	switch {
	case n.V != nil:
		return n.V.LongString()
	case n.Block != nil:
		return n.Block.TerminatorString()
	}
	return "entry"
}

func place(n abi.Note) ir.Pos {
	switch {
	case n.V != nil:
		return n.V.Pos
	case n.Block != nil:
		return n.Block.Pos
	}
	return 0
}

// findLabels names the targets of jumps.
func (a *asm) findLabels() {
	a.labels = map[int]string{}
	targets := map[int]bool{}
	for at := 0; at < a.data; {
		in := target.decode(a.code[at:a.data], "", codeBase+uint64(at), nil)
		if in.Jumps {
			targets[int(in.To-codeBase)] = true
		}
		at += in.Len
	}
	for _, n := range a.c.Notes {
		at := int(n.PC)
		switch {
		case n.Kind == abi.NoteBlock && n.Block != nil:
			a.labels[at] = n.Block.String()
		case n.Kind == abi.NoteBlock && at > 0:
			a.labels[at] = fmt.Sprintf("edge%x", at)
		case n.Kind == abi.NoteStub:
			a.labels[at] = fmt.Sprintf("out%x", at)
		}
	}
	for at := range targets {
		if _, ok := a.labels[at]; !ok && at >= 0 && at < a.data {
			a.labels[at] = fmt.Sprintf("l%x", at)
		}
	}
	a.labels[0] = a.f.Name
}

// symbol names an address for the disassembler.
func (a *asm) symbol(addr uint64) (string, uint64) {
	switch at := int(addr) - codeBase; {
	case addr == exitStub:
		return "exit", addr
	case addr >= routines && target.cpu.Desc().RoutineName(int32(addr-routines)/4) != "":
		return target.cpu.Desc().RoutineName(int32(addr-routines) / 4), addr
	case addr > codeTable && addr < codeTable+8*uint64(a.mod.NumFuncs()):
		if f := a.mod.Func(int((addr - codeTable) / 8)); f != nil {
			return "table[" + f.Name + "]", addr
		}
	case at >= a.data && at < len(a.code):
		return fmt.Sprintf("const%x", at), addr
	case at >= 0 && at < a.data:
		if s, ok := a.labels[at]; ok {
			return s, addr
		}
	}
	return "", 0
}

// decode fills in what the bytes of an instruction say.
func (a *asm) decode(at int, x *Instr) {
	in := target.decode(a.code[at:a.data], a.o.Syntax, codeBase+uint64(at), a.symbol)
	x.At, x.Len, x.Text = at, in.Len, in.Text
	if to := int(in.To) - codeBase; in.Jumps && to >= 0 && to < a.data {
		x.To = a.labels[to]
	}
	if in.Context != 0 {
		x.Names = append(x.Names, contextName(in.Context))
	}
	if in.Near != 0 && a.o.Syntax != "go" {
		if s, _ := a.symbol(in.Near); s != "" && !strings.Contains(x.Text, s) {
			x.Names = append(x.Names, s)
		}
		if c := int(in.Near) - codeBase; c >= a.data && c+8 <= len(a.code) {
			x.Names = append(x.Names, fmt.Sprintf("%#x", binary.LittleEndian.Uint64(a.code[c:])))
		}
	}
}

// contextName names a word of the context.
func contextName(off int32) string {
	for _, w := range abi.ContextNames {
		if w.Off == off {
			return w.Name
		}
	}
	switch {
	case off >= abi.Args && off < abi.Args+8*ir.MaxArgs:
		return fmt.Sprintf("arg%d", (off-abi.Args)/8)
	case off >= abi.Saved && off < abi.Args:
		return fmt.Sprintf("saved%d", (off-abi.Saved)/8)
	}
	return "context"
}

package listing

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
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

// Addresses at which names are put for the disassembler. Real code lies anywhere;
// a listing is the same on every run.
const (
	codeBase  = 0x0010_0000
	exitStub  = 0x1000_0000
	routines  = 0x1200_0000 // of the first routine; the next is one byte behind it
	codeTable = 0x2000_0000
)

// NewEnv is what the code of a program's functions depends on, for a listing.
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

// Asm compiles a function for the target, whatever processor this is, and prints its
// machine code with the operations and lines that it comes from.
func Asm(w io.Writer, p engine.View, f *ir.Func, env *plan.Env, src *Sources, o AsmOptions) (err error) {
	if err := p.Prepare(f); err != nil {
		return err
	}
	if f.Entry == nil {
		return nil
	}
	f.Settle()
	c, err := plan.Compile(target.cpu, f, env)
	if err != nil {
		return err
	}
	bw := bufio.NewWriter(w)
	a := &asm{w: bw, mod: p.Mod, f: f, c: c, src: src, o: o}
	a.print()
	return bw.Flush()
}

// An asm prints one function.
type asm struct {
	w   *bufio.Writer
	mod *ir.Module
	f   *ir.Func
	c   *abi.Func
	src *Sources
	o   AsmOptions

	code   []byte // with the places of names in it
	data   int    // where code ends and constants begin
	labels map[int]string
}

// A line is an instruction.
type line struct {
	at, n int
	text  string
	notes []string // names of what it mentions
}

func (a *asm) print() {
	a.code = append([]byte(nil), a.c.Code...)
	for _, r := range a.c.Relocs {
		to := 0
		switch r.Kind {
		case abi.RelTable:
			to = codeTable + 8*int(r.N)
		case abi.RelStub, abi.RelYield:
			to = exitStub
		case abi.RelBulk:
			to = routines + int(r.N)
		}
		target.cpu.Relocate(a.code, r, int64(to-codeBase))
	}
	a.data = len(a.code)
	for _, n := range a.c.Notes {
		if n.Kind == abi.NoteData {
			a.data = int(n.PC)
		}
	}
	a.findLabels()
	fmt.Fprintf(a.w, "code %s: %d bytes, frame %d, %d of the guest's\n", a.f.Name, len(a.code),
		a.c.Frame+target.cpu.Desc().Link, a.c.Guest)
	notes, lines := a.c.Notes, a.c.Lines
	sites := a.c.Sites
	pos := ir.Pos(0)
	stubs := false
	for at := 0; at < a.data; {
		var right string
		for len(notes) > 0 && int(notes[0].PC) <= at {
			n := notes[0]
			notes = notes[1:]
			switch n.Kind {
			case abi.NoteBlock:
				if n.Block == nil && at == 0 {
					continue
				}
				if n.Block == nil {
					fmt.Fprintf(a.w, "%s:  ; between two blocks\n", a.labels[at])
					continue
				}
				fmt.Fprintf(a.w, "%s:", n.Block)
				for i, p := range n.Block.Preds {
					if i == 0 {
						fmt.Fprint(a.w, "  ; from")
					}
					fmt.Fprintf(a.w, " %s", p)
				}
				fmt.Fprintln(a.w)
				right = ""
			case abi.NoteOp:
				right = operation(n)
			case abi.NoteMove:
				right = n.Text
			case abi.NoteSave:
				right = "save registers"
			case abi.NoteRestore:
				right = "restore registers"
			case abi.NoteStub:
				if !stubs {
					fmt.Fprintf(a.w, "; out of line\n")
					stubs = true
				}
				fmt.Fprintf(a.w, "%s:  ; %s of %s%s\n", a.labels[at], n.Text, operation(n), a.src.brief(a.mod, place(n)))
			}
		}
		for len(lines) > 0 && int(lines[0].PC) <= at {
			if p := lines[0].Pos; p != pos {
				pos = p
				if s := a.src.line(a.mod, pos); s != "" {
					fmt.Fprintf(a.w, "; %s\n", s)
				}
			}
			lines = lines[1:]
		}
		l := a.decode(at)
		if _, ok := a.labels[at]; ok && !a.begins(at) {
			fmt.Fprintf(a.w, "%s:\n", a.labels[at])
		}
		at += l.n
		for len(sites) > 0 && int(sites[0].PC) <= at {
			if s := sites[0]; int(s.PC) == at && s.Roots > 0 {
				l.notes = append(l.notes, fmt.Sprintf("%d roots", s.Roots))
			}
			sites = sites[1:]
		}
		a.printLine(l, right)
	}
	if a.data < len(a.code) {
		fmt.Fprintf(a.w, "; constants and tables\n")
		for at := a.data; at < len(a.code); at += 16 {
			fmt.Fprintf(a.w, "  %04x  % x\n", at, a.code[at:min(at+16, len(a.code))])
		}
	}
	fmt.Fprintln(a.w)
}

// begins reports whether a note prints the label of a place.
func (a *asm) begins(at int) bool {
	for _, n := range a.c.Notes {
		if int(n.PC) == at && at > 0 && (n.Kind == abi.NoteBlock || n.Kind == abi.NoteStub) {
			return true
		}
	}
	return false
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

func (a *asm) printLine(l line, right string) {
	fmt.Fprintf(a.w, "  %04x  ", l.at)
	if a.o.Bytes {
		fmt.Fprintf(a.w, "%-30x  ", a.c.Code[l.at:l.at+l.n])
	}
	text := l.text
	if len(l.notes) > 0 {
		text += "  # " + strings.Join(l.notes, ", ")
	}
	if right != "" {
		text = fmt.Sprintf("%-52s ; %s", text, right)
	}
	fmt.Fprintln(a.w, strings.TrimRight(text, " "))
}

// findLabels names the places that are jumped to.
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
	case addr >= routines && target.cpu.Desc().RoutineName(int32(addr-routines)) != "":
		return target.cpu.Desc().RoutineName(int32(addr - routines)), addr
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

func (a *asm) decode(at int) line {
	in := target.decode(a.code[at:a.data], a.o.Syntax, codeBase+uint64(at), a.symbol)
	l := line{at: at, n: in.Len, text: in.Text}
	if in.Context != 0 {
		l.notes = append(l.notes, contextName(in.Context))
	}
	if in.Near != 0 && a.o.Syntax != "go" {
		if s, _ := a.symbol(in.Near); s != "" && !strings.Contains(l.text, s) {
			l.notes = append(l.notes, s)
		}
		if c := int(in.Near) - codeBase; c >= a.data && c+8 <= len(a.code) {
			l.notes = append(l.notes, fmt.Sprintf("%#x", binary.LittleEndian.Uint64(a.code[c:])))
		}
	}
	return l
}

// contextName names a word of the context.
func contextName(off int32) string {
	for _, w := range abi.ContextNames {
		if w.Off == off {
			return w.Name
		}
	}
	switch {
	case off >= abi.Args && off < abi.Args+8*abi.MaxArgs:
		return fmt.Sprintf("arg%d", (off-abi.Args)/8)
	case off >= abi.Saved && off < abi.Args:
		return fmt.Sprintf("saved%d", (off-abi.Saved)/8)
	}
	return "context"
}

//go:build linux && (amd64 || arm64)

// Package jitinfo tells other programs about machine code that is in no file: perf, by a map of
// names or by a dump of the code with lines and unwind data, and gdb, by its JIT interface. A
// process has one of each, whatever the number of its programs, since the tools find them by the
// process. Nothing is written or kept unless it is asked for.
package jitinfo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/ir"
)

// Kinds are the ways to tell, as Config.Debug names them.
var Kinds = []string{"perfmap", "jitdump", "gdbjit"}

// Code is published code.
type Code struct {
	*abi.Func // Fn is nil for the stubs
	Start     uintptr
	Bytes     []byte // with addresses filled in
	Mod       *ir.Module
}

// Name returns the name that tools show.
func (c *Code) Name() string {
	if c.Fn == nil {
		return "gyr_stubs"
	}
	return c.Fn.Name
}

// A Teller tells about the code of one program.
type Teller struct {
	kinds []string
	lines *irFiles // nil: lines are those of the source
}

// New makes a teller. With irLines, it writes the IR to files, in a directory below the one for
// temporary files, and lines refer to these.
func New(kinds []string, irLines bool) (*Teller, error) {
	t := &Teller{kinds: kinds}
	if irLines {
		dir, err := os.MkdirTemp("", "gyr-ir-")
		if err != nil {
			return nil, fmt.Errorf("irlines: %w", err)
		}
		t.lines = &irFiles{dir}
	}
	return t, nil
}

// mu guards everything below that exists once per process.
var mu sync.Mutex

// Tell announces one function's code.
func (t *Teller) Tell(c *Code) error {
	rows, err := t.rows(c)
	if err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	for _, k := range t.kinds {
		switch k {
		case "perfmap":
			err = perfMap(c)
		case "jitdump":
			err = dump.write(c, rows)
		case "gdbjit":
			err = register(image(c, rows))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", k, err)
		}
	}
	return nil
}

// perfMap adds a line to the file that perf looks for.
func perfMap(c *Code) error {
	// A file or link that somebody else has put there is not used.
	f, err := create(PerfMapName(os.Getpid()), os.O_APPEND)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%x %x %s\n", c.Start, len(c.Bytes), strings.ReplaceAll(c.Name(), "\n", " "))
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// PerfMapName returns the file in which perf looks for the names of a process.
func PerfMapName(pid int) string { return fmt.Sprintf("/tmp/perf-%d.map", pid) }

// JitDumpName returns the file of the dump of a process.
func JitDumpName(pid int) string { return filepath.Join(os.TempDir(), fmt.Sprintf("jit-%d.dump", pid)) }

// A row gives the line of the code from an offset on.
type row struct {
	pc   int
	file string
	line int
}

func (t *Teller) rows(c *Code) ([]row, error) {
	if c.Fn == nil {
		return nil, nil
	}
	var rows []row
	add := func(pc int32, file string, line int) {
		if file == "" || line <= 0 {
			return
		}
		if n := len(rows); n > 0 && rows[n-1].pc == int(pc) {
			rows[n-1].file, rows[n-1].line = file, line
			return
		} else if n > 0 && rows[n-1].file == file && rows[n-1].line == line {
			return
		}
		rows = append(rows, row{int(pc), file, line})
	}
	if t.lines != nil && len(c.Notes) > 0 {
		file, lines, err := t.lines.write(c.Fn)
		if err != nil {
			return nil, err
		}
		for _, n := range c.Notes {
			if n.Kind == abi.NoteOp || n.Kind == abi.NoteStub {
				line := lines.ends[n.Block]
				if n.V != nil {
					line = lines.values[n.V]
				}
				add(n.PC, file, max(line, 1))
			}
		}
		return rows, nil
	}
	at := func(pc int32, p ir.Pos) {
		file, line := c.Mod.Line(p)
		add(pc, file, line)
	}
	at(0, c.Fn.Pos)
	lines := c.Lines
	for _, n := range c.Notes { // both lists are by offset; only notes have stubs
		if n.Kind != abi.NoteStub {
			continue
		}
		for len(lines) > 0 && lines[0].PC <= n.PC {
			at(lines[0].PC, lines[0].Pos)
			lines = lines[1:]
		}
		switch {
		case n.V != nil:
			at(n.PC, n.V.Pos)
		default:
			at(n.PC, c.Fn.Pos)
		}
	}
	for _, l := range lines {
		at(l.PC, l.Pos)
	}
	return rows, nil
}

// irFiles are the files with the IR of functions.
type irFiles struct{ dir string }

type irLines struct {
	values map[*ir.Value]int
	ends   map[*ir.Block]int
}

// write writes the IR of a function and returns the line of each operation.
func (x *irFiles) write(f *ir.Func) (string, irLines, error) {
	name := filepath.Join(x.dir, fmt.Sprintf("%d.ir", f.Index))
	l := irLines{map[*ir.Value]int{}, map[*ir.Block]int{}}
	n := 1 + len(f.Locals) // the function's line, then its locals
	if f.Recover != nil {
		n++
	}
	for _, b := range f.Blocks {
		n++
		for _, v := range b.Values {
			n++
			l.values[v] = n
		}
		n++
		l.ends[b] = n
	}
	return name, l, os.WriteFile(name, []byte(f.String()), 0o600)
}

// frames are the changes of the distance from the stack pointer to the frame's end (the canonical
// frame address of DWARF), by offset.
type frames []struct{ pc, cfa int }

// unwind finds where the stack pointer moves: in the prologue, before a return, and around code
// that saves registers.
func unwind(c *Code) frames {
	code := c.Bytes
	var list frames
	add := func(pc, cfa int) {
		if n := len(list); n > 0 && list[n-1].pc == pc {
			list[n-1].cfa = cfa
			return
		}
		list = append(list, struct{ pc, cfa int }{pc, cfa})
	}
	add(0, linkBytes)
	if c.Fn == nil {
		return list
	}
	full := int(c.Frame) + 8
	at := 0
	for full > linkBytes && at < len(code) {
		n, by := moves(code[at:])
		if n == 0 {
			break
		}
		at += n
		add(at, list[len(list)-1].cfa-by)
	}
	full = list[len(list)-1].cfa
	saved := map[int]bool{}
	data := len(code)
	for _, n := range c.Notes {
		switch n.Kind {
		case abi.NoteSave:
			saved[int(n.PC)] = true
		case abi.NoteData:
			data = int(n.PC)
		}
	}
	extra := 0
	for ; at < data; at += step {
		n, by := moves(code[at:])
		switch {
		case n == 0:
		case saved[at] && by < 0:
			extra = -by
			add(at+n, full+extra)
		case extra > 0 && by == extra:
			extra = 0
			add(at+n, full)
		case extra == 0 && by == full-linkBytes && at+n < data && returns(code[at+n:]):
			add(at+n, linkBytes)
			add(at+n+step, full)
		}
	}
	return list
}

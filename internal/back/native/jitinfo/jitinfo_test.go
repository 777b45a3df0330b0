//go:build linux && amd64

package jitinfo

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"io"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/ir"
)

// sample is a function with a frame, a slow path that saves a register, and a return.
func sample() *Code {
	code := []byte{
		0x48, 0x83, 0xec, 0x28, // 0: sub $0x28, %rsp
		0x90,                         // 4
		0x48, 0x83, 0xc4, 0x28, 0xc3, // 5: add $0x28, %rsp; 9: ret
		0x48, 0x8d, 0x64, 0x24, 0xf8, // 10: lea -8(%rsp), %rsp
		0x90,                         // 15
		0x48, 0x8d, 0x64, 0x24, 0x08, // 16: lea 8(%rsp), %rsp
		0x90, // 21
	}
	mod := &ir.Module{
		Files: []string{"/src/a.go", "/src/b.go"},
		Sites: []ir.Site{{}, {File: 0, Line: 7}, {File: 1, Line: 3}, {File: 0, Line: 2}},
		Pos:   []ir.PosEntry{{}, {Site: 1}, {Site: 2, Parent: 1}, {Site: 3}},
	}
	v := &ir.Value{Pos: 2}
	return &Code{
		Func: &abi.Func{
			Fn: &ir.Func{Name: "main.f", Pos: 3}, Code: code, Frame: 0x28,
			Lines: []abi.Line{{PC: 4, Pos: 1}, {PC: 5, Pos: 3}},
			Notes: []abi.Note{{PC: 10, Kind: abi.NoteStub, V: v}, {PC: 10, Kind: abi.NoteSave}, {PC: 16, Kind: abi.NoteRestore}},
		},
		Start: 0x7f0000001000, Bytes: code, Mod: mod,
	}
}

func TestUnwind(t *testing.T) {
	want := frames{{0, 8}, {4, 48}, {9, 8}, {10, 48}, {15, 56}, {21, 48}}
	if got := unwind(sample()); !slices.Equal(got, want) {
		t.Errorf("frames %v, want %v", got, want)
	}
}

// gdb gets an ELF file that Go's readers understand too.
func TestImage(t *testing.T) {
	c := sample()
	rows, err := (&Teller{}).rows(c)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(image(c, rows)))
	if err != nil {
		t.Fatal(err)
	}
	syms, err := f.Symbols()
	if err != nil || len(syms) != 1 || syms[0].Name != "main.f" || syms[0].Value != uint64(c.Start) || syms[0].Size != uint64(len(c.Bytes)) {
		t.Errorf("symbols %+v, %v", syms, err)
	}
	if s := f.Section(".text"); s == nil || s.Addr != uint64(c.Start) || s.Type != elf.SHT_NOBITS {
		t.Errorf("text %+v", s)
	}
	d, err := f.DWARF()
	if err != nil {
		t.Fatal(err)
	}
	r := d.Reader()
	unit, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	if fn, err := r.Next(); err != nil || fn.Tag != dwarf.TagSubprogram || fn.Val(dwarf.AttrName) != "main.f" {
		t.Errorf("function %+v, %v", fn, err)
	}
	lr, err := d.LineReader(unit)
	if err != nil {
		t.Fatal(err)
	}
	var got []row
	for {
		var e dwarf.LineEntry
		if err := lr.Next(&e); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e.EndSequence {
			if e.Address != uint64(c.Start)+uint64(len(c.Bytes)) {
				t.Errorf("lines end at %#x", e.Address)
			}
			continue
		}
		got = append(got, row{int(e.Address - uint64(c.Start)), e.File.Name, e.Line})
	}
	want := []row{{0, "/src/a.go", 2}, {4, "/src/a.go", 7}, {5, "/src/a.go", 2}, {10, "/src/b.go", 3}}
	if !slices.Equal(got, want) || !slices.Equal(rows, want) {
		t.Errorf("lines %v, rows %v, want %v", got, rows, want)
	}
}

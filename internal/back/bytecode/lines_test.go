package bytecode_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// checkedAccess matches instructions that check a pointer or an index and then access memory.
var checkedAccess = regexp.MustCompile(`^[nbs](load|store)`)

// TestPosAt: the position of an instruction is found from any of its words, for all functions of a
// real program. It agrees with the positions known otherwise: of return addresses, and of charges
// made one by one.
// addresses and of charges made one by one, is the same.
func TestPosAt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte("package main\nimport \"fmt\"\nfunc main() { fmt.Println(1.5, map[string]int{}) }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	lp, err := load.Load(context.Background(), load.Options{Patterns: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	mod, err := lower.Program(lp, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := opt.PhaseA(mod, &opt.Options{}); err != nil {
		t.Fatal(err)
	}
	p, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	p.Opts.Prepare = func(f *ir.Func, _ <-chan struct{}) error { return opt.PhaseB(f, &opt.Options{}) }
	sites, table, words := 0, 0, 0
	for i := 1; i < mod.NumFuncs(); i++ {
		fc, err := p.Compile(int32(i))
		if err != nil {
			t.Fatal(err)
		}
		table += len(fc.Lines)
		words += len(fc.Code)
		for at := bytecode.HeaderWords; at < len(fc.Code); at++ {
			if pos := fc.PosAt(uint32(at)); pos < 0 || int(pos) >= len(mod.Pos) {
				t.Fatalf("%s: position %d at word %d", mod.Func(i).Name, pos, at)
			}
		}
		before := map[uint32]string{} // the instruction that a word follows, or is in
		for at := bytecode.HeaderWords; at < len(fc.Code); {
			text, _, n := fc.Text(at, strconv.Itoa)
			for range n {
				at++
				before[uint32(at)] = text
			}
		}
		for _, s := range fc.Sites {
			if s.PC <= bytecode.HeaderWords || s.Pos == 0 {
				continue
			}
			// The charge at the head of a loop has a site without an instruction before it.
			if ch := fc.Charge(s.PC); ch != nil {
				continue
			}
			sites++
			if pos := fc.PosAt(s.PC - 1); pos != s.Pos && !checkedAccess.MatchString(before[s.PC]) {
				t.Fatalf("%s: word %d (%s) is at position %d, its return address at %d", mod.Func(i).Name, s.PC-1, before[s.PC], pos, s.Pos)
			}
		}
	}
	if sites < 1000 {
		t.Errorf("only %d sites", sites)
	}
	t.Logf("%d words of code, %d bytes of lines", words, table)
}

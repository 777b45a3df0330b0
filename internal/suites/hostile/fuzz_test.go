package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// seeds are the programs that FuzzProgram mutates: those of this module and a sample of
// GOROOT/test, by name.
var seeds = sync.OnceValues(func() ([]string, error) {
	var list []string
	for _, pattern := range []string{"../../../programs/*/main.go", "testdata/*/main.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if text, err := os.ReadFile(file); err != nil || !heavy.Match(text) {
				list = append(list, file)
			}
		}
	}
	for _, pattern := range []string{"*.go", "ken/*.go", "chan/*.go", "typeparam/*.go", "fixedbugs/*.go"} {
		files, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "test", pattern))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err == nil && len(text) < 8000 && bytes.HasPrefix(text, []byte("// run\n")) && !heavy.Match(text) {
				list = append(list, file)
			}
		}
	}
	return list, nil
})

// heavy matches imports of programs that take too long to compile: a worker of the fuzzer has ten
// seconds for an input.
var heavy = regexp.MustCompile(`"(encoding/.*|go/.*|text/.*|regexp|math/big|crypto/.*|net.*)"`)

// FuzzProgram compiles and runs mutated programs under small limits. The numbers determine the
// program and its mutations. Compile must return a program or a CompileError, and Run one of its
// documented errors. The run without phase B of the optimiser must be the same.
//
//fuzz:runs 30
func FuzzProgram(f *testing.F) {
	for i := range uint16(8) {
		f.Add(i*17, uint64(i), uint8(i))
	}
	if _, err := scribbler(); err != nil { // parses std before the first mutant
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint16, seed uint64, n uint8) {
		files, err := seeds()
		if err != nil {
			t.Fatal(err)
		}
		file := files[int(which)%len(files)]
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		m := mutator{Rand: rand.New(rand.NewPCG(seed, uint64(which)))}
		src := m.mutate(text, 1+int(n%8))
		dir := fstest.MapFS{"main.go": &fstest.MapFile{Data: src}, "go.mod": &fstest.MapFile{Data: []byte("module mutant\n\ngo 1.26\n")}}

		compile := func(nopass ...string) *gyr.Program {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			p, err := gyr.Compile(ctx, gyr.Source{FS: dir, Unsafe: gyr.UnsafeAll},
				&gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: nopass, Verify: n&128 != 0}})
			var wrong *gyr.CompileError
			if err != nil && !errors.As(err, &wrong) {
				t.Fatalf("%s: Compile: %v\n%s", file, err, src)
			}
			return p
		}
		p := compile()
		if p == nil {
			return
		}
		safe := !bytes.Contains(src, []byte(`"unsafe"`))
		r := runMutant(t, p, safe, src)
		if n&64 != 0 && safe {
			if q := compile("phaseb"); q == nil {
				t.Fatalf("%s compiles with phase B only\n%s", file, src)
			} else if r2 := runMutant(t, q, safe, src); r2 != r {
				t.Fatalf("%s: %s\nwithout phase B: %s\n%s", file, r, r2, src)
			}
		}
	})
}

// runMutant runs a program and returns its visible results.
func runMutant(t *testing.T, p *gyr.Program, safe bool, src []byte) string {
	var out output
	in, err := p.NewInstance(context.Background(), gyr.Config{
		Args: []string{"3"}, Stdin: strings.NewReader("1 2 3\nACGT\n"), Stdout: &out, Stderr: &out,
		Gas: 3_000_000, Memory: 16 << 20, Stack: 1 << 20,
	})
	if err != nil {
		var limit *gyr.MemoryLimitError
		if !errors.As(err, &limit) {
			t.Fatalf("NewInstance: %v\n%s", err, src)
		}
		return err.Error()
	}
	defer in.Close()
	err = in.Run(context.Background())
	var host *gyr.HostError
	var addr *gyr.MemoryFaultError
	if safe && (errors.As(err, &host) || errors.As(err, &addr)) {
		t.Fatalf("%v\n%s", err, src)
	}
	if !typed(err) {
		t.Fatalf("an error of type %T: %v\n%s", err, err, src)
	}
	s := in.Stats()
	s = s.Repeatable()
	return fmt.Sprintf("%v %+v %x", err, s, out.sum())
}

// typed reports whether an error is one that Run documents.
func typed(err error) bool {
	for _, target := range []any{new(*gyr.OutOfGasError), new(*gyr.MemoryLimitError), new(*gyr.StackLimitError), new(*gyr.DeadlineError), new(*gyr.HostError), new(*gyr.MemoryFaultError), new(*gyr.ExitError)} {
		if errors.As(err, target) {
			return true
		}
	}
	return err == nil
}

// A mutator changes programs: tokens, and whole statements and declarations.
type mutator struct{ *rand.Rand }

func (m *mutator) mutate(src []byte, n int) []byte {
	for range n {
		if m.IntN(3) == 0 {
			src = m.nodes(src)
		} else {
			src = m.tokens(src)
		}
	}
	return src
}

// A piece is a section of a source.
type piece struct {
	lo, hi int
	tok    token.Token
}

// extremes are replacements for numbers.
var extremes = strings.Fields("0 1 -1 2 7 63 64 127 255 256 65535 1<<20 1<<31 -1<<31 1<<32 1<<62 1<<63-1 -1<<63 1e308 0x1p-1074 'x' \"\" nil")

// operators are replacements for operators.
var operators = strings.Fields("+ - * / % & | ^ << >> &^ && || == != < <= > >= = := += -= *= /= ++ -- ! <- ... , ; : . ( ) [ ] { }")

// tokens changes one token.
func (m *mutator) tokens(src []byte) []byte {
	var list []piece
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		lo := file.Offset(pos)
		text := tok.String()
		if tok.IsLiteral() || tok.IsKeyword() {
			text = lit
		}
		if lo+len(text) <= len(src) && (tok != token.SEMICOLON || lit != "\n") {
			list = append(list, piece{lo, lo + len(text), tok})
		}
	}
	if len(list) < 2 {
		return src
	}
	p, q := list[m.IntN(len(list))], list[m.IntN(len(list))]
	same := func() []byte { // another token of the same kind
		for range 50 {
			if q = list[m.IntN(len(list))]; q.tok == p.tok {
				break
			}
		}
		return src[q.lo:q.hi]
	}
	var by []byte
	switch m.IntN(8) {
	case 0: // remove it
	case 1:
		by = append(append([]byte{}, src[p.lo:p.hi]...), src[p.lo-1:p.hi]...)
	case 2:
		by = append([]byte{}, src[q.lo:q.hi]...)
	default:
		switch {
		case p.tok == token.INT || p.tok == token.FLOAT:
			by = []byte(extremes[m.IntN(len(extremes))])
		case p.tok.IsOperator():
			by = []byte(operators[m.IntN(len(operators))])
		default:
			by = append([]byte{}, same()...)
		}
	}
	return splice(src, p.lo, p.hi, by)
}

func splice(src []byte, lo, hi int, by []byte) []byte {
	return append(append(append([]byte{}, src[:lo]...), by...), src[hi:]...)
}

// nodes replaces, duplicates, or drops a statement, an expression or a declaration.
func (m *mutator) nodes(src []byte) []byte {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if f == nil {
		return src
	}
	kinds := [3][]piece{}
	ast.Inspect(f, func(n ast.Node) bool {
		k := 0
		switch n.(type) {
		case *ast.BlockStmt, *ast.ImportSpec, nil:
			return true
		case ast.Expr:
		case ast.Stmt:
			k = 1
		case *ast.FuncDecl:
			k = 2
		default:
			return true
		}
		if lo, hi := fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset; lo < hi && hi <= len(src) {
			kinds[k] = append(kinds[k], piece{lo: lo, hi: hi})
		}
		return true
	})
	list := kinds[m.IntN(3)]
	if len(list) == 0 {
		return src
	}
	p, q := list[m.IntN(len(list))], list[m.IntN(len(list))]
	var by []byte
	switch m.IntN(4) {
	case 0:
	case 1:
		by = append(append(append([]byte{}, src[p.lo:p.hi]...), '\n'), src[q.lo:q.hi]...)
	default:
		by = append([]byte{}, src[q.lo:q.hi]...)
	}
	if len(src)+len(by) > 100_000 {
		return src
	}
	return splice(src, p.lo, p.hi, by)
}

// scribbler is the program that FuzzMemory runs.
var scribbler = sync.OnceValues(func() (*gyr.Program, error) {
	dir, err := filepath.Abs("testdata/scribbler")
	if err != nil {
		return nil, err
	}
	return gyr.Compile(context.Background(), gyr.Source{Dir: dir, Unsafe: gyr.UnsafeAll}, nil)
})

// FuzzMemory runs a guest with package unsafe that reads a script: what to write where in its
// memory, and what to do then (see testdata/scribbler). In each tier it ends with one of the errors
// that Run documents.
//
//fuzz:runs 30
func FuzzMemory(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		script := make([]byte, 400)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		f.Add(script)
	}
	p, err := scribbler()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		for _, tier := range tiers() {
			var out output
			in, err := p.NewInstance(context.Background(), gyr.Config{
				Stdin: bytes.NewReader(script), Stdout: &out, Stderr: &out,
				Gas: 1_000_000, Memory: 8 << 20, Stack: 1 << 20, Tier: tier,
			})
			if err != nil {
				t.Fatal(err)
			}
			err = in.Run(context.Background())
			if !typed(err) {
				t.Errorf("%s: an error of type %T: %v", tier, err, err)
			}
			if err != nil && strings.Contains(err.Error(), "signal ") {
				t.Errorf("%s: machine code left its memory: %v", tier, err)
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

package research

import (
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Some of the suite's wrong changes are drawn. An operator changes one place of what a right change
// adds. So the idea is right, and a detail is wrong. testdata/planted/drawn.txt lists the drawn
// changes of the suite. To draw anew:
//
//	go test ./internal/lab/research -run TestPlantedDraw -planted.draw 80 -timeout 2h
var plantedDraw = flag.Int("planted.draw", 0, "draw so many wrong changes anew")

const drawnFile = "testdata/planted/drawn.txt"

// A mutant is a right change with one place changed.
type mutant struct {
	kind  string
	after map[string]string
	place string // the line, and what stands there instead
}

// mutants are what operators make of the lines that a change adds.
func mutants(t *testing.T, x *plantedChange) (list []mutant) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(x.after)) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			list = append(list, mutantsOf(t, x, name)...)
		}
	}
	return list
}

func mutantsOf(t *testing.T, x *plantedChange, name string) (list []mutant) {
	text := x.after[name]
	old := map[string]int{}
	for line := range strings.Lines(x.fixture.repo[name]) {
		old[line]++
	}
	added := map[int]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		old[line]--
		added[n] = old[line] < 0
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%s: %v", x, err)
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	source := func(n ast.Node) string { return text[at(n.Pos()):at(n.End())] }
	add := func(kind string, from, to token.Pos, with string) {
		line := fset.Position(from).Line
		if !added[line] {
			return
		}
		after, err := format.Source([]byte(text[:at(from)] + with + text[at(to):]))
		if err != nil {
			return
		}
		fixed, err := fixImports(string(after))
		if err != nil || fixed == text {
			return
		}
		all := maps.Clone(x.after)
		all[name] = fixed
		is := strings.Join(strings.Fields(strings.Split(text, "\n")[line-1]), " ")
		list = append(list, mutant{kind, all, fmt.Sprintf("%s, column %d: %s", is, fset.Position(from).Column, strconv.Quote(with))})
	}
	swaps := map[token.Token][2]string{token.LSS: {"<=", "another bound"}, token.LEQ: {"<", "another bound"}, token.GTR: {">=", "another bound"},
		token.GEQ: {">", "another bound"}, token.EQL: {"!=", "another comparison"}, token.NEQ: {"==", "another comparison"}, token.ADD: {"-", "another operator"},
		token.SUB: {"+", "another operator"}, token.LAND: {"||", "another connective"}, token.LOR: {"&&", "another connective"}, token.MUL: {"+", "another operator"},
		token.SHR: {"<<", "another operator"}, token.OR: {"^", "another operator"}, token.XOR: {"|", "another operator"}}
	narrow := map[string]string{"uint64": "uint32", "int64": "int32", "float64": "float32", "uint32": "uint16", "rune": "byte", "uint16": "uint8"}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if with, ok := swaps[n.Op]; ok {
					add(with[1], n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with[0])
				}
			case *ast.BasicLit:
				switch n.Kind {
				case token.INT:
					add("a number that is one too large", n.Pos(), n.End(), "("+n.Value+"+1)")
					add("a number that is one too small", n.Pos(), n.End(), "("+n.Value+"-1)")
				}
			case *ast.IfStmt:
				if n.Init == nil && n.Else == nil {
					add("a case left out", n.Pos(), n.End(), "")
				}
			case *ast.IncDecStmt:
				add("a step left out", n.Pos(), n.End(), "")
			case *ast.DeferStmt:
				add("a deferred call left out", n.Pos(), n.End(), "")
			case *ast.ExprStmt:
				add("a call left out", n.Pos(), n.End(), "")
			case *ast.AssignStmt:
				if n.Tok == token.ASSIGN && len(n.Lhs) == 1 {
					add("an assignment left out", n.Pos(), n.End(), "_ = "+source(n.Rhs[0]))
				}
			case *ast.BranchStmt:
				if n.Label == nil {
					add("a branch left out", n.Pos(), n.End(), "")
				}
			case *ast.SliceExpr:
				if n.Slice3 {
					add("a capacity left out", n.High.End(), n.Rbrack, "")
				} else if n.High == nil && n.Low != nil {
					add("another part", n.Low.Pos(), n.Low.End(), source(n.Low)+"+1")
				}
			case *ast.CallExpr:
				if id, ok := n.Fun.(*ast.Ident); ok {
					if to := narrow[id.Name]; to != "" && len(n.Args) == 1 {
						add("a narrower type", n.Pos(), n.End(), id.Name+"("+to+"("+source(n.Args[0])+"))")
					}
					if (id.Name == "min" || id.Name == "max") && len(n.Args) == 2 {
						add("a bound left out", n.Pos(), n.End(), source(n.Args[1]))
						add("a bound left out", n.Pos(), n.End(), source(n.Args[0]))
					}
					if id.Name == "append" && n.Ellipsis.IsValid() && len(n.Args) == 2 {
						add("no copy", n.Pos(), n.End(), source(n.Args[1]))
					}
				}
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Clone" && len(n.Args) == 1 {
					add("no copy", n.Pos(), n.End(), source(n.Args[0]))
				}
			}
			return true
		})
	}
	return list
}

// drawnChange is the change that a mutant is.
func (x *plantedChange) drawnChange(m mutant) *plantedChange {
	y := *x
	y.right, y.bold, y.drawn = false, false, true
	y.kind, y.name, y.after = m.kind, x.name+": "+m.place, m.after
	return &y
}

// drawnChanges are the changes that drawn.txt lists.
func drawnChanges(t *testing.T, fixtures []*plantedFixture) (list []*plantedChange) {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(drawnFile))
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		wanted[strings.TrimSpace(line)] = true
	}
	for _, f := range fixtures {
		for _, x := range f.changes {
			if !x.right {
				continue
			}
			for _, m := range mutants(t, x) {
				y := x.drawnChange(m)
				if wanted[y.String()] {
					delete(wanted, y.String())
					list = append(list, y)
				}
			}
		}
	}
	for line := range wanted {
		t.Errorf("%s lists what no operator makes: %s", drawnFile, line)
	}
	return list
}

// TestPlantedDraw draws wrong changes until drawn.txt has as many as the flag says.
func TestPlantedDraw(t *testing.T) {
	if *plantedDraw == 0 {
		t.Skip("it writes " + drawnFile)
	}
	rng := rand.New(rand.NewPCG(38, 0))
	fixtures := plantedFixtures(t)
	listed := map[string]bool{}
	for _, x := range drawnChanges(t, fixtures) {
		listed[x.String()] = true
	}
	var work sync.WaitGroup
	var mu sync.Mutex
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(listed) >= *plantedDraw
	}
	accept := func(x *plantedChange) {
		mu.Lock()
		defer mu.Unlock()
		listed[x.String()] = true
		text := strings.Join(slices.Sorted(maps.Keys(listed)), "\n") + "\n"
		if err := os.WriteFile(filepath.FromSlash(drawnFile), []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
	// A fixture's binaries are built in one directory, so each has one worker.
	todo := make(chan *plantedFixture, len(fixtures))
	rng.Shuffle(len(fixtures), func(i, j int) { fixtures[i], fixtures[j] = fixtures[j], fixtures[i] })
	for _, f := range fixtures {
		todo <- f
	}
	close(todo)
	for i := range 8 {
		rng := rand.New(rand.NewPCG(38, uint64(i)))
		work.Go(func() {
			p := newPlantedCheck(t)
			for f := range todo {
				for _, x := range f.changes {
					if !x.right || enough() {
						continue
					}
					some := false
					var queue []*plantedChange
					for _, m := range mutants(t, x) {
						y := x.drawnChange(m)
						queue = append(queue, y)
						mu.Lock()
						some = some || listed[y.String()]
						mu.Unlock()
					}
					rng.Shuffle(len(queue), func(i, j int) { queue[i], queue[j] = queue[j], queue[i] })
					for i := 0; i < len(queue) && !some; i++ { // one of each right change
						err := p.check(queue[i], true)
						t.Logf("%s: %.150v", queue[i], err)
						if some = err == nil; some {
							accept(queue[i])
						}
					}
				}
			}
		})
	}
	work.Wait()
	if !enough() {
		t.Errorf("only %d", len(listed))
	}
}

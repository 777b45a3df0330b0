package research

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// sameRows is the number of candidates for each module of TestSame, and for all fixtures together.
const sameRows = 20

// A sameGroup is a repository whose candidates of TestSame equal it.
type sameGroup struct {
	name    string
	repo    map[string]string
	metrics []any
	rows    int
}

// TestSame judges candidates that differ from their parent in nothing that runs: a comment, the name
// of a local variable, the order of functions, empty lines. It prints each row and counts verdicts.
// None may be kept, and no check may refuse one.
//
//	go test ./internal/lab/research -run TestSame$ -long -v -timeout 3h
func TestSame(t *testing.T) {
	if !*long {
		t.Skip("it takes an hour: -long")
	}
	var groups []*sameGroup
	for _, x := range chosenSeries(t) {
		groups = append(groups, &sameGroup{x.file, x.base, x.metrics(), sameRows})
	}
	if *seriesOnly == "" {
		fixtures := plantedFixtures(t)
		for i, f := range fixtures {
			pkg := (&plantedChange{fixture: f, bench: f.bench}).pkg()
			metrics := []any{map[string]any{"name": "allocs", "from": "gobench", "bench": f.bench, "pkg": pkg, "unit": "allocs/op", "goal": "min", "minEffect": "1"},
				map[string]any{"name": "cpu", "from": "rusage", "bench": f.bench, "pkg": pkg, "unit": cpuPerOp, "goal": "min", "minEffect": "3%", "guard": map[string]any{"maxRegression": "10%"}}}
			rows := sameRows / len(fixtures)
			if i < sameRows%len(fixtures) {
				rows++
			}
			groups = append(groups, &sameGroup{f.name, f.repo, metrics, rows})
		}
	}
	verdicts, total, seconds := map[string]int{}, 0, 0.0
	for _, g := range groups {
		t.Run(g.name, func(t *testing.T) {
			for _, r := range g.judge(t) {
				t.Logf("%-26s %5.1fs  %s: %.300s", r.Verdict, r.Seconds, r.Description, r.Reason)
				verdicts[r.Verdict]++
				total++
				seconds += r.Seconds
				if r.Kept() || !slices.Contains(notFaulty, r.Verdict) {
					t.Errorf("%s: %s: %s", r.Description, r.Verdict, r.Reason)
				}
			}
		})
	}
	t.Logf("%d rows: %v; %.1f s a row", total, verdicts, seconds/float64(max(1, total)))
}

// judge judges the candidates of a group, each on the base.
func (g *sameGroup) judge(t *testing.T) []*ledger.Row {
	b := newBench(t)
	b.hold(g.repo, g.name)
	var files []string
	for _, name := range slices.Sorted(maps.Keys(g.repo)) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "cmd/") {
			files = append(files, name)
		}
	}
	rng := rand.New(rand.NewPCG(5, uint64(len(g.name))))
	trees := map[string]bool{}
	for n := 0; n < g.rows; {
		name := files[rng.IntN(len(files))]
		kind := sameKinds[n%len(sameKinds)]
		text := kind.change(g.repo[name], rng)
		if text == "" || trees[name+text] {
			continue
		}
		trees[name+text] = true
		n++
		b.write(b.side, map[string]string{fmt.Sprintf("patches/%02d.patch", n): filePatch(t, kind.name+" in "+name, name, g.repo[name], text)})
	}
	c := b.config(func(c map[string]any) {
		c["metrics"] = g.metrics
		c["proposer"] = map[string]any{"kind": "patches", "dir": "patches", "onBase": true}
		c["scope"] = map[string]any{"allow": []string{"**/*.go"}}
		c["stop"] = map[string]any{"experiments": 100, "plateau": 100, "failures": 100}
		c["statistics"] = map[string]any{"aaEvery": -1, "plant": 0}
		delete(c, "battery") // the default one
	})
	_, rows := b.run(c)
	if len(rows) != g.rows {
		t.Errorf("%d rows of %d candidates", len(rows), g.rows)
	}
	return rows
}

// sameKinds are changes of a file's text at a place that is drawn. An empty text says that there is
// no such place.
var sameKinds = []struct {
	name   string
	change func(text string, rng *rand.Rand) string
}{
	{"a comment", func(text string, rng *rand.Rand) string {
		_, _, f := functionOf(text, rng)
		if f == nil {
			return ""
		}
		at := int(f.Body.List[rng.IntN(len(f.Body.List))].Pos()) - 1
		return text[:at] + fmt.Sprintf("// Step %d.\n\t", rng.IntN(100)) + text[at:]
	}},
	{"another name", func(text string, rng *rand.Rand) string {
		_, _, f := functionOf(text, rng)
		if f == nil {
			return ""
		}
		uses, fields, names := map[*ast.Object][]int{}, map[*ast.Object]bool{}, map[string]bool{}
		var objects []*ast.Object
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && id.Obj != nil {
					fields[id.Obj] = true // perhaps a field of that name
				}
			case *ast.Ident:
				names[n.Name] = true
				if o := n.Obj; o != nil && o.Kind == ast.Var && o.Pos() > f.Body.Pos() && o.Pos() < f.Body.End() {
					if uses[o] == nil {
						objects = append(objects, o)
					}
					uses[o] = append(uses[o], int(n.Pos())-1)
				}
			}
			return true
		})
		objects = slices.DeleteFunc(objects, func(o *ast.Object) bool { return fields[o] || o.Name == "_" || names[o.Name+"Now"] })
		if len(objects) == 0 {
			return ""
		}
		o := objects[rng.IntN(len(objects))]
		for _, at := range slices.Backward(slices.Sorted(slices.Values(uses[o]))) {
			at += len(o.Name)
			text = text[:at] + "Now" + text[at:]
		}
		return text
	}},
	{"another order", func(text string, rng *rand.Rand) string {
		file, i, f := functionOf(text, rng)
		if f == nil || i == 0 {
			return ""
		}
		before, ok := file.Decls[i-1].(*ast.FuncDecl)
		if !ok {
			return ""
		}
		from, to := declared(before), declared(f)
		return text[:from[0]] + text[to[0]:to[1]] + text[from[1]:to[0]] + text[from[0]:from[1]] + text[to[1]:]
	}},
	{"empty lines", func(text string, rng *rand.Rand) string {
		_, _, f := functionOf(text, rng)
		if f == nil || len(f.Body.List) < 2 {
			return ""
		}
		before := text
		for i, s := range slices.Backward(f.Body.List) {
			line := strings.LastIndexByte(text[:s.Pos()-1], '\n')
			// Not where an empty line or a comment stands before.
			if i > 0 && text[line-1] != '\n' && line >= int(f.Body.List[i-1].End()-1) && strings.TrimSpace(text[f.Body.List[i-1].End()-1:s.Pos()-1]) == "" {
				text = text[:line] + "\n" + text[line:]
			}
		}
		if text == before {
			return ""
		}
		return text
	}},
}

// functionOf draws a function with a body from a file. It is nil if the draw is another declaration.
func functionOf(text string, rng *rand.Rand) (file *ast.File, i int, f *ast.FuncDecl) {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", text, parser.ParseComments)
	if err != nil || len(file.Decls) == 0 {
		return file, 0, nil
	}
	i = rng.IntN(len(file.Decls))
	f, ok := file.Decls[i].(*ast.FuncDecl)
	if !ok || f.Body == nil || len(f.Body.List) == 0 {
		return file, i, nil
	}
	return file, i, f
}

// declared is where a function stands in the text, with its comment.
func declared(f *ast.FuncDecl) [2]int {
	from := f.Pos()
	if f.Doc != nil {
		from = f.Doc.Pos()
	}
	return [2]int{int(from) - 1, int(f.End()) - 1}
}

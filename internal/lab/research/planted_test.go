package research

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// The planted series has six packages as projects have them, with faults and right changes. Most
// faults are drawn: an operator changes one place of a package. The change is a fault if the
// package compiles and the oracle in testdata/six prints something else. The oracle is a program
// that calls everything exported with many inputs; it is not in the repository that the session
// works on. The other faults are of the kinds that reviews found: shared memory, pools, shortcuts.
//
//	go test ./internal/lab/research -run TestPlanted -v -timeout 2h -planted.faults 60 -planted.rights 60
var (
	plantedFaults = flag.Int("planted.faults", 0, "so many planted faults are judged")
	plantedRights = flag.Int("planted.rights", 0, "so many right changes are judged")
	plantedSeed   = flag.Uint64("planted.seed", 21, "of the faults that are drawn")
	plantedOnly   = flag.String("planted.only", "", "only those whose name contains it")
)

// sixPackages are the names of the packages in testdata/six.
var sixPackages = []string{"enc", "cache", "parse", "pool", "order", "state"}

// sixFiles reads the packages: the files of the repository, and the oracles.
func sixFiles(t *testing.T) (repo, oracle map[string]string) {
	t.Helper()
	repo, oracle = map[string]string{}, map[string]string{}
	for _, name := range sixPackages {
		a, err := txtar.ParseFile(filepath.Join("testdata", "six", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if strings.HasPrefix(f.Name, "oracle/") {
				oracle[f.Name] = string(f.Data)
			} else {
				repo[f.Name] = string(f.Data)
			}
		}
	}
	return repo, oracle
}

// A plantedChange is one row of the series.
type plantedChange struct {
	pkg, name string
	pairs     []string // old and new texts
	operator  bool     // drawn by an operator
}

// mutants are the changes that operators make to a package, sorted by line.
func mutants(t *testing.T, text string) []plantedChange {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var list []plantedChange
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	add := func(operator string, from, to token.Pos, with string) {
		after, err := format.Source([]byte(text[:at(from)] + with + text[at(to):]))
		if err == nil {
			list = append(list, plantedChange{name: fmt.Sprintf("%s in line %d", operator, fset.Position(from).Line), pairs: []string{text, string(after)}, operator: true})
		}
	}
	swaps := map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
		token.ADD: "-", token.SUB: "+", token.LAND: "||", token.LOR: "&&", token.MUL: "/", token.REM: "/", token.SHR: "<<", token.SHL: ">>"}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if with := swaps[n.Op]; with != "" {
					add("another operator than "+n.Op.String(), n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), with)
				}
			case *ast.BasicLit:
				if n.Kind == token.INT {
					add("another number than "+n.Value, n.Pos(), n.End(), "("+n.Value+"+1)")
				}
			case *ast.IfStmt:
				add("a condition turned round", n.Cond.Pos(), n.Cond.End(), "!("+text[at(n.Cond.Pos()):at(n.Cond.End())]+")")
			case *ast.IncDecStmt:
				add("a step left out", n.Pos(), n.End(), "")
			case *ast.ExprStmt:
				add("a call left out", n.Pos(), n.End(), "")
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE && len(n.Lhs) == 1 {
					add("an assignment left out", n.Pos(), n.End(), "_ = "+text[at(n.Rhs[0].Pos()):at(n.Rhs[0].End())])
				}
			case *ast.BranchStmt:
				if n.Label == nil {
					add("a "+n.Tok.String()+" left out", n.Pos(), n.End(), "")
				}
			case *ast.CallExpr:
				// append([]T(nil), x...), a copy, becomes x itself.
				if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "append" && n.Ellipsis.IsValid() && len(n.Args) == 2 {
					if _, conv := n.Args[0].(*ast.CallExpr); conv {
						add("no copy", n.Pos(), n.End(), text[at(n.Args[1].Pos()):at(n.Args[1].End())])
					}
				}
			}
			return true
		})
	}
	return list
}

// An oracleRunner tells faults from changes without effect.
type oracleRunner struct {
	t    *testing.T
	dir  string
	want map[string]string
}

func newOracle(t *testing.T, repo, oracle map[string]string) *oracleRunner {
	b := &bench{t: t}
	o := &oracleRunner{t, t.TempDir(), map[string]string{}}
	b.write(o.dir, repo)
	b.write(o.dir, oracle)
	for _, pkg := range sixPackages {
		out, ok := o.run(pkg)
		if again, _ := o.run(pkg); !ok || again != out {
			t.Fatalf("the oracle of %s does not tell the same twice", pkg)
		}
		o.want[pkg] = out
	}
	return o
}

// run returns the oracle's output; false if the package does not compile. A panic or an endless run
// is an output, too.
func (o *oracleRunner) run(pkg string) (string, bool) {
	bin := filepath.Join(o.dir, pkg+".bin")
	cmd := exec.Command("go", "build", "-o", bin, "./oracle/"+pkg)
	cmd.Dir = o.dir
	if cmd.Run() != nil {
		return "", false
	}
	var out bytes.Buffer
	cmd = exec.Command("timeout", "5", bin)
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(&out, err)
	}
	return out.String(), true
}

// faulty reports whether a changed text of a package has a fault.
func (o *oracleRunner) faulty(pkg, before, after string) (fault, compiles bool) {
	file := filepath.Join(o.dir, pkg, pkg+".go")
	if err := os.WriteFile(file, []byte(after), 0o666); err != nil {
		o.t.Fatal(err)
	}
	got, ok := o.run(pkg)
	if err := os.WriteFile(file, []byte(before), 0o666); err != nil {
		o.t.Fatal(err)
	}
	return ok && got != o.want[pkg], ok
}

func (x *plantedChange) apply(t *testing.T, text string) string {
	t.Helper()
	for i := 0; i < len(x.pairs); i += 2 {
		if !strings.Contains(text, x.pairs[i]) {
			t.Fatalf("%s: %s: there is no %q", x.pkg, x.name, x.pairs[i])
		}
		text = strings.Replace(text, x.pairs[i], x.pairs[i+1], 1)
	}
	return text
}

// drawFaults draws operators' faults from all packages in turn.
func drawFaults(t *testing.T, o *oracleRunner, repo map[string]string, n int, rng *rand.Rand) (list []plantedChange) {
	all := map[string][]plantedChange{}
	for _, pkg := range sixPackages {
		all[pkg] = mutants(t, repo[pkg+"/"+pkg+".go"])
		rng.Shuffle(len(all[pkg]), func(i, j int) { all[pkg][i], all[pkg][j] = all[pkg][j], all[pkg][i] })
	}
	drawn, same := 0, 0
	for i := 0; len(list) < n; i++ {
		pkg := sixPackages[i%len(sixPackages)]
		if len(all[pkg]) == 0 {
			continue
		}
		x := all[pkg][0]
		all[pkg] = all[pkg][1:]
		x.pkg = pkg
		fault, compiles := o.faulty(pkg, x.pairs[0], x.pairs[1])
		if compiles {
			drawn++
		}
		if !fault {
			if compiles {
				same++
			}
			i-- // draw again from this package
			continue
		}
		list = append(list, x)
	}
	t.Logf("%d faults of %d changes that compile; %d others have no effect that the oracle sees", len(list), drawn, same)
	return list
}

// TestPlanted judges the series and prints which check refuses each row, and how long that takes.
func TestPlanted(t *testing.T) {
	if *plantedFaults+*plantedRights == 0 {
		t.Skip("the planted series takes long: -planted.faults 60 -planted.rights 60")
	}
	repo, oracle := sixFiles(t)
	o := newOracle(t, repo, oracle)
	rng := rand.New(rand.NewPCG(*plantedSeed, 0))
	t.Logf("seed %d", *plantedSeed)
	hand := slices.Clone(handFaults)
	rng.Shuffle(len(hand), func(i, j int) { hand[i], hand[j] = hand[j], hand[i] })
	hand = hand[:min(len(hand), *plantedFaults*2/5)]
	for _, x := range hand {
		before := repo[x.pkg+"/"+x.pkg+".go"]
		if fault, _ := o.faulty(x.pkg, before, x.apply(t, before)); !fault {
			t.Errorf("%s: %s does not compile, or is no fault", x.pkg, x.name)
		}
	}
	rights := slices.Clone(rightChanges)
	rng.Shuffle(len(rights), func(i, j int) { rights[i], rights[j] = rights[j], rights[i] })
	rights = rights[:min(len(rights), *plantedRights)]
	for _, x := range rights {
		before := repo[x.pkg+"/"+x.pkg+".go"]
		if fault, compiles := o.faulty(x.pkg, before, x.apply(t, before)); fault || !compiles {
			t.Errorf("%s: %s is not right", x.pkg, x.name)
		}
	}
	if t.Failed() {
		return
	}
	faults := append(hand, drawFaults(t, o, repo, *plantedFaults-len(hand), rng)...)

	others := func(x plantedChange) bool { return !strings.Contains(x.pkg+": "+x.name, *plantedOnly) }
	faults, rights = slices.DeleteFunc(faults, others), slices.DeleteFunc(rights, others)

	b := newBench(t)
	b.git("rm", "-q", "-r", ".")
	b.write(b.repo, repo)
	b.git("add", "-A")
	b.git("commit", "-qm", "six packages")
	var ch *changer
	session := 0
	open := func() {
		session++
		c := b.config(func(c map[string]any) {
			c["name"] = fmt.Sprintf("series %d", session)
			c["metrics"] = []any{costMetric}
			delete(c, "battery") // use the default
		})
		c.Stop.Experiments = 1000
		ch = &changer{t, b.open(c), maps.Clone(repo), 1000}
	}
	shut := func() {
		if err := ch.s.Close(); err != nil {
			t.Error(err)
		}
	}
	open()
	var out strings.Builder
	by := map[string]int{}
	judge := func(kind string, x *plantedChange) *ledger.Row {
		start := time.Now()
		r := ch.try(x.name, x.pkg+"/"+x.pkg+".go", x.pairs...)
		fmt.Fprintf(&out, "%-6s %-6s %5.1fs  %-28s %s\n", kind, x.pkg, time.Since(start).Seconds(), r.Verdict, x.name)
		t.Logf("%s %s: %s: %.200s", kind, x.pkg, r.Verdict, r.Reason)
		return r
	}
	kept, refused, drawn := 0, 0, 0
	var total float64
	for i := range faults {
		r := judge(map[bool]string{true: "drawn", false: "fault"}[faults[i].operator], &faults[i])
		total += r.Seconds
		if faults[i].operator {
			drawn++
		}
		if by[r.Verdict]++; r.Kept() {
			kept++
			shut()
			open()
		}
	}
	shut()
	open()
	for i := range rights {
		r := judge("right", &rights[i])
		total += r.Seconds
		if !r.Kept() {
			refused++
			shut() // so that the others are judged without it
			files, cost := ch.files, ch.cost
			b.git("checkout", "-q", "-B", fmt.Sprint("rights", session), "research/"+ch.s.config.Session)
			open()
			ch.files, ch.cost = files, cost
		}
	}
	shut()
	t.Logf("\n%s", out.String())
	for _, v := range slices.Sorted(maps.Keys(by)) {
		t.Logf("%3d faults: %s", by[v], v)
	}
	t.Logf("%d of %d faults refused (%d drawn), %d of %d right changes refused, %.1f s a row", len(faults)-kept, len(faults),
		drawn, refused, len(rights), total/float64(max(1, len(faults)+len(rights))))
	if kept > len(faults)/20 || refused > max(1, len(rights)/60) {
		t.Errorf("%d faults kept, %d right changes refused", kept, refused)
	}
}

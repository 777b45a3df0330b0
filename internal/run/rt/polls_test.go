package rt

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// If a guest controls how long work takes, the work has to check regularly, at least every 100 µs,
// whether the run must stop. So every loop of this package and of guesttype reaches a poll, by
// itself or through what it calls. Otherwise it is listed here with the reason why no guest can
// make it long.

// unpolled are the functions with loops that do not poll.
var unpolled = func() map[string]string {
	m := map[string]string{}
	for reason, names := range map[string]string{
		"of the program that the host compiled and limited: types, parameters and functions of one type or frame, at most maxCallFields": "(Type).Weighs (Type).TextsIn NewCall places (VM).DescribeAgain (Call).link (Call).textBytes (VM).takeResults (Call).checkLoans (taker).init newBackCall (callback).reflected (VM).bindCallbacks (VM).backLink (backLink).bind (Types).At (typesReader).bytes (typesReader).fields (Types).TypeFor (Types).listNames (Types).count (Type).hostSize (Type).check (Type).hostStruct (Types).holdsHandle (VM).hostLink (hostLink).link (hostLink).take clearContents (hostCall).clearResults (VM).finishedHost settle (Type).lay (Type).of (typesReader).all (Type).fits (connector).connect (connector).group judge (Type).fault",
		"processes and pipes, at most maxProcesses and what memory is charged for; the text of a start, at most maxArguments":            "(pipe).tell (process).unstart (processes).tell (processes).add (process).finish (process).first (VM).wake (VM).busyChildren (VM).tellLock hostProcStart readStart (VM).childStdio (VM).child (VM).reap",
		"a constant number of turns": "hostValidUTF8 effectOf (typesReader).name hostValues (walker).group isTime extended (partError).Error table swapWords hostMemstats (VM).stdAsks (report).begin (VM).hereOutside (VM).Traceback (encoder).handle (VM).putAll",
		"the queue of specials and the functions of a program, outside of a run, with a moment or a state, which has the guest's memory too": "(Moment).appendState (VM).setState (VM).setFuncs (VM).begin (Moment).Back (VM).adopt",
		"at most pollParts strings of a parameter":                                                             "(Call).fewTexts",
		"the host's numbers after they were copied, faster than copying; the fields of a type":                 "hasFloats setNaNs",
		"a search that halves what is left":                                                                    "(walker).zone",
		"at most 65,536 changes and as many zones, with a poll before: the caller looks up each location once": "firstZone",
		"sentinels of the host; a guest names at most maxSentinel":                                             "(decoder).liftedError (VM).sentinelsOf",
		"idle goroutines and open calls of the host: at most maxIdle and maxRunning":                           "(coroutines).close newCoroutine (VM).abandonHost (VM).Refusal",
		"settings of the host: variables, directories, sentinels":                                              "hostAskenv (VM).dirsState",
		"after the run, by the host: closers and functions that undo are the host's own":                       "(VM).takeClosers closeAll (VM).Undo",
		"before the guest runs: initialisers of std and what the snapshot has":                                 "(VM).initQueue NewSnapshot (Snapshot).AppendBinary ReadSnapshot",
		"a piece of at most kernelPiece bytes: pieces polls between them":                                      "hostBigadd hostBigsub hostBigmul hostBigmuladd hostBigshl hostBigshr",
		"a piece of at most callersPiece frames, with a poll behind it":                                        "hostCallers",
		"counters of the program, as many as it has blocks; only when the host fuzzes":                         "hostFuzzcover",
		"waits in select, which ends with the run":                                                             "(VM).Supervise",
		"bounded by the bytes of the record, which the reader uses up":                                         "(logReader).items",
		"the report of a panic, which has a limit; after the run":                                              "withoutGenerated",
		"roots of the program: a mark of a range each":                                                         "(VM).collect",
		"values of at most maxRecordedBytes":                                                                   "(VM).copies (VM).replay (callEnd).equal (copier).copy",
		"at most maxTypeDepth arrays":                                                                          "(typeReader).layout",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = reason
		}
	}
	return m
}()

// TestLoopsPoll finds loops without a poll.
func TestLoopsPoll(t *testing.T) {
	var loops []loop
	for dir, pollers := range map[string]int{".": 2, "../guesttype": 0} {
		pkg, err := build.Default.ImportDir(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		sources := map[string][]byte{}
		for _, name := range pkg.GoFiles {
			sources[filepath.Join(dir, name)] = nil
		}
		list, err := loopsIn(sources, pollers)
		if err != nil {
			t.Fatal(err)
		}
		loops = append(loops, list...)
	}
	if len(loops) < 100 {
		t.Errorf("%d loops in all: the walk does not see them", len(loops))
	}
	silent := map[string]bool{}
	for _, l := range loops {
		if l.polls {
			continue
		}
		silent[l.function] = true
		if unpolled[l.function] == "" {
			t.Errorf("%v: a loop of %s reaches no poll. Let it poll, or say in unpolled why no guest makes it long", l.pos, l.function)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unpolled)) {
		if !silent[name] {
			t.Errorf("unpolled names %s, which has no loop without a poll", name)
		}
	}
}

// TestLoopsPollSees: the walk sees loops of every form, and polls wherever they are.
func TestLoopsPollSees(t *testing.T) {
	const source = `package rt

import "iter"

type VM struct{}
type walker struct{ vm *VM }
type decoder struct{ walker }

func (vm *VM) Poll() int      { return 0 }
func (vm *VM) mustStop() bool { return false }
func (w *walker) step() error { w.vm.Poll(); return nil }
func (d *decoder) one(n int)  { if n > 0 { d.step() } }
func even(n int)              { if n > 0 { odd(n - 1) } }
func odd(n int)               { if n > 0 { even(n - 1) } }

func byClause(n int)               { for i := 0; i < n; i++ { even(i) } }
func byRange(list []int)           { for range list { } }
func byNumber(n int)               { for range n { odd(1) } }
func byFunction(f iter.Seq[int])   { for range f { } }
func byMethod(d *decoder, n int)   { for i := range n { d.one(i) } }
func directly(vm *VM, n int)       { for range n { if vm.mustStop() { return } } }
func inLiteral(n int) func()       { return func() { for range n { } } }
func around(vm *VM, n int)         { for range n { for range n { } ; vm.Poll() } }
func behind(vm *VM, n int)         { for range n { }; vm.Poll() }
func inCondition(vm *VM)           { for vm.Poll() == 0 { } }
func byGoto(n int)                 { again: if n--; n > 0 { goto again } }
func byRecursion(d *decoder, n int) { for range n { byRecursion(d, n-1) } }
var atStart = func() int           { for range 10 { } ; return 0 }()
`
	loops, err := loopsIn(map[string][]byte{"planted.go": []byte(source)}, 2)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]bool{}
	for _, l := range loops {
		got[l.function] = append(got[l.function], l.polls)
	}
	want := map[string][]bool{"byClause": {false}, "byRange": {false}, "byNumber": {false}, "byFunction": {false}, "byMethod": {true},
		"directly": {true}, "inLiteral": {false}, "around": {true, false}, "behind": {false}, "inCondition": {true}, "byGoto": {false},
		"byRecursion": {false}, "": {false}}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A loop is a statement that repeats others.
type loop struct {
	pos      token.Position
	function string // as (VM).Poll; empty outside of functions
	polls    bool
}

// loopsIn returns the loops of a package: for statements, and labels that goto jumps back to. It
// reads files without a text in sources. The package must have so many pollers, functions that poll
// by themselves.
func loopsIn(sources map[string][]byte, pollers int) ([]loop, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		var text any
		if b := sources[name]; b != nil {
			text = b
		}
		f, err := parser.ParseFile(fset, filepath.Clean(name), text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	// Other packages need not be loaded: only calls of this package's functions matter.
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: emptyImporter{}, Error: func(error) {}}
	pkg, _ := conf.Check("rt", fset, files, info)

	calls := map[types.Object]map[types.Object]bool{} // of functions of the package, by their callers
	uses := func(n ast.Node) map[types.Object]bool {
		set := map[types.Object]bool{}
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if f, ok := info.Uses[id].(*types.Func); ok && f.Pkg() == pkg {
					set[f.Origin()] = true
				}
			}
			return true
		})
		return set
	}
	polls := map[types.Object]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				calls[info.Defs[d.Name]] = uses(d.Body)
				if name := nameOf(d); name == "(VM).Poll" || name == "(VM).mustStop" {
					polls[info.Defs[d.Name]] = true
				}
			}
		}
	}
	if len(polls) != pollers {
		return nil, fmt.Errorf("%d functions that poll, want %d", len(polls), pollers)
	}
	reaches := func(set map[types.Object]bool) bool {
		for f := range set {
			if polls[f] {
				return true
			}
		}
		return false
	}
	for again := true; again; {
		again = false
		for f, set := range calls {
			if !polls[f] && reaches(set) {
				polls[f], again = true, true
			}
		}
	}

	var loops []loop
	for _, f := range files {
		for _, d := range f.Decls {
			name := ""
			if d, ok := d.(*ast.FuncDecl); ok {
				name = nameOf(d)
			}
			labels := map[string]token.Pos{}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ForStmt, *ast.RangeStmt:
					loops = append(loops, loop{fset.Position(n.Pos()), name, reaches(uses(n))})
				case *ast.LabeledStmt:
					labels[n.Label.Name] = n.Pos()
				case *ast.BranchStmt:
					if n.Tok == token.GOTO && labels[n.Label.Name].IsValid() {
						loops = append(loops, loop{fset.Position(n.Pos()), name, false})
					}
				}
				return true
			})
		}
	}
	return loops, nil
}

// nameOf returns a function's name, with the type of its receiver.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	return fmt.Sprintf("(%s).%s", types.ExprString(t), d.Name.Name)
}

// An emptyImporter knows packages by name only.
type emptyImporter struct{}

func (emptyImporter) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

package declare

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A File is a source file of a package in the build.
type File struct {
	Name   string // absolute
	Source []byte
}

// A Package holds the declarations in the files of a directory: benchmarks of the package and of
// its external tests.
type Package struct {
	Functions []*Function // by file and line

	parts []*part
}

// A part is all files with one package clause.
type part struct {
	name   string // as in the package clause
	files  []*file
	names  map[string]bool // declared at package level, or imported
	funcs  map[string]*ast.FuncDecl
	types  map[string]ast.Expr // of type declarations without type parameters
	consts map[string]bool
}

// A file is a parsed File.
type file struct {
	name string
	ast  *ast.File
}

// A Function is a function with a directive.
type Function struct {
	Name      string // of the benchmark, without Benchmark: "Sum"
	Func      string // as in a selector of the package: "sum", "buf.sum", "(*buf).sum"
	Group     string
	Baseline  bool
	Bytes     string // a number, or the name of a parameter; empty: unknown
	Setup     string
	Inline    Inline
	Ignore    []string
	Reason    string
	File      string
	Line      int // of the function
	Directive int // line of the directive
	Cases     []Case

	part   *part
	decl   *ast.FuncDecl
	in     *file
	params []param // the function's receiver, if it has one, and its parameters
	setup  *ast.FuncDecl
	given  int // how many of params the setup returns
}

// Inline says whether the function may be inlined into the loop that measures it.
type Inline uint8

const (
	InlineAuto  Inline = iota // as the compiler decides
	InlineNever               // the loop calls it
	InlineMore                // also above gyr's usual size limit; gc decides as for auto
)

var inlines = map[string]Inline{"auto": InlineAuto, "never": InlineNever, "always": InlineMore}

// A Case is a combination of values.
type Case struct {
	Name   string         // of the sub-benchmark: "n=8/s=x"; empty without values
	Params []record.Param // with the values as the directive spells them
	Bytes  int64          // 0: unknown, or a constant whose value is known only when the benchmark runs

	exprs map[string]string // the values in Go, by name
}

// A param is a parameter of a function.
type param struct {
	name string
	typ  ast.Expr
}

// A Declared is a declared benchmark: a function with a combination of values.
type Declared struct {
	Function *Function
	Case     *Case
}

// Name is the benchmark's name without Benchmark, as -test.bench selects it: "Sum/n=8".
func (d Declared) Name() string {
	if d.Case.Name == "" {
		return d.Function.Name
	}
	return d.Function.Name + "/" + d.Case.Name
}

// Declared returns all benchmarks, in the order of the functions and of their values.
func (p *Package) Declared() (list []Declared) {
	for _, f := range p.Functions {
		for i := range f.Cases {
			list = append(list, Declared{f, &f.Cases[i]})
		}
	}
	return list
}

// Bench is the benchmark's line of a record. path is the package's import path.
func (d Declared) Bench(path string) *record.Bench {
	f := d.Function
	return &record.Bench{
		Key: path + "." + d.Name(), Package: path, Name: d.Name(), Func: f.Func, File: f.File, Line: f.Line, Declared: true,
		Group: f.Group, Baseline: f.Baseline, Params: d.Case.Params, Bytes: d.Case.Bytes, Ignore: f.Ignore,
	}
}

// cases makes the combinations of values.
func (f *Function) cases(lists []values) {
	f.Cases = []Case{{exprs: map[string]string{}}}
	for _, l := range lists {
		var all []Case
		for _, c := range f.Cases {
			for _, v := range l.list {
				n := Case{Params: append(slices.Clone(c.Params), record.Param{Name: l.name, Value: v.text}), Bytes: c.Bytes,
					exprs: map[string]string{l.name: v.expr}}
				for k, x := range c.exprs {
					n.exprs[k] = x
				}
				n.Name = l.name + "=" + v.label
				if c.Name != "" {
					n.Name = c.Name + "/" + n.Name
				}
				if l.name == f.Bytes {
					n.Bytes = v.number
				}
				all = append(all, n)
			}
		}
		f.Cases = all
	}
	if n, err := strconv.ParseInt(f.Bytes, 0, 64); err == nil {
		for i := range f.Cases {
			f.Cases[i].Bytes = n
		}
	}
}

// name names the benchmarks of functions: the function's own name with an upper-case first letter,
// preceded by the type's name for a method, and followed by a number if the package has such a
// benchmark already. A new declaration changes no other name.
func (p *Package) name() {
	taken := map[string]bool{}
	for _, q := range p.parts {
		for n := range q.names {
			taken[n] = true
		}
	}
	for _, f := range p.Functions {
		words := strings.FieldsFunc(f.Func, func(r rune) bool { return r == '.' || r == '(' || r == ')' || r == '*' })
		base := ""
		for _, w := range words {
			r, n := utf8.DecodeRuneInString(w)
			base += string(unicode.ToUpper(r)) + w[n:]
		}
		f.Name = base
		for i := 2; taken["Benchmark"+f.Name]; i++ {
			f.Name = base + "_" + strconv.Itoa(i)
		}
		taken["Benchmark"+f.Name] = true
	}
}

func byPlace(a, b *Function) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

func lineOf(fset *token.FileSet, pos token.Pos) int { return fset.PositionFor(pos, false).Line }

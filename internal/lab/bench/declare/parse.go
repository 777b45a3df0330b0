package declare

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const directive = "//gyr:bench"

// Parse reads the files of a package and its tests, and the declarations of their directives. The
// error holds an *Error for every mistake. Correct declarations are returned all the same.
func Parse(files []File) (*Package, error) {
	p := &reader{Package: &Package{}, fset: token.NewFileSet()}
	for _, f := range files {
		p.file(f)
	}
	for _, q := range p.parts {
		for _, f := range q.files {
			p.directives(q, f)
		}
	}
	slices.SortFunc(p.Functions, byPlace)
	p.name()
	return p.Package, errors.Join(p.errs...)
}

// An Error is a mistake in a source file.
type Error struct {
	File string
	Line int
	Text string // what is wrong, and how to correct it
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// A reader reads the files of a package.
type reader struct {
	*Package
	fset *token.FileSet
	errs []error
}

func (p *reader) fail(f *file, pos token.Pos, format string, args ...any) {
	p.errs = append(p.errs, &Error{f.name, lineOf(p.fset, pos), fmt.Sprintf(format, args...)})
}

// file parses a file and notes its declarations. Only the compiler reports syntax errors, so that
// they appear once.
func (p *reader) file(in File) {
	tree, err := parser.ParseFile(p.fset, in.Name, in.Source, parser.ParseComments|parser.SkipObjectResolution)
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		p.errs = append(p.errs, &Error{in.Name, list[0].Pos.Line, list[0].Msg})
		return
	} else if err != nil {
		p.errs = append(p.errs, err)
		return
	}
	i := slices.IndexFunc(p.parts, func(q *part) bool { return q.name == tree.Name.Name })
	if i < 0 {
		i = len(p.parts)
		p.parts = append(p.parts, &part{name: tree.Name.Name, names: map[string]bool{}, funcs: map[string]*ast.FuncDecl{},
			types: map[string]ast.Expr{}, consts: map[string]bool{}})
	}
	q, f := p.parts[i], &file{name: in.Name, ast: tree}
	q.files = append(q.files, f)
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				q.names[d.Name.Name], q.funcs[d.Name.Name] = true, d
			}
		case *ast.GenDecl:
			q.declare(d)
		}
	}
	for _, s := range tree.Imports {
		if s.Name != nil {
			q.names[s.Name.Name] = true
		}
	}
}

// declare notes the names that a declaration declares.
func (q *part) declare(d *ast.GenDecl) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			q.names[s.Name.Name] = true
			if s.TypeParams == nil {
				q.types[s.Name.Name] = s.Type
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				q.names[n.Name] = true
				if d.Tok == token.CONST {
					q.consts[n.Name] = true
				}
			}
		}
	}
}

// directives reads the directives of a file.
func (p *reader) directives(q *part, f *file) {
	used := map[*ast.Comment]bool{}
	for _, d := range f.ast.Decls {
		doc, what := docOf(d)
		list := directivesIn(doc)
		if list == nil {
			continue
		}
		for _, c := range list {
			used[c] = true
		}
		if fn, ok := d.(*ast.FuncDecl); ok {
			p.function(q, f, fn, list)
		} else {
			p.fail(f, list[0].Pos(), "%s stands in front of %s; put it in front of a function or a method", directive, what)
		}
	}
	for _, g := range f.ast.Comments {
		for _, c := range directivesIn(g) {
			if !used[c] {
				p.fail(f, c.Pos(), "%s stands in front of nothing; put it directly in front of a function or a method", directive)
			}
		}
	}
}

func docOf(d ast.Decl) (doc *ast.CommentGroup, what string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Doc, "a function"
	case *ast.GenDecl:
		return d.Doc, map[token.Token]string{token.TYPE: "a type", token.VAR: "a variable", token.CONST: "a constant",
			token.IMPORT: "an import"}[d.Tok]
	}
	return nil, ""
}

func directivesIn(g *ast.CommentGroup) (list []*ast.Comment) {
	if g == nil {
		return nil
	}
	for _, c := range g.List {
		if rest, ok := strings.CutPrefix(c.Text, directive); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			list = append(list, c)
		}
	}
	return list
}

// A word of a directive is a key with values, possibly none.
type word struct {
	key    string
	has    bool // it has an equals sign
	values []string
	pos    token.Pos // of the directive
}

// keys are the words with a fixed meaning.
var keys = []string{"group", "baseline", "bytes", "setup", "inline", "ignore", "reason"}

// words splits the text of a directive. A value, or a part of one between commas, may be a Go
// string.
func words(text string, pos token.Pos) (list []word, err error) {
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" {
			return list, nil
		}
		n := strings.IndexAny(text, "= \t")
		if n < 0 {
			n = len(text)
		}
		w := word{key: text[:n], pos: pos}
		if text = text[n:]; !strings.HasPrefix(text, "=") {
			list = append(list, w)
			continue
		}
		w.has = true
		for more := true; more; {
			text = text[1:]
			v := ""
			if text != "" && (text[0] == '"' || text[0] == '`' || text[0] == '\'') {
				if v, err = strconv.QuotedPrefix(text); err != nil {
					return nil, fmt.Errorf("the quotation mark of %s= is not closed", w.key)
				}
			} else {
				n := strings.IndexAny(text, ", \t")
				if n < 0 {
					n = len(text)
				}
				v = text[:n]
			}
			text = text[len(v):]
			w.values = append(w.values, v)
			if text != "" && !strings.ContainsRune(", \t", rune(text[0])) {
				return nil, fmt.Errorf("%q stands directly behind a string in %s=; put a blank or a comma between them", text[:1], w.key)
			}
			more = strings.HasPrefix(text, ",")
		}
		list = append(list, w)
	}
}

// A values is the list of values of a parameter.
type values struct {
	name string
	list []value
}

// A value is one value of the list.
type value struct {
	text   string // as the directive spells it
	expr   string // in Go
	label  string // in the name of a benchmark
	number int64  // of a non-negative integer, else 0
}

// function reads the directives of a function.
func (p *reader) function(q *part, f *file, fn *ast.FuncDecl, list []*ast.Comment) {
	at := list[0].Pos()
	d := &Function{part: q, decl: fn, in: f, File: f.name, Line: lineOf(p.fset, fn.Pos()), Directive: lineOf(p.fset, at)}
	before := len(p.errs)
	p.signature(d, at)
	var all []word
	for _, c := range list {
		ws, err := words(strings.TrimPrefix(c.Text, directive), c.Pos())
		if err != nil {
			p.fail(f, c.Pos(), "%v", err)
		}
		all = append(all, ws...)
	}
	seen := map[string]word{}
	for _, w := range all {
		if _, ok := seen[w.key]; ok {
			p.fail(f, w.pos, "%s stands twice; write all its values in one list", w.key)
		}
		if w.has && slices.Contains(w.values, "") {
			p.fail(f, w.pos, "%s= lacks a value; write one, without blanks around the comma", w.key)
		}
		seen[w.key] = w
	}
	if len(p.errs) > before {
		return
	}
	p.settings(d, seen)
	p.findSetup(d, at, seen)
	if _, ok := seen["setup"]; ok && d.setup == nil {
		return // values for its parameters cannot be known
	}
	lists := p.lists(d, at, seen)
	if len(p.errs) > before {
		return
	}
	d.cases(lists)
	p.Functions = append(p.Functions, d)
}

// signature reads the parameters of a function, and refuses parameters that cannot be passed.
func (p *reader) signature(d *Function, at token.Pos) {
	fn := d.decl
	d.Func = fn.Name.Name
	bad := func(format string, args ...any) { p.fail(d.in, at, format, args...) }
	switch {
	case fn.Recv == nil && (fn.Name.Name == "init" || fn.Name.Name == "main" && d.part.name == "main"):
		bad("func %s cannot be called; declare a benchmark of a function that it calls", fn.Name.Name)
	case fn.Name.Name == "_":
		bad("a function without a name cannot be called; give it one")
	case fn.Type.TypeParams != nil:
		bad("%s is generic; declare a benchmark of a function that calls it with types", fn.Name.Name)
	}
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		r := fn.Recv.List[0]
		t, star := r.Type, false
		for {
			if x, ok := t.(*ast.ParenExpr); ok {
				t = x.X
			} else if x, ok := t.(*ast.StarExpr); ok {
				t, star = x.X, true
			} else {
				break
			}
		}
		id, ok := t.(*ast.Ident)
		switch {
		case !ok:
			bad("the receiver of %s is of a generic type; declare a benchmark of a function that calls it", fn.Name.Name)
			return
		case star:
			d.Func = "(*" + id.Name + ")." + fn.Name.Name
		default:
			d.Func = id.Name + "." + fn.Name.Name
		}
		d.params = append(d.params, param{"", r.Type})
	}
	for _, g := range fn.Type.Params.List {
		if _, ok := g.Type.(*ast.Ellipsis); ok {
			bad("%s is variadic; declare a benchmark of a function that calls it with a number of arguments", d.Func)
			return
		}
		if len(g.Names) == 0 {
			d.params = append(d.params, param{"", g.Type})
		}
		for _, n := range g.Names {
			d.params = append(d.params, param{nameOf(n), g.Type})
			if slices.Contains(keys, n.Name) {
				bad("parameter %s of %s has the name of a key of the directive; give it another name", n.Name, d.Func)
			}
		}
	}
}

// nameOf is the name of a parameter, empty if it has none.
func nameOf(id *ast.Ident) string {
	if id.Name == "_" {
		return ""
	}
	return id.Name
}

var codeForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^BP[0-9][0-9]$`) })

// settings reads the keys.
func (p *reader) settings(d *Function, seen map[string]word) {
	one := func(key string) string {
		w, ok := seen[key]
		if !ok {
			return ""
		}
		if len(w.values) != 1 {
			p.fail(d.in, w.pos, "%s has no value, or several; write %s=VALUE", key, key)
			return ""
		}
		s, err := unquote(w.values[0])
		if err != nil || s == "" {
			p.fail(d.in, w.pos, "%s=%s is not a text; write it as a Go string", key, w.values[0])
		}
		return s
	}
	d.Group, d.Bytes, d.Setup, d.Reason = one("group"), one("bytes"), one("setup"), one("reason")
	if w, ok := seen["baseline"]; ok {
		d.Baseline = true
		switch {
		case w.has:
			p.fail(d.in, w.pos, "baseline takes no value; write the word alone")
		case d.Group == "":
			p.fail(d.in, w.pos, "baseline without a group compares nothing; write group=NAME too")
		}
	}
	if s := one("inline"); s != "" {
		in, ok := inlines[s]
		if !ok {
			p.fail(d.in, seen["inline"].pos, "inline=%s is unknown; write auto, never or always", s)
		}
		d.Inline = in
	}
	if w, ok := seen["ignore"]; ok {
		for _, c := range w.values {
			if !codeForm().MatchString(c) {
				p.fail(d.in, w.pos, "ignore=%s is not the code of a diagnosis; write BP and two digits", c)
			}
		}
		d.Ignore = w.values
		if d.Reason == "" {
			p.fail(d.in, w.pos, "ignore without a reason; write reason=\"…\" too")
		}
	} else if w, ok := seen["reason"]; ok {
		p.fail(d.in, w.pos, "reason without ignore; write ignore=BP… too, or leave it out")
	}
}

// unquote returns the meaning of a word, which may be a Go string.
func unquote(s string) (string, error) {
	if s != "" && strings.ContainsRune("\"`'", rune(s[0])) {
		return strconv.Unquote(s)
	}
	return s, nil
}

// findSetup finds the setup of a function, and how many operands the setup returns.
func (p *reader) findSetup(d *Function, at token.Pos, seen map[string]word) {
	method := d.decl.Recv != nil
	if d.Setup == "" {
		if _, ok := seen["setup"]; method && !ok {
			p.fail(d.in, at, "method %s has no receiver; write setup=FUNC with a function that returns one", d.Func)
		}
		return
	}
	pos := seen["setup"].pos
	fn := d.part.funcs[d.Setup]
	switch {
	case d.Setup == "each" && fn == nil:
		p.fail(d.in, pos, "setup=each, a setup before every iteration, cannot be had; write setup=FUNC and have the function undo what it did")
	case fn == nil:
		p.fail(d.in, pos, "setup=%s is no function of package %s; write the name of one, without a receiver", d.Setup, d.part.name)
	case fn.Type.TypeParams != nil:
		p.fail(d.in, pos, "setup %s is generic; write one that calls it with types", d.Setup)
	case fn.Type.Results.NumFields() == 0:
		p.fail(d.in, pos, "setup %s returns nothing; have it return the receiver or the first parameters of %s", d.Setup, d.Func)
	case fn.Type.Results.NumFields() > len(d.params):
		p.fail(d.in, pos, "setup %s returns %d values, and %s takes %d; have it return as many", d.Setup, fn.Type.Results.NumFields(),
			d.Func, len(d.params))
	default:
		d.setup, d.given = fn, fn.Type.Results.NumFields()
	}
}

// setupParams returns the parameters of the setup. An unnamed parameter has an empty name.
func (d *Function) setupParams() (list []param) {
	if d.setup == nil {
		return nil
	}
	for _, g := range d.setup.Type.Params.List {
		names := g.Names
		if len(names) == 0 {
			names = []*ast.Ident{{Name: ""}}
		}
		for _, n := range names {
			list = append(list, param{nameOf(n), g.Type})
		}
	}
	return list
}

// isBenchmark reports whether a parameter of a setup is the *testing.B.
func isBenchmark(t ast.Expr) bool {
	switch types.ExprString(t) {
	case "*testing.B", "testing.TB":
		return true
	}
	return false
}

// lists reads the values of parameters.
func (p *reader) lists(d *Function, at token.Pos, seen map[string]word) (lists []values) {
	rest := maps.Clone(seen)
	for _, k := range keys {
		delete(rest, k)
	}
	done := map[string]bool{}
	read := func(q param, of string) {
		if done[q.name] {
			// Function and setup share the parameter: the value has to suit this type too.
			for _, v := range seen[q.name].values {
				if _, err := d.part.value(v, q.typ); err != nil {
					p.fail(d.in, seen[q.name].pos, "%s=%s, parameter of %s: %v", q.name, v, of, err)
				}
			}
			return
		}
		w, ok := rest[q.name]
		switch {
		case q.name == "":
			p.fail(d.in, at, "a parameter of %s has no name; give it one, so that %s can have values for it", of, directive)
			return
		case !ok && of == d.Func:
			p.fail(d.in, at, "parameter %s of %s has no value; write %s=VALUE,…, or a setup that returns it", q.name, of, q.name)
			return
		case !ok:
			p.fail(d.in, at, "parameter %s of setup %s has no value; write %s=VALUE,…", q.name, of, q.name)
			return
		}
		done[q.name] = true
		delete(rest, q.name)
		if !w.has {
			p.fail(d.in, w.pos, "%s has no values; write %s=VALUE,…", q.name, q.name)
			return
		}
		l := values{name: q.name}
		labels := map[string]string{}
		for _, text := range w.values {
			v, err := d.part.value(text, q.typ)
			if err != nil {
				p.fail(d.in, w.pos, "%s=%s, parameter of %s: %v", q.name, text, of, err)
				continue
			}
			if other, ok := labels[v.label]; ok {
				p.fail(d.in, w.pos, "%s has the values %s and %s, which are alike in the benchmark's name; change one", q.name, other, text)
			}
			labels[v.label] = text
			l.list = append(l.list, v)
		}
		lists = append(lists, l)
	}
	for _, q := range d.params[d.given:] {
		if d.decl.Recv != nil && q.typ == d.decl.Recv.List[0].Type {
			continue // findSetup has reported that it is missing
		}
		read(q, d.Func)
	}
	for _, q := range d.setupParams() {
		if _, ok := q.typ.(*ast.Ellipsis); ok {
			p.fail(d.in, at, "setup %s is variadic; give it a number of parameters", d.Setup)
			continue
		}
		if !isBenchmark(q.typ) {
			read(q, d.Setup)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(rest)) {
		if slices.ContainsFunc(d.params[:d.given], func(q param) bool { return q.name == k }) {
			p.fail(d.in, rest[k].pos, "%s is what setup %s returns; leave its values out, or give the setup a parameter %s", k, d.Setup, k)
			continue
		}
		p.fail(d.in, rest[k].pos, "%s is neither a key (%s) nor a parameter of %s; correct it or leave it out", k, strings.Join(keys, ", "), d.Func)
	}
	if d.Bytes != "" {
		p.bytes(d, seen)
	}
	return lists
}

// bytes checks how many bytes an iteration processes.
func (p *reader) bytes(d *Function, seen map[string]word) {
	pos := seen["bytes"].pos
	if n, err := strconv.ParseInt(d.Bytes, 0, 64); err == nil && n > 0 {
		return
	}
	for _, q := range append(d.params[d.given:len(d.params):len(d.params)], d.setupParams()...) {
		if q.name != d.Bytes || q.name == "" {
			continue
		}
		if b := d.part.basic(q.typ); b == nil || b.Info()&types.IsInteger == 0 {
			p.fail(d.in, pos, "bytes=%s is a parameter of type %s; write a number or an integer parameter", d.Bytes, types.ExprString(q.typ))
		}
		return
	}
	p.fail(d.in, pos, "bytes=%s is neither a number above 0 nor a parameter with values; correct it or leave it out", d.Bytes)
}

// basic returns the underlying predeclared type of t, as far as the package itself declares it. It
// is nil for another type, or if unknown.
func (q *part) basic(t ast.Expr) *types.Basic {
	for range 100 {
		switch x := t.(type) {
		case *ast.ParenExpr:
			t = x.X
			continue
		case *ast.Ident:
			if u := q.types[x.Name]; u != nil {
				t = u
				continue
			}
			if q.names[x.Name] {
				return nil
			}
			if o, ok := types.Universe.Lookup(x.Name).(*types.TypeName); ok {
				b, _ := o.Type().Underlying().(*types.Basic)
				return b
			}
		}
		return nil
	}
	return nil
}

// value reads a value for a parameter of a type.
func (q *part) value(text string, typ ast.Expr) (value, error) {
	v := value{text: text, expr: text}
	tname := types.ExprString(typ)
	x, err := parser.ParseExpr(text)
	if err != nil {
		return v, errors.New("it is not a Go value; write a number, a string, true, false or the name of a constant")
	}
	if id, ok := x.(*ast.Ident); ok && id.Name != "true" && id.Name != "false" && id.Name != "nil" {
		if !q.consts[id.Name] {
			return v, fmt.Errorf("%s is not a constant of package %s; declare it, or write a string as %q", id.Name, q.name, id.Name)
		}
		v.label = id.Name
		return v, nil
	}
	c := literal(x)
	if c == nil {
		return v, errors.New("it is not a number, a string, true, false or the name of a constant; declare a constant for it")
	}
	v.text, v.label = c.ExactString(), label(c, text)
	switch c.Kind() {
	case constant.String:
		v.text = constant.StringVal(c)
	case constant.Int, constant.Float:
		v.text = text
		if n, ok := constant.Int64Val(constant.ToInt(c)); ok && n > 0 {
			v.number = n
		}
	}
	switch b := q.basic(typ); {
	case b != nil:
		// go/types knows which constants the type can hold.
		if _, err := types.Eval(token.NewFileSet(), nil, token.NoPos, b.Name()+"("+text+")"); err != nil || !kindFits(c, b) {
			return v, fmt.Errorf("it is not of type %s; write one that is", tname)
		}
	case !mayHold(typ, q):
		return v, fmt.Errorf("a parameter of type %s cannot have values here; write a setup that returns it", tname)
	}
	return v, nil
}

// kindFits reports whether a constant can be assigned to a type that it can be converted to.
func kindFits(c constant.Value, b *types.Basic) bool {
	switch c.Kind() {
	case constant.String:
		return b.Info()&types.IsString != 0
	case constant.Bool:
		return b.Info()&types.IsBoolean != 0
	}
	return b.Info()&types.IsNumeric != 0
}

// mayHold reports whether a type that is unknown here, such as one of another package or any, may
// have constants as its values.
func mayHold(t ast.Expr, q *part) bool {
	switch t := t.(type) {
	case *ast.SelectorExpr:
		return true
	case *ast.Ident:
		return t.Name == "any" && !q.names["any"]
	case *ast.InterfaceType:
		return t.Methods.NumFields() == 0
	}
	return false
}

// literal returns the constant of a literal with an optional sign.
func literal(x ast.Expr) constant.Value {
	switch x := x.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(x.Value, x.Kind, 0)
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return constant.MakeBool(x.Name == "true")
		}
	case *ast.UnaryExpr:
		if y := literal(x.X); y != nil && (x.Op == token.SUB || x.Op == token.ADD) &&
			(y.Kind() == constant.Int || y.Kind() == constant.Float) {
			return constant.UnaryOp(x.Op, y, 0)
		}
	}
	return nil
}

// label spells a value for the name of a benchmark. It avoids letters that the testing package
// would change, or at which -test.bench would split.
func label(c constant.Value, text string) string {
	if c.Kind() == constant.String {
		text = constant.StringVal(c)
	}
	s := strings.Map(func(r rune) rune {
		if r == '/' || r == '#' || r == '"' || r == '\'' || r == '`' || r <= ' ' || !strconv.IsPrint(r) {
			return '_'
		}
		return r
	}, text)
	if s == "" {
		return "_"
	}
	return s
}

func isPredeclared(name string) bool { return types.Universe.Lookup(name) != nil }

package load

import (
	"context"
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// # Coverage
//
// Coverage counts blocks. A block is a run of statements that are executed one after the other. The
// code below finds them in the syntax, because go/ssa forgets where statements end. Each block
// starts with a call of a function that cannot be named in Go; lowering turns the call into an
// operation that only counts and costs nothing (ir.OpCount).
//
// Blocks begin and end as in the profiles of go test, so that tools that read those agree. A block
// ends with a statement that may transfer control (any statement that contains blocks, a label,
// break and similar, a call of panic) or that contains a function literal, whose body has blocks of
// its own. Only the part of such a statement before its first brace belongs to the block.

// A CoverBlock is a block that coverage counts. Lines and columns begin at 1, columns
// count bytes, and the end is exclusive.
type CoverBlock struct {
	Package             string // import path
	File                string // the package's path and the file's name, as profiles have it
	StartLine, StartCol int
	EndLine, EndCol     int
	Stmts               int // how many statements begin in the block
}

// CoverFunc is the name of the function whose calls are counted. Its argument is the block's
// number, or the number's complement if nothing is between the call and the jump that ends the
// block.
const CoverFunc = "gyr·cover"

// covers reports whether the blocks of a package are counted.
func (l *loader) covers(p *pkg) bool {
	return l.cfg.Cover[p.importPath] && p.origin != ofOverlay && !p.generated
}

// CoverBlocks returns the blocks of a program without compiling it.
func CoverBlocks(ctx context.Context, cfg Options) ([]CoverBlock, error) {
	l, err := newLoader(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	defer l.close()
	l.cache = cacheFor(l)
	if cfg.Std != nil {
		if l.coversStd() {
			return nil, errCoverStd
		}
		l.library = cfg.Library // its packages have no blocks
	}
	main, err := l.mainPackage()
	if err != nil {
		return nil, err
	}
	l.wg.Wait()
	if len(main.xfiles) > 0 {
		l.importsOf(main, main.xfiles)
		l.wg.Wait()
	}
	if err := l.ended(); err != nil {
		return nil, err
	}
	order := slices.SortedFunc(maps.Values(l.pkgs), func(p, q *pkg) int { return strings.Compare(p.path, q.path) })
	return numberCover(order), nil
}

// A coverer inserts the calls into one file.
type coverer struct {
	f      *file
	pkg    string
	src    []byte
	blocks []CoverBlock
	lits   []*ast.BasicLit   // the arguments
	binds  map[ast.Node]bool // bodies and clauses at whose start variables are set
}

// cover divides the functions of a file into blocks.
func (l *loader) cover(p *pkg, f *file, src []byte) {
	if strings.HasSuffix(f.name, "_test.go") {
		return
	}
	c := &coverer{f: f, pkg: p.importPath, src: src, binds: map[ast.Node]bool{}}
	ast.Walk(c, f.ast)
	f.cover = c
}

// Visit divides the statement lists of a node before it is walked.
func (c *coverer) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Name.Name != "_" && n.Body != nil { // _ cannot be called
			ast.Walk(c, n.Body)
		}
		return nil
	case *ast.SwitchStmt:
		return c.orHead(n.Body, n.Init, n.Tag)
	case *ast.TypeSwitchStmt:
		if _, ok := n.Assign.(*ast.AssignStmt); ok {
			for _, clause := range n.Body.List {
				c.binds[clause] = true
			}
		}
		return c.orHead(n.Body, n.Init, n.Assign)
	case *ast.SelectStmt:
		return c.orHead(n.Body)
	case *ast.IfStmt:
		c.ifStmt(n)
		return nil
	case *ast.RangeStmt:
		c.binds[n.Body] = !blank(n.Key) || !blank(n.Value)
	case *ast.BlockStmt:
		c.body(n)
	}
	return c
}

// blank reports whether a variable of a range statement is missing or _.
func blank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return x == nil || ok && id.Name == "_"
}

// orHead descends into a statement, or, if its body is empty, only into the parts before the body:
// a switch without clauses has nothing to count.
func (c *coverer) orHead(body *ast.BlockStmt, head ...ast.Node) ast.Visitor {
	if body != nil && len(body.List) > 0 {
		return c
	}
	for _, n := range head {
		if n != nil {
			ast.Walk(c, n)
		}
	}
	return nil
}

// body divides the statements in braces, or those of its clauses.
func (c *coverer) body(b *ast.BlockStmt) {
	clauses := false
	for _, s := range b.List {
		switch s := s.(type) {
		case *ast.CaseClause:
			clauses = true
			s.Body = c.cut(s.Colon+1, s.Colon+1, s.End(), s.Body, false, c.binds[s])
		case *ast.CommClause:
			clauses = true
			_, binds := s.Comm.(*ast.AssignStmt)
			s.Body = c.cut(s.Colon+1, s.Colon+1, s.End(), s.Body, false, binds)
		}
	}
	if !clauses {
		b.List = c.cut(b.Lbrace, b.Lbrace+1, b.Rbrace+1, b.List, true, c.binds[b])
	}
}

// ifStmt divides both arms. The second begins after the word else, so that it includes the
// condition of an else if.
func (c *coverer) ifStmt(s *ast.IfStmt) {
	if s.Init != nil {
		ast.Walk(c, s.Init)
	}
	ast.Walk(c, s.Cond)
	ast.Walk(c, s.Body)
	if s.Else == nil {
		return
	}
	start := c.behindElse(s.Body.End(), s.Else.Pos())
	switch e := s.Else.(type) {
	case *ast.IfStmt:
		block := &ast.BlockStmt{Lbrace: e.Pos(), List: []ast.Stmt{e}, Rbrace: e.End()}
		block.List = c.cut(start, start+1, e.End()+1, block.List, true, false)
		s.Else = block
		ast.Walk(c, e)
	case *ast.BlockStmt:
		if switchBody(e) {
			ast.Walk(c, e)
			return
		}
		e.List = c.cut(start, start+1, e.Rbrace+1, e.List, true, false)
		for _, s := range e.List {
			ast.Walk(c, s)
		}
	}
}

// switchBody reports whether a block holds clauses. Here only syntax errors lead to such a block.
func switchBody(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch b.List[0].(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// behindElse returns the end of the word else between two positions, ignoring comments.
func (c *coverer) behindElse(from, to token.Pos) token.Pos {
	lo, hi := c.f.token.Offset(from), c.f.token.Offset(to)
	text := string(c.src[lo:hi])
	for at := 0; at < len(text); {
		rest := text[at:]
		switch {
		case strings.HasPrefix(rest, "//"):
			at += strings.IndexByte(rest, '\n') + 1
		case strings.HasPrefix(rest, "/*"):
			at += strings.Index(rest, "*/") + 2
		case strings.HasPrefix(rest, "else"):
			return from + token.Pos(at+len("else"))
		default:
			at++
		}
	}
	return to
}

// cut returns a list of statements with a call at the start of each block. The first block begins
// at start, or at inside if the list is empty. If wide is set and the list is one block, the block
// extends to end. If binds is set, variables are set at the start of the first block.
func (c *coverer) cut(start, inside, end token.Pos, list []ast.Stmt, wide, binds bool) []ast.Stmt {
	if len(list) == 0 {
		return []ast.Stmt{c.call(inside, end, 0, !binds)}
	}
	out := make([]ast.Stmt, 0, len(list)+4)
	rest := slices.Clone(list)
	for len(rest) > 0 {
		n, stop := 0, end
		for n < len(rest) {
			s := rest[n]
			n++
			stop = headEnd(s)
			if !endsBlock(s) {
				continue
			}
			wide = false
			if label, ok := s.(*ast.LabeledStmt); ok && !ownsLabel(label.Stmt) {
				// The label ends the block. The statement begins another one, because a goto can
				// lead there.
				stop = label.Pos()
				inner := label.Stmt
				label.Stmt = &ast.EmptyStmt{Semicolon: inner.Pos(), Implicit: true}
				rest = slices.Insert(rest, n, inner)
			}
			break
		}
		if wide {
			stop = end
		}
		if start != stop {
			out = append(out, c.call(start, stop, n, !binds && jumpsAtOnce(rest[:n])))
		}
		out = append(out, rest[:n]...)
		binds = false
		if rest = rest[n:]; len(rest) > 0 {
			start = rest[0].Pos()
		}
	}
	return out
}

// call makes the call for a block and records the block.
func (c *coverer) call(start, end token.Pos, stmts int, empty bool) ast.Stmt {
	from, to := c.f.token.Position(start), c.f.token.Position(end)
	c.blocks = append(c.blocks, CoverBlock{
		Package: c.pkg, File: c.pkg + "/" + filepath.Base(from.Filename),
		StartLine: from.Line, StartCol: from.Column, EndLine: to.Line, EndCol: to.Column, Stmts: stmts,
	})
	lit := &ast.BasicLit{Kind: token.INT, Value: "0"}
	c.lits = append(c.lits, lit)
	var arg ast.Expr = lit
	if empty {
		arg = &ast.UnaryExpr{Op: token.XOR, X: lit}
	}
	return &ast.ExprStmt{X: &ast.CallExpr{Fun: &ast.Ident{Name: CoverFunc}, Args: []ast.Expr{arg}}}
}

// jumpsAtOnce reports whether go/ssa makes only a jump of some statements.
func jumpsAtOnce(list []ast.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.EmptyStmt, *ast.BranchStmt:
		case *ast.LabeledStmt, *ast.BlockStmt:
			return true // the statements that follow are another block
		case *ast.ForStmt:
			return s.Init == nil
		case *ast.DeclStmt:
			if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// endsBlock reports whether a statement is the last of its block.
func endsBlock(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.ForStmt, *ast.IfStmt, *ast.LabeledStmt, *ast.RangeStmt,
		*ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return true
			}
		}
	}
	return firstLiteral(s).IsValid()
}

// ownsLabel reports whether a statement needs its label directly before it.
func ownsLabel(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// headEnd returns the end of the part of a statement that belongs to the block before it.
func headEnd(s ast.Stmt) token.Pos {
	var brace token.Pos
	var head []ast.Node
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return headEnd(s.Stmt)
	case *ast.BlockStmt:
		return s.Lbrace
	case *ast.SelectStmt:
		return s.Body.Lbrace
	case *ast.IfStmt:
		brace, head = s.Body.Lbrace, []ast.Node{s.Init, s.Cond}
	case *ast.ForStmt:
		brace, head = s.Body.Lbrace, []ast.Node{s.Init, s.Cond, s.Post}
	case *ast.RangeStmt:
		brace, head = s.Body.Lbrace, []ast.Node{s.X}
	case *ast.SwitchStmt:
		brace, head = s.Body.Lbrace, []ast.Node{s.Init, s.Tag}
	case *ast.TypeSwitchStmt:
		brace, head = s.Body.Lbrace, []ast.Node{s.Init}
	default:
		brace, head = s.End(), []ast.Node{s}
	}
	for _, n := range head {
		if p := firstLiteral(n); p.IsValid() {
			return p
		}
	}
	return brace
}

// firstLiteral returns the brace of the first function literal in a node, if it has one.
func firstLiteral(n ast.Node) (brace token.Pos) {
	if n == nil {
		return token.NoPos
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && !brace.IsValid() {
			brace = lit.Body.Lbrace
		}
		return !brace.IsValid()
	})
	return brace
}

// declareCover declares the function that the calls name. Its parameter's type must be one that the
// package does not redeclare.
func (l *loader) declareCover(p *pkg) {
	if len(p.files) == 0 {
		return
	}
	declared := map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					declared[s.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
	}
	typ := "int32"
	for _, t := range []string{"int64", "int", "rune"} {
		if declared[typ] {
			typ = t
		}
	}
	f := p.files[0]
	f.ast.Decls = append(f.ast.Decls, &ast.FuncDecl{
		Name: &ast.Ident{Name: CoverFunc},
		Type: &ast.FuncType{Params: &ast.FieldList{List: []*ast.Field{{Type: &ast.Ident{Name: typ}}}}},
		Body: &ast.BlockStmt{},
	})
}

// numberCover numbers the blocks of all packages and returns them.
func numberCover(order []*pkg) (blocks []CoverBlock) {
	for _, p := range order {
		for _, f := range p.files {
			if f.cover == nil {
				continue
			}
			for i, b := range f.cover.blocks {
				if p.named != nil {
					b.File = f.name // for a package without a path
				}
				f.cover.lits[i].Value = strconv.Itoa(len(blocks))
				blocks = append(blocks, b)
			}
		}
	}
	return blocks
}

package research

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Code that puts an object into a pool and keeps using its memory mostly works by luck: the object
// comes back unchanged, or nobody gets it. The poisoned build removes the luck. Its overlay (go's
// -overlay) changes the candidate's sources so that the slices of every argument of a pool's Put
// are overwritten first. A program that does not use what it gave away cannot notice.

// poisonSource is a file that is added to a poisoned package. Modules with an old go directive get
// it too, so it uses nothing that came after Go 1.12.
const poisonSource = `

import (
	"reflect"
	"unsafe"
)

// researchPoison overwrites the slices of numbers of an object that goes to a pool.
func researchPoison(x interface{}) interface{} {
	v := reflect.ValueOf(x)
	for v.Kind() == reflect.Ptr && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() == reflect.Array && v.CanAddr() {
		v = v.Slice(0, v.Len())
	}
	researchFill(v)
	if v.Kind() == reflect.Struct {
		for i := 0; i < v.NumField(); i++ {
			researchFill(v.Field(i))
		}
	}
	return x
}

func researchFill(v reflect.Value) {
	if v.Kind() != reflect.Slice || v.Cap() == 0 {
		return
	}
	switch v.Type().Elem().Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64:
		p, size := unsafe.Pointer(v.Pointer()), uintptr(v.Cap())*v.Type().Elem().Size()
		for i := uintptr(0); i < size; i++ {
			*(*byte)(unsafe.Pointer(uintptr(p) + i)) = 0xDB
		}
	}
}
`

// poisonFile is the name of that file.
const poisonFile = "zz_research_poison.go"

// poisonedPools writes the overlay of the changed packages and returns its flag; nothing if they
// have no pools.
func (s *Session) poisonedPools(c *subject, _ []string) (flag string, err error) {
	replace := map[string]string{}
	for _, dir := range c.changedDirs() {
		files, err := poisonPackage(filepath.Join(c.side.wt.Dir, dir))
		if err != nil {
			return "", err
		}
		for name, text := range files {
			replace[filepath.Join(c.side.wt.Dir, dir, name)] = text
		}
	}
	if len(replace) == 0 {
		return "", nil
	}
	return s.overlay("overlay", replace)
}

// poisonPackage returns the changed files of a package, by name. A package that does not parse has
// none: it does not compile either.
func poisonPackage(dir string) (map[string]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	texts, files := map[string][]byte{}, map[string]*ast.File{}
	pools := map[string]bool{}
	pkg := ""
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil
		}
		texts[name], files[name], pkg = text, f, f.Name.Name
		findPools(f, pools)
	}
	changed := map[string]string{}
	for _, name := range names {
		if files[name] == nil {
			continue
		}
		if text, ok := poisonPuts(fset, files[name], texts[name], pools); ok {
			changed[filepath.Base(name)] = text
		}
	}
	if len(changed) > 0 {
		changed[poisonFile] = "package " + pkg + poisonSource
	}
	return changed, nil
}

// findPools notes the names of variables and fields of type sync.Pool.
func findPools(f *ast.File, pools map[string]bool) {
	var isPool func(e ast.Expr) bool
	isPool = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.StarExpr:
			return isPool(e.X)
		case *ast.UnaryExpr:
			return isPool(e.X)
		case *ast.CompositeLit:
			return e.Type != nil && isPool(e.Type)
		case *ast.ArrayType:
			return isPool(e.Elt)
		case *ast.SelectorExpr:
			x, ok := e.X.(*ast.Ident)
			return ok && x.Name == "sync" && e.Sel.Name == "Pool"
		}
		return false
	}
	note := func(names []*ast.Ident, is bool) {
		for _, n := range names {
			if is {
				pools[n.Name] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			is := n.Type != nil && isPool(n.Type)
			note(n.Names, is || slices.ContainsFunc(n.Values, isPool))
		case *ast.Field:
			note(n.Names, isPool(n.Type))
		case *ast.AssignStmt:
			for i, e := range n.Rhs {
				if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && isPool(e) {
					pools[id.Name] = true
				}
			}
		}
		return true
	})
}

// poisonPuts wraps the arguments of Put of known pools.
func poisonPuts(fset *token.FileSet, f *ast.File, text []byte, pools map[string]bool) (string, bool) {
	type edit struct {
		at   int
		text string
	}
	var edits []edit
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		put, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || put.Sel.Name != "Put" || !pools[lastName(put.X)] {
			return true
		}
		edits = append(edits, edit{fset.Position(call.Args[0].Pos()).Offset, "researchPoison("},
			edit{fset.Position(call.Args[0].End()).Offset, ")"})
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return b.at - a.at })
	out := string(text)
	for _, e := range edits {
		out = out[:e.at] + e.text + out[e.at:]
	}
	return out, len(edits) > 0
}

// lastName is the last name of a.b[i].c.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return lastName(e.X)
	case *ast.ParenExpr:
		return lastName(e.X)
	}
	return ""
}

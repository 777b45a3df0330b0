package bounds

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
)

// TypeCheck is conf.Check for untrusted sources. conf must have an Error. Some declarations are
// known to make go/types panic, with a message on the process's standard error, or run for ever:
// they are errors before go/types begins. Any other panic of go/types becomes an error at the
// declaration that was being checked, or at the package clause if that is not known. (go/types has
// then written its two lines. Only changing the host's os.Stderr could prevent that.)
func TypeCheck(conf *types.Config, path string, fset *token.FileSet, files []*ast.File, info *types.Info) (pkg *types.Package, err error) {
	pkg = types.NewPackage(path, "")
	if list := recursive(fset, files); list != nil {
		for _, e := range list {
			conf.Error(e)
		}
		pkg.SetName(files[0].Name.Name)
		return pkg, list[0]
	}
	// Panics of the caller's own functions pass through.
	outside := false
	guarded := *conf
	guarded.Error = func(err error) {
		outside = true
		conf.Error(err)
		outside = false
	}
	if conf.Importer != nil {
		guarded.Importer = importerFunc(func(path string) (*types.Package, error) {
			outside = true
			p, err := conf.Importer.Import(path)
			outside = false
			return p, err
		})
	}
	c := types.NewChecker(&guarded, fset, pkg, info)
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if outside {
			panic(r)
		}
		e := types.Error{Fset: fset, Pos: place(c, files), Msg: fmt.Sprintf("go/types cannot check this declaration, or what it needs: %v", r)}
		conf.Error(e)
		err = e
	}()
	return pkg, c.Files(files)
}

// place returns the position of the declaration at which a checker panicked, from its stack of
// positions.
func place(c *types.Checker, files []*ast.File) token.Pos {
	if stack := reflect.ValueOf(c).Elem().FieldByName("posStack"); stack.Kind() == reflect.Slice && stack.Len() > 0 {
		if top := stack.Index(stack.Len() - 1); top.Kind() == reflect.Interface && top.Elem().CanInt() {
			return token.Pos(top.Elem().Int())
		}
	}
	if len(files) > 0 {
		return files[0].Name.Pos()
	}
	return token.NoPos
}

// An importerFunc is a function used as a types.Importer.
type importerFunc func(path string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

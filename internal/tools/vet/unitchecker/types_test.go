package unitchecker

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// TestTypes writes and reads packages of the standard library, and compares what they declare.
func TestTypes(t *testing.T) {
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "source", nil)
	paths := strings.Fields("fmt io sync/atomic maps iter slices unique math go/types encoding/json text/template net/http")
	if testing.Short() {
		paths = paths[:8]
	}
	files := map[string][]byte{}
	for _, path := range paths {
		pkg, err := from.Import(path)
		if err != nil {
			t.Skip("no Go installation: ", err)
		}
		files[path] = gyrWriteTypes(fset, pkg)
		if again := gyrWriteTypes(fset, pkg); !bytes.Equal(again, files[path]) {
			t.Errorf("%s is not the same when it is written again", path)
		}
		t.Logf("%s: %d bytes", path, len(files[path]))
	}
	for _, order := range [][]string{paths, reversed(paths)} {
		fset2 := token.NewFileSet()
		r := newGyrReader(fset2)
		for _, path := range order {
			pkg, err := r.read(files[path])
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			want, _ := from.Import(path)
			compare(t, fset, want, fset2, pkg)
		}
	}
}

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// compare compares exported objects, with the methods of types, as go/types prints them.
func compare(t *testing.T, fset *token.FileSet, want *types.Package, fset2 *token.FileSet, got *types.Package) {
	t.Helper()
	for _, name := range want.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		a, b := want.Scope().Lookup(name), got.Scope().Lookup(name)
		if b == nil {
			t.Errorf("%s.%s is missing", want.Path(), name)
			continue
		}
		x, y := described(fset, a), described(fset2, b)
		if x != y {
			t.Errorf("%s.%s was\n%s\nand became\n%s", want.Path(), name, x, y)
		}
	}
}

func described(fset *token.FileSet, obj types.Object) string {
	pos := fset.Position(obj.Pos())
	s := fmt.Sprintf("%s:%d: %s", pos.Filename, pos.Line, types.ObjectString(obj, nil))
	if c, ok := obj.(*types.Const); ok {
		s += " = " + c.Val().ExactString()
	}
	switch t := obj.Type().(type) {
	case *types.Named:
		for m := range t.Methods() {
			s += "\n" + m.FullName() + " " + types.ObjectString(m, nil)
		}
		if i, ok := t.Underlying().(*types.Interface); ok {
			for m := range i.Methods() {
				s += "\n" + m.FullName() + " " + m.Type().String()
			}
		}
		for _, t := range []types.Type{t, types.NewPointer(t)} {
			set := types.NewMethodSet(t)
			for i := range set.Len() {
				s += "\n" + set.At(i).String()
			}
		}
	case *types.Alias:
		s += " of " + types.Unalias(t).String()
	}
	return s
}

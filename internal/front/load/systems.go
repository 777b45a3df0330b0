package load

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/target"
)

// This file explains errors whose cause is the target. A package may declare a name, or have any
// file at all, on other systems alone.

// targetText says what the target is.
const targetText = "programs are compiled for GOOS=" + target.OS + " GOARCH=" + target.Arch + ", whatever the machine is"

// A leftOut is a file that belongs to other systems.
type leftOut struct {
	name       string // without the directory
	constraint string // such as "windows"
	tag        string // the build tag that would let it in; "" if none would
	decls      []string
}

// leftOut returns the files of a package's directory that belong to other systems.
func (l *loader) leftOut(pl *place) (list []leftOut) {
	if pl.origin == ofOverlay {
		pl = l.gorootPlace(pl.path)
	}
	entries, err := pl.tree.ReadSources(pl.dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		src, err := pl.tree.ReadFile(pl.tree.Join(pl.dir, e.Name()), filetree.MaxSource)
		if err != nil {
			continue
		}
		if c := l.match.ForOthers(e.Name(), src); c != "" {
			list = append(list, leftOut{e.Name(), c, l.match.TagWith(e.Name(), src), declaredNames(src)})
		}
	}
	return list
}

// declaredNames returns the names that a file declares. Those of methods and fields follow a dot.
func declaredNames(src []byte) (names []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if f == nil || err != nil {
		return nil
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil {
				names = append(names, "."+d.Name.Name)
			} else {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
					if t, ok := s.Type.(*ast.StructType); ok {
						for _, f := range t.Fields.List {
							for _, id := range f.Names {
								names = append(names, "."+id.Name)
							}
						}
					}
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}

var (
	undefinedName   = expr(`^undefined(?:: (?:(\w+)\.)?| array length )(\w+)`)
	undefinedMethod = expr(`undefined \(type \*?(?:(\w+)\.)?\w+ has no field or method (\w+)`)
)

// explainTarget adds to errors of a package that the target lacks a name. Of several that have the
// same cause the first one says so.
func (l *loader) explainTarget(p *pkg, errs diag.Errors) {
	if len(errs) == 0 {
		return
	}
	known := map[*pkg][]leftOut{}
	told := map[string]bool{}
	for _, e := range errs {
		qualifier, name := undefined(e.Msg)
		if name == "" {
			continue
		}
		of := p
		if qualifier != "" {
			of = p.importNamed(qualifier)
		}
		if of == nil {
			continue
		}
		files, ok := known[of]
		if !ok {
			files = l.leftOut(&of.place)
			known[of] = files
		}
		files = slices.Clone(files)
		files = slices.DeleteFunc(files, func(f leftOut) bool { return !slices.Contains(f.decls, name) })
		if why := l.otherSystems(p, of, files, "declares it in"); why != "" && !told[why] {
			told[why] = true
			e.Msg += why
		}
	}
}

// undefined takes the name out of an error that there is none, with the package that qualifies it.
// The name of a method or a field follows a dot.
func undefined(msg string) (qualifier, name string) {
	for _, x := range []struct {
		re  *regexp.Regexp
		dot string
	}{{undefinedName(), ""}, {undefinedMethod(), "."}} {
		if m := x.re.FindStringSubmatch(msg); m != nil {
			return m[1], x.dot + m[2]
		}
	}
	return "", ""
}

// importNamed returns the package that a package imports under a name, or nil.
func (p *pkg) importNamed(name string) (found *pkg) {
	for _, q := range p.imports {
		if q != nil && q.name == name && (found == nil || q.path < found.path) {
			found = q
		}
	}
	return found
}

// otherSystems says in which of its files for other systems a package has something that its user lacks,
// and the ways out. It is empty if there are none.
func (l *loader) otherSystems(user, p *pkg, files []leftOut, has string) string {
	if len(files) == 0 {
		return ""
	}
	if p.origin.std() {
		return fmt.Sprintf("\n\tpackage %s has it on other systems: %s\n\tways out: %s", p.path, targetText, waysOut(user))
	}
	const most = 3
	var shown []string
	var tag string
	for i, f := range files {
		if i < most {
			shown = append(shown, fmt.Sprintf("%s (%s)", f.name, f.constraint))
		}
		tag = cmp.Or(tag, f.tag)
	}
	list := strings.Join(shown, ", ")
	if n := len(files) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	text := fmt.Sprintf("\n\tpackage %s %s %s: %s\n\tways out: ", p.importPath, has, list, targetText)
	if tag != "" {
		text += "-tags=" + tag + "; "
	}
	return text + waysOut(p)
}

// waysOut says how a package that does not compile for the target can have what it lacks there.
func waysOut(p *pkg) string {
	if p.mod == nil || p.mod.Main {
		return "a file of the package for " + target.OS
	}
	return "another version of " + p.mod.Path + " (go get), or a replace directive in go.mod with a copy that has a file for " + target.OS
}

package load

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/bounds"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
)

// Answers are our declarations of functions, methods and variables that replace those with the same
// name in a package of GOROOT. The overlay has them below AnswersDir, in a folder by the package's
// import path. Package guest lists each with its reason. Their files become files of the package.
// When its own files are parsed, the declarations of these names are left out with their
// directives: an answer brings its own directives.

// AnswersDir is the folder of Options.Overlay that holds the answers.
const AnswersDir = "answers"

// addedPrefix begins the names of files whose declarations replace nothing (guest.Additions). Analyzers see
// them, too: programs use them.
const addedPrefix = "gyr_added_"

// addAnswers parses the files of answers for a package of GOROOT, and notes which declarations they
// replace.
func (l *loader) addAnswers(p *pkg) []*file {
	if p.origin != ofGOROOT || p.named != nil {
		return nil
	}
	list, err := l.answersFor(p).ReadSources(path.Join(AnswersDir, p.path))
	if err != nil {
		return nil // this package has no answers
	}
	var files []*file
	for _, e := range list {
		if l.forUnits && !strings.HasPrefix(e.Name(), addedPrefix) {
			continue
		}
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".go") {
			files = append(files, &file{name: gomod.StdName(p.path, e.Name()), key: "answer:" + p.path + "/" + e.Name(), answer: true})
		}
	}
	drop, errs := l.parseFiles(p, files)
	p.answered = map[string]bool{}
	kept := files[:0]
	for i, f := range files {
		switch {
		case errs[i] != nil:
			p.fail("answers for package %s: %v", p.path, filetree.Reason(errs[i]))
		case f.ast != nil && !drop[i]:
			kept = append(kept, f)
			for _, d := range f.ast.Decls {
				for _, name := range Declared(d) {
					p.answered[name] = true
				}
			}
		}
	}
	return kept
}

// isAnswer reports whether an overlay has a file among the answers for a package.
func isAnswer(overlay fs.FS, pkg, base string) bool {
	_, err := fs.Stat(overlay, path.Join(AnswersDir, pkg, base))
	return err == nil
}

// Declared returns the names by which answers know the functions, methods ("T.name") and variables
// of a declaration.
func Declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if r := bounds.Receiver(d); r != "" {
			name = r + "." + name
		}
		if name != "init" && name != "_" {
			return []string{name}
		}
	case *ast.GenDecl:
		if d.Tok == token.VAR {
			for _, s := range d.Specs {
				names = append(names, specNames(s)...)
			}
		}
	}
	return names
}

func specNames(s ast.Spec) (names []string) {
	for _, id := range s.(*ast.ValueSpec).Names {
		if id.Name != "_" {
			names = append(names, id.Name)
		}
	}
	return names
}

// leaveOut removes the declarations from a file that answers replace.
func (f *file) leaveOut(answered map[string]bool) {
	kept := make([]ast.Decl, 0, len(f.ast.Decls))
	for i, d := range f.ast.Decls {
		switch rest := remaining(d, answered); {
		case rest != nil:
			kept = append(kept, rest)
		default:
			gone := directive.OfDecl(f.ast, f.directives, i)
			f.directives = slices.DeleteFunc(f.directives, func(x directive.Directive) bool {
				return slices.Contains(gone, x) && !strings.HasPrefix(x.Text, "linkname ")
			})
		}
	}
	f.directives = slices.DeleteFunc(f.directives, func(x directive.Directive) bool {
		name, args := x.Split()
		local, _, _ := strings.Cut(args, " ")
		return name == "linkname" && answered[local]
	})
	f.ast.Decls = kept
}

// remaining returns the rest of a declaration without the answered names, or nil.
func remaining(d ast.Decl, answered map[string]bool) ast.Decl {
	names := Declared(d)
	if !slices.ContainsFunc(names, func(n string) bool { return answered[n] }) {
		return d
	}
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return nil
	}
	g.Specs = slices.DeleteFunc(g.Specs, func(s ast.Spec) bool {
		names := specNames(s)
		return len(names) == 1 && answered[names[0]]
	})
	if len(g.Specs) == 0 {
		return nil
	}
	return g
}

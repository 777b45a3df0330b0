package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file compares the symbols that packages take from each other.

// links returns the symbols that a file's linkname directives name, by local name. The symbol is ""
// if the directive only opens the name to other packages.
func (f *file) links() map[string]string {
	m := map[string]string{}
	for _, d := range f.directives {
		if d.name != "linkname" && d.name != "linknamestd" || len(d.args) == 0 {
			continue
		}
		if m[d.args[0]] == "" {
			m[d.args[0]] = strings.Join(d.args[1:], "")
		}
	}
	return m
}

// imported returns the fields of the line go:wasmimport before a function.
func (d *decl) imported() []string {
	if d.fn == nil {
		return nil
	}
	tf := d.in.fset.File(d.fn.Pos())
	end, start := tf.Offset(d.fn.Pos()), 0
	for _, x := range d.file.ast.Decls {
		if x.End() <= d.fn.Pos() {
			start = max(start, tf.Offset(x.End()))
		}
	}
	for _, x := range d.file.directives {
		if x.name == "wasmimport" && start <= x.off && x.off < end {
			return x.args
		}
	}
	return nil
}

// symbols are the symbols of an installation.
type symbols struct {
	has   map[string]*decl   // a function with a body, or a variable
	wants map[string][]*decl // functions without body, and variables that others define
}

// symbolsOf reads the declarations of packages.
func (in *install) symbolsOf(paths []string) *symbols {
	s := &symbols{map[string]*decl{}, map[string][]*decl{}}
	for _, path := range paths {
		p := in.pkg(path)
		if p == nil {
			continue
		}
		links := map[*file]map[string]string{}
		for _, f := range p.files {
			links[f] = f.links()
		}
		for _, d := range p.sorted() {
			symbol, target := d.symbol(), links[d.file][d.name]
			switch {
			case d.tok == token.VAR && target != "" && target != symbol:
				s.wants[target] = append(s.wants[target], d)
				if d.value() != "" {
					s.has[target] = d
				}
			case d.tok == token.VAR:
				s.has[symbol] = d
			case d.bodyless() && d.imported() == nil:
				if target != "" {
					symbol = target
				}
				s.wants[symbol] = append(s.wants[symbol], d)
			case d.fn != nil:
				s.has[symbol] = d
				if target != "" {
					s.has[target] = d
				}
			}
		}
	}
	return s
}

// rest returns the packages of std that gyr does not replace.
func (c *comparison) rest(in *install) []string {
	return slices.DeleteFunc(slices.Clone(in.std), c.ours.replaces)
}

// pulls returns the symbols that the rest of std needs and does not define: symbols of replaced
// packages and of assembly.
func (c *comparison) pulls(in *install) (items, *symbols) {
	list, s := items{}, in.symbolsOf(c.rest(in))
	for symbol, from := range s.wants {
		if s.has[symbol] != nil {
			continue
		}
		var words []string
		for _, d := range from {
			w := d.sig()
			if d.symbol() != symbol {
				w += " by " + d.symbol()
			}
			words = append(words, w)
		}
		slices.Sort(words)
		list[symbol] = item{strings.Join(words, "; "), from[0].pos()}
	}
	return list, s
}

func comparePulls(c *comparison) {
	was, _ := c.pulls(c.old)
	is, wanted := c.pulls(c.new)
	guest := c.ours.guest(c.new)
	has := guest.symbolsOf(guest.std).has
	at := len(c.findings)
	c.diff("pull", was, is, func(name string, now item) string {
		d := has[name]
		for _, want := range wanted.wants[name] {
			switch {
			case d == nil && (c.ours.names(name) || c.ours.names(want.symbol())):
			case d == nil:
				return "nothing has this symbol"
			case d.shape() != want.shape():
				return fmt.Sprintf("%s has another shape: %s", d.pos(), d.sig())
			}
		}
		return ""
	})
	for i := range c.findings[at:] {
		f := &c.findings[at+i]
		if was, is := was[f.Name].text, is[f.Name].text; was != "" && is != "" {
			f.Text = shorten(strings.Join(differing(strings.Split(was, "; "), strings.Split(is, "; ")), "; "))
		}
	}
}

// shape describes the memory layout of parameters and results, or of a variable.
func (d *decl) shape() string {
	p := d.in.types().check(d.pkg.path)
	if p == nil {
		return "?"
	}
	obj := p.Scope().Lookup(d.id.Name)
	if d.fn != nil && d.fn.Recv != nil || obj == nil {
		return d.sig()
	}
	sig, ok := obj.Type().(*types.Signature)
	if !ok {
		return fmt.Sprint(wasm.Sizeof(obj.Type()))
	}
	sizes := func(t *types.Tuple) (list []int64) {
		for v := range t.Variables() {
			list = append(list, wasm.Sizeof(v.Type()))
		}
		return list
	}
	return fmt.Sprint(sizes(sig.Params()), sizes(sig.Results()))
}

// pushes returns the functions in the rest of std that define symbols of replaced packages.
func (c *comparison) pushes(in *install) items {
	list := items{}
	for symbol, d := range in.symbolsOf(c.rest(in)).has {
		if pkg, _ := splitSymbol(symbol); pkg != d.pkg.path && c.ours.replaces(pkg) {
			list[symbol] = item{d.sig() + " by " + d.symbol(), d.pos()}
		}
	}
	return list
}

func comparePushes(c *comparison) {
	c.diff("push", c.pushes(c.old), c.pushes(c.new), nil)
	// The symbols that gyr's packages expect from others.
	guest := c.ours.guest(c.new)
	s := guest.symbolsOf(guest.std)
	for _, symbol := range slices.Sorted(maps.Keys(s.wants)) {
		for _, d := range s.wants[symbol] {
			own := d.id.Name
			if !d.file.ours || s.has[symbol] != nil || c.ours.names(d.symbol()) || c.ours.names(symbol) ||
				strings.HasPrefix(own, "host_") || strings.HasPrefix(own, "ir_") {
				continue
			}
			c.findings = append(c.findings, Finding{Kind: "push", Name: symbol, Pos: d.pos(), Text: "gone: " + d.symbol() + " expects " + d.sig(),
				Ours: "nothing has this symbol", now: d.sig()})
		}
	}
}

// splitSymbol splits a symbol into its package and the rest.
func splitSymbol(symbol string) (pkg, name string) {
	i := strings.LastIndexByte(symbol, '/') + 1
	k := strings.IndexByte(symbol[i:], '.')
	if k < 0 {
		return symbol, ""
	}
	return symbol[:i+k], symbol[i+k+1:]
}

// handles returns the symbols that a directive opens, by its name.
func (in *install) handles() items {
	list := items{}
	for _, path := range in.std {
		p := in.pkg(path)
		for _, f := range p.files {
			for _, x := range f.directives {
				if x.name != "linkname" && x.name != "linknamestd" || len(x.args) == 0 {
					continue
				}
				d := p.decls[x.args[0]]
				if d == nil || d.bodyless() || d.tok == token.VAR && len(x.args) > 1 && d.value() == "" {
					continue
				}
				symbol := path + "." + x.args[0]
				if len(x.args) > 1 {
					symbol = x.args[1]
				}
				if list[symbol].text != "linkname" {
					list[symbol] = item{x.name, f.atOffset(x.off)}
				}
			}
		}
	}
	return list
}

// compareHandles compares the opened symbols that programs of gyr may use, and those that all
// programs may use.
func compareHandles(c *comparison) {
	was, is := c.old.handles(), c.new.handles()
	known := func(symbol string) bool {
		_, ok := slices.BinarySearch(c.ours.pulls, symbol)
		return ok
	}
	maps.DeleteFunc(is, func(symbol string, i item) bool {
		pkg, _ := splitSymbol(symbol)
		return !known(symbol) && i.text != "linkname" || strings.HasSuffix(pkg, "_test")
	})
	maps.DeleteFunc(was, func(symbol string, i item) bool { return !known(symbol) && is[symbol].text == "" })
	c.diff("handle", was, is, func(name string, now item) string {
		if now.text == "linkname" && !known(name) && !c.taken(name) {
			return "not in " + pullsFile
		}
		return ""
	})
}

// taken reports whether std itself uses a symbol: then the directive may be for std alone.
func (c *comparison) taken(symbol string) bool {
	s, ok := c.new.facts["symbols"].(*symbols)
	if !ok {
		s = c.new.symbolsOf(c.new.std)
		c.new.facts["symbols"] = s
	}
	return len(s.wants[symbol]) > 0
}

const builtins = "cmd/compile/internal/typecheck/_builtin"

func (in *install) builtins() items {
	list := items{}
	const name = "src/" + builtins + "/runtime.go"
	p := in.parse(builtins, "src/"+builtins, in.fsys)
	for _, d := range p.sorted() {
		if d.file.name == name && d.tok != token.TYPE && d.tok != token.CONST {
			list[d.name] = item{d.sig(), d.pos()}
		}
	}
	return list
}

func compareBuiltins(c *comparison) { c.diff("builtin", c.old.builtins(), c.new.builtins(), nil) }

// imports returns the functions that the host supplies.
func (in *install) imports() items {
	list := items{}
	for _, path := range in.std {
		for _, d := range in.pkg(path).sorted() {
			if args := d.imported(); len(args) == 2 {
				name := args[0] + "." + args[1]
				i := item{d.sig() + " by " + d.symbol(), d.pos()}
				if was, ok := list[name]; ok {
					i = item{was.text + "; " + i.text, was.pos}
				}
				list[name] = i
			}
		}
	}
	return list
}

func compareImports(c *comparison) {
	c.diff("wasmimport", c.old.imports(), c.new.imports(), func(name string, now item) string {
		if !c.ours.fileMentions(hostsFile, strconv.Quote(name)) {
			return "no line of " + hostsFile
		}
		return ""
	})
}

// sayings returns the runtime's texts that a user may see.
func (in *install) sayings() items {
	list := items{}
	for _, path := range []string{"runtime", "internal/runtime/maps"} {
		p := in.pkg(path)
		if p == nil {
			continue
		}
		for _, f := range p.files {
			if f.ast == nil {
				continue
			}
			all := slices.Contains(sayingFiles, f.name)
			note := func(x ast.Node, how string) {
				ast.Inspect(x, func(n ast.Node) bool {
					lit, ok := n.(*ast.BasicLit)
					if !ok || lit.Kind != token.STRING {
						return true
					}
					if s, err := strconv.Unquote(lit.Value); err == nil && strings.ContainsFunc(s, isLetter) {
						if _, ok := list[strconv.Quote(s)]; !ok {
							list[strconv.Quote(s)] = item{how, in.at(f, lit.Pos())}
						}
					}
					return true
				})
			}
			for _, d := range f.ast.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
					continue
				}
				ast.Inspect(d, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					id, ok := call.Fun.(*ast.Ident)
					if !ok || !sayers.MatchString(id.Name) {
						return true
					}
					for _, a := range call.Args {
						note(a, id.Name)
					}
					return true
				})
				fn, ok := d.(*ast.FuncDecl)
				if ok && strings.HasPrefix(fn.Name.Name, "dump") {
					continue // used only to debug the runtime
				}
				if all || ok && fn.Recv != nil && fn.Name.Name == "Error" {
					note(d, "said")
				}
			}
		}
	}
	return list
}

// sayingFiles are the files with texts that all count.
var sayingFiles = []string{"src/runtime/error.go", "src/runtime/panic.go", "src/runtime/traceback.go"}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

var sayers = regexp.MustCompile(`^(panic|throw|fatal|plainError|errorString)$`)

func compareTexts(c *comparison) {
	was, is := c.old.sayings(), c.new.sayings()
	c.diff("text", was, is, nil)
	p := c.ours.guest(c.new).pkg("runtime")
	for i := range c.findings {
		f := &c.findings[i]
		if f.Kind != "text" || !strings.HasPrefix(f.Text, "gone") || p == nil {
			continue
		}
		for _, x := range p.files {
			if x.ours && strings.Contains(string(x.src), f.Name) {
				f.Ours = x.name + " says it"
			}
		}
	}
}

package risk

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// apiChanged: what other packages can name is gone, or has another type. Their code need not compile,
// or has values of which a method is no longer found: that of an interface, or that fmt calls.
func apiChanged(c *change) (list []hit) {
	if c.old.types == nil || c.new.types == nil || c.new.types.Name() == "main" || inside(c.new.dir) {
		return nil
	}
	at := c.new.begin()
	say := func(pos token.Pos, format string, args ...any) {
		if !pos.IsValid() {
			pos = at
		}
		text := fmt.Sprintf(format, args...)
		list = append(list, hit{pos: pos, where: text, text: text})
	}
	before, now := apiOf(c.old.types), apiOf(c.new.types)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		was, is := before[name], now[name]
		switch {
		case is.text == "":
			say(now[was.of].pos, "%s is no longer there for other packages", name)
		case is.text != was.text:
			say(is.pos, "%s is %s for other packages now, it was %s", name, is.text, was.text)
		}
	}
	return list
}

// An apiItem is something that other packages can name.
type apiItem struct {
	text string
	pos  token.Pos
	of   string // its type, if it is a field or a method
}

// apiOf are the exported objects of a package, the exported fields of its structs, and the method sets
// of its types and of pointers to them.
func apiOf(p *types.Package) map[string]apiItem {
	list := map[string]apiItem{}
	text := func(t types.Type) string { return types.TypeString(t, types.RelativeTo(p)) }
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		t, isType := o.(*types.TypeName)
		if !isType {
			list[name] = apiItem{strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", o), "*types.")) + " " + text(o.Type()), o.Pos(), ""}
			continue
		}
		list[name] = apiItem{"a type", o.Pos(), ""}
		if s, ok := t.Type().Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				if f := s.Field(i); f.Exported() {
					list[name+"."+f.Name()] = apiItem{"field " + text(f.Type()), f.Pos(), name}
				}
			}
		} else if !t.IsAlias() {
			list[name] = apiItem{"type " + text(t.Type().Underlying()), o.Pos(), ""}
		}
		for prefix, of := range map[string]types.Type{name: t.Type(), "(*" + name + ")": types.NewPointer(t.Type())} {
			set := types.NewMethodSet(of)
			for i := range set.Len() {
				if m := set.At(i).Obj(); m.Exported() {
					list["method "+m.Name()+" of "+prefix] = apiItem{"method " + text(m.Type()), m.Pos(), name}
				}
			}
		}
	}
	return list
}

// inside reports whether a package is for its own module alone, whose callers change with it.
func inside(dir string) bool { return slices.Contains(strings.Split(dir, "/"), "internal") }

// begin is the place of the package clause of a file that is built: the first one that other packages see.
func (p *pkg) begin() token.Pos {
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		f := p.files[name]
		for _, object := range p.types.Scope().Names() {
			if at := p.types.Scope().Lookup(object).Pos(); token.IsExported(object) && f.FileStart <= at && at < f.FileEnd {
				return f.Package
			}
		}
	}
	return token.NoPos
}

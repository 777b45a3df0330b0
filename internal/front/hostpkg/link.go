package hostpkg

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A Price is the charge for a call of a function, in units of gas: Call for each call, and PerByte
// for each byte of contents that goes to the host or comes from it. Strings, slices and all else
// without a fixed size have contents.
type Price struct{ Call, PerByte int64 }

// A Linked says what [Package.Link] makes a package from.
type Linked struct {
	First      int                     // the number of the first function; the others follow in the order of Package.Funcs
	FirstError int                     // the number of the first sentinel; likewise
	Price      func(name string) Price // of a function
	Errors     map[string]string       // the texts of sentinels, by the names of their variables
}

// An edit replaces a part of the declaration by text.
type edit struct {
	from, to int
	text     string
}

// Link returns the source of the package that guests compile: the declaration with bodies, followed
// by the declarations that these need. No line of the declaration moves. The loader hides names
// that begin with gyr_.
func (p *Package) Link(l Linked) string {
	var edits []edit
	var rest bytes.Buffer
	for i, f := range p.Funcs {
		edits = append(edits, p.named(f)...)
		body := p.body(f, l.First+i, l.Price(f.Name), &rest)
		end := p.offset(f.decl.Type.End())
		edits = append(edits, edit{end, end, body})
	}
	for _, name := range p.Errors {
		at := p.offset(p.sentinel[name])
		edits = append(edits, edit{at, at, fmt.Sprintf(" = gyr_sentinel(%q)", l.Errors[name])})
	}
	var out strings.Builder
	out.WriteString(p.apply(edits))
	out.WriteString("\n\n" + support)
	if p.timeName != "" {
		fmt.Fprintf(&out, "\nvar _ %s.Duration\n", p.timeName)
	}
	if len(p.Errors) > 0 {
		out.WriteString("\nfunc init() {\n")
		for i, name := range p.Errors {
			fmt.Fprintf(&out, "\tgyr_addsentinel(%d, &%s)\n", l.FirstError+i, name)
		}
		out.WriteString("}\n")
	}
	out.Write(rest.Bytes())
	return out.String()
}

// Stubs returns the declaration with bodies that panic, for the go command and for editors.
func (p *Package) Stubs() string {
	var edits []edit
	for _, f := range p.Funcs {
		end := p.offset(f.decl.Type.End())
		edits = append(edits, edit{end, end, fmt.Sprintf(" { panic(%q) }", f.Name+" is a function of the host: run this program in gyr")})
	}
	for _, name := range p.Errors {
		at := p.offset(p.sentinel[name])
		edits = append(edits, edit{at, at, fmt.Sprintf(" = gyr_sentinel(%q)", p.Name+"."+name)})
	}
	s := p.apply(edits)
	if len(p.Errors) > 0 {
		s += "\n// A gyr_sentinel is an error of the host.\ntype gyr_sentinel string\n\nfunc (e gyr_sentinel) Error() string { return string(e) }\n"
	}
	return s
}

// apply makes edits, which do not overlap.
func (p *Package) apply(edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(p.Source[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(p.Source[at:])
	return b.String()
}

// named names the parameters that have no name that a body can use. They stay on their lines.
func (p *Package) named(f *Func) (edits []edit) {
	i := 0
	lists := []*ast.FieldList{f.decl.Recv, f.decl.Type.Params}
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			if len(field.Names) == 0 {
				at := p.offset(field.Type.Pos())
				edits = append(edits, edit{at, at, f.Params[i].Name + " "})
				i++
				continue
			}
			for _, n := range field.Names {
				if n.Name == "_" {
					edits = append(edits, edit{p.offset(n.Pos()), p.offset(n.End()), f.Params[i].Name})
				}
				i++
			}
		}
	}
	return edits
}

// body returns the body of a function, in one line. It writes the types that the body needs to
// rest.
func (p *Package) body(f *Func, number int, price Price, rest *bytes.Buffer) string {
	frame := fmt.Sprintf("gyr_frame_%d", number)
	fmt.Fprintf(rest, "\ntype %s struct {\n", frame)
	for i, a := range f.Params {
		fmt.Fprintf(rest, "\tA%d %s\n", i, p.TypeString(a.Type))
	}
	for i, r := range f.Results {
		fmt.Fprintf(rest, "\tR%d %s\n", i, p.TypeString(r))
	}
	if f.Fails {
		rest.WriteString("\tE int\n\tT string\n")
	}
	rest.WriteString("}\n")

	var b strings.Builder
	fmt.Fprintf(&b, " { var gyr_f %s; ", frame)
	lens, deep := []string{}, false
	lift, kit := false, false
	for _, r := range f.Results {
		kit = kit || mayHold(r, isMap, nil) || mayHold(r, isInterface, nil)
	}
	for i, a := range f.Params {
		lift = lift || mayHold(a.Type, isInterface, nil)
		fmt.Fprintf(&b, "gyr_f.A%d = %s; ", i, a.Name)
		switch sizeOf(a.Type) {
		case flat:
			lens = append(lens, fmt.Sprintf("len(gyr_f.A%d)", i))
		case open:
			deep = true
		}
	}
	if lift {
		b.WriteString("gyr_lift(&gyr_f); ")
	} else if kit {
		b.WriteString("gyr_values(); ")
	}
	weight := price.Call
	if parts, size := partsOf(f.Params); parts > freeParts || size > 16*freeParts {
		weight += parts*partUnits + size/bytesAUnit
	}
	switch n := strings.Join(lens, "+"); {
	case deep:
		fmt.Fprintf(&b, "gyr_charge(%d + gyr_size(%d, %d, &gyr_f)); ", price.Call, number, price.PerByte)
	case len(lens) > 0 && price.PerByte > 0:
		fmt.Fprintf(&b, "gyr_n := uintptr(%s); gyr_charge(%d + gyr_n*%d + gyr_n/%d); ", n, weight, price.PerByte, bytesAUnit)
	case len(lens) > 0:
		fmt.Fprintf(&b, "gyr_charge(%d + uintptr(%s)/%d); ", weight, n, bytesAUnit)
	case weight > 0:
		fmt.Fprintf(&b, "gyr_charge(%d); ", weight)
	}
	switch callbacks := f.Callbacks(); {
	case len(callbacks) > 0:
		fmt.Fprintf(&b, "gyr_r, gyr_id, gyr_w := gyr_call(%d, &gyr_f); if gyr_r < -1 { gyr_r, gyr_w = gyr_loop_%d(gyr_r, gyr_id, &gyr_f) }; ", number, number)
		fmt.Fprintf(&b, "if gyr_r != 0 { gyr_finish(gyr_r, gyr_id, gyr_w, %d, &gyr_f) }; ", price.PerByte)
		p.loop(f, number, price, rest)
	default:
		fmt.Fprintf(&b, "if gyr_r, gyr_id, gyr_w := gyr_call(%d, &gyr_f); gyr_r != 0 { gyr_finish(gyr_r, gyr_id, gyr_w, %d, &gyr_f) }; ", number, price.PerByte)
	}
	var results []string
	for i := range f.Results {
		results = append(results, fmt.Sprintf("gyr_f.R%d", i))
	}
	if f.Fails {
		results = append(results, "gyr_error(gyr_f.E, gyr_f.T)")
	}
	if len(results) > 0 {
		fmt.Fprintf(&b, "return %s ", strings.Join(results, ", "))
	}
	b.WriteString("}")
	return b.String()
}

// loop writes the function that calls back for a function of the host.
func (p *Package) loop(f *Func, number int, price Price, rest *bytes.Buffer) {
	var cases strings.Builder
	for k, i := range f.Callbacks() {
		c := newCallback(f.Params[i].Type.Underlying().(*types.Signature))
		frame := fmt.Sprintf("gyr_back_%d_%d", number, k)
		fmt.Fprintf(rest, "\ntype %s struct {\n", frame)
		var args, results []string
		for j, a := range c.params {
			fmt.Fprintf(rest, "\tA%d %s\n", j, p.TypeString(a))
			args = append(args, fmt.Sprintf("c.A%d", j))
		}
		for j, r := range c.results {
			fmt.Fprintf(rest, "\tR%d %s\n", j, p.TypeString(r))
			results = append(results, fmt.Sprintf("c.R%d", j))
		}
		if c.fails {
			rest.WriteString("\tE int\n\tT string\n")
			results = append(results, "err")
		}
		rest.WriteString("}\n")
		fmt.Fprintf(&cases, "\t\tcase %d:\n\t\t\tvar c %s\n\t\t\tgyr_values()\n\t\t\tgyr_given(id, %d, &c)\n", -2-k, frame, price.PerByte)
		if c.fails {
			cases.WriteString("\t\t\tvar err error\n")
		}
		cases.WriteString("\t\t\t")
		if len(results) > 0 {
			cases.WriteString(strings.Join(results, ", ") + " = ")
		}
		variadic := ""
		if c.variadic {
			variadic = "..."
		}
		fmt.Fprintf(&cases, "f.A%d(%s%s)\n", i, strings.Join(args, ", "), variadic)
		if c.fails {
			cases.WriteString("\t\t\tc.E, c.T = gyr_text(err)\n")
		}
		if slices.ContainsFunc(c.results, func(t types.Type) bool { return mayHold(t, isInterface, nil) }) {
			cases.WriteString("\t\t\tgyr_lift(&c)\n")
		}
		fmt.Fprintf(&cases, "\t\t\tgyr_charge(gyr_backsize(id, %d, &c))\n\t\t\tr, w = gyr_resume(id, &c)\n", price.PerByte)
	}
	fmt.Fprintf(rest, `
func gyr_loop_%d(r, id int, f *gyr_frame_%d) (int, uintptr) {
	w := uintptr(0)
	over := false
	defer func() {
		if !over {
			gyr_abandon(id)
		}
	}()
	for r < -1 {
		switch r {
%s		default:
			panic("gyr: no such callback")
		}
	}
	over = true
	return r, w
}
`, number, number, cases.String())
}

const support = `// What follows was added by gyr.

//go:linkname gyr_charge runtime.gyr_hostcharge
func gyr_charge(n uintptr)

//go:linkname gyr_size runtime.gyr_hostsize
func gyr_size(number int, perByte uintptr, frame any) uintptr

//go:linkname gyr_call runtime.gyr_hostcall
func gyr_call(number int, frame any) (r, id int, weight uintptr)

//go:linkname gyr_finish runtime.gyr_hostfinish
func gyr_finish(r, id int, weight, perByte uintptr, frame any)

//go:linkname gyr_given runtime.gyr_hostgiven
func gyr_given(id int, perByte uintptr, frame any)

//go:linkname gyr_backsize runtime.gyr_hostbacksize
func gyr_backsize(id int, perByte uintptr, frame any) uintptr

//go:linkname gyr_resume runtime.gyr_hostresume
func gyr_resume(id int, frame any) (r int, weight uintptr)

//go:linkname gyr_abandon runtime.gyr_hostabandon
func gyr_abandon(id int)

//go:linkname gyr_lift runtime.gyr_hostlift
func gyr_lift(frame any)

//go:linkname gyr_values runtime.gyr_hostvalues
func gyr_values()

//go:linkname gyr_addsentinel runtime.gyr_addsentinel
func gyr_addsentinel(number int, p *error)

//go:linkname gyr_sentinel runtime.gyr_newsentinel
func gyr_sentinel(text string) error

//go:linkname gyr_error runtime.gyr_errorof
func gyr_error(number int, text string) error

//go:linkname gyr_text runtime.gyr_textof
func gyr_text(err error) (number int, text string)
`

// The weight of arguments without references, the same as in package rt (measure.go).
const (
	partUnits  = 10
	bytesAUnit = 8
	freeParts  = 16
)

// partsOf returns how many parts parameters have, and about how many bytes besides the contents of
// strings and byte slices. If the host must look at a parameter, the host weighs it.
func partsOf(params []Param) (parts, size int64) {
	m := map[types.Type]int64{}
	for _, a := range params {
		if sizeOf(a.Type) == fixed {
			parts += countParts(a.Type, m)
			size = min(1<<40, size+sizes.Sizeof(a.Type))
		}
	}
	return parts, size
}

var sizes = types.SizesFor("gc", "amd64")

func countParts(t types.Type, known map[types.Type]int64) int64 {
	if n := known[t]; n > 0 {
		return n
	}
	n := int64(1)
	switch u := t.Underlying().(type) {
	case *types.Array:
		if _, basic := u.Elem().Underlying().(*types.Basic); !basic {
			n += min(1<<30, u.Len()) * min(1<<30, countParts(u.Elem(), known))
		}
	case *types.Struct:
		for f := range u.Fields() {
			n += countParts(f.Type(), known)
		}
	}
	known[t] = min(1<<40, n)
	return known[t]
}

// A sizeClass says how the contents of values are counted.
type sizeClass uint8

const (
	fixed sizeClass = iota // no contents besides the type's size
	flat                   // strings and []byte: their length
	open                   // the host must look
)

func sizeOf(t types.Type) sizeClass {
	if IsTime(t) {
		return open // its zone
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return flat
		}
		return fixed
	case *types.Slice:
		if types.Identical(u.Elem().Underlying(), types.Typ[types.Uint8]) {
			return flat
		}
	case *types.Signature:
		return fixed
	case *types.Array:
		if sizeOf(u.Elem()) == fixed {
			return fixed
		}
	case *types.Struct:
		for f := range u.Fields() {
			if sizeOf(f.Type()) != fixed {
				return open
			}
		}
		return fixed
	}
	return open
}

func isMap(t types.Type) bool       { _, ok := t.(*types.Map); return ok }
func isInterface(t types.Type) bool { _, ok := t.(*types.Interface); return ok }

// mayHold reports whether there may be a value of a kind in values of a type.
func mayHold(t types.Type, kind func(types.Type) bool, seen []types.Type) bool {
	if slices.Contains(seen, t) || IsTime(t) {
		return false
	}
	u := t.Underlying()
	if kind(u) {
		return true
	}
	seen = append(seen, t)
	switch u := u.(type) {
	case interface{ Elem() types.Type }: // arrays, slices, pointers, maps
		if m, ok := u.(*types.Map); ok && mayHold(m.Key(), kind, seen) {
			return true
		}
		return mayHold(u.Elem(), kind, seen)
	case *types.Struct:
		for f := range u.Fields() {
			if mayHold(f.Type(), kind, seen) {
				return true
			}
		}
	}
	return false
}

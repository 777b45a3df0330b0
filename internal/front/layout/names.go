package layout

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// Types have two spellings. The link string has everything that distinguishes types, with escaped
// package paths. It is the key of descriptors and the hashed text. The name string is the text that
// reflect.Type.String prints: package names, no marks for local types. Type arguments are link
// strings in both. A type declared in an instance of a generic function shows the function's type
// arguments before its own: main.T[int;string].

const (
	// maxTypeString bounds spellings: nested struct literals under aliases can
	// double in length with every line of source.
	maxTypeString = 1 << 20
	// Link strings up to this length are remembered for the parts of a type too.
	maxSharedString = 1 << 10
)

// pkgNames are the spellings of a package.
type pkgNames struct {
	path   string // as reflect shows it
	prefix string // as in link strings
}

func (b *Builder) pkg(p *types.Package) pkgNames {
	n, ok := b.paths[p]
	if !ok {
		switch {
		case b.hooks.PkgPath != nil:
			n.path = b.hooks.PkgPath(p)
		case p.Name() == "main":
			n.path = "main"
		default:
			n.path = p.Path()
		}
		n.prefix = escapePath(n.path)
		b.paths[p] = n
	}
	return n
}

// escapePath spells an import path as the linker does: dots of the last element,
// blanks, control and non-ASCII bytes, quotes and percent signs become %xx.
func escapePath(path string) string {
	const hex = "0123456789abcdef"
	var out []byte
	slash := strings.LastIndexByte(path, '/')
	for i := range len(path) {
		c := path[i]
		if c <= ' ' || c >= 0x7f || c == '%' || c == '"' || c == '.' && i > slash {
			out = append(out, '%', hex[c>>4], hex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

// LinkString returns the link string of t: equal for identical types and for no others, so that an
// object named after a type has the same name whichever spelling of the type (byte or uint8, an
// alias) comes first.
func (b *Builder) LinkString(t types.Type) string {
	if s, ok := b.links[t]; ok {
		return s
	}
	w := typeWriter{b: b, link: true}
	w.write(t)
	s := string(w.buf)
	b.links[t] = s
	b.spend(int64(len(s)))
	return s
}

// TypeString returns t as reflect.Type.String prints it.
func (b *Builder) TypeString(t types.Type) string {
	w := typeWriter{b: b}
	w.write(t)
	return string(w.buf)
}

// TypeSymbol returns the link string of a type that can have methods, in two parts: the package
// with a dot, or "go:" for a type without name, and the rest.
func (b *Builder) TypeSymbol(t types.Type) (pkg, name string) {
	name = b.LinkString(t)
	n, ok := t.(*types.Named)
	switch {
	case !ok:
		return "go:", name
	case n.Obj().Pkg() == nil:
		return "go:builtin.", name
	}
	pkg = b.pkg(n.Obj().Pkg()).prefix + "."
	return pkg, strings.TrimPrefix(name, pkg)
}

// A typeWriter spells a type.
type typeWriter struct {
	b    *Builder
	link bool
	buf  []byte
	open []types.Type // the interface literals being spelled
	full bool         // maxTypeString reached: the rest is dropped
}

func (w *typeWriter) string(s string) { w.buf = append(w.buf, s...) }

// write appends the spelling of t.
func (w *typeWriter) write(t types.Type) {
	t = types.Unalias(t)
	for len(w.buf) <= maxTypeString { // the common prefixes, without recursion
		if p, ok := t.(*types.Pointer); ok {
			w.string("*")
			t = types.Unalias(p.Elem())
		} else if s, ok := t.(*types.Slice); ok {
			w.string("[]")
			t = types.Unalias(s.Elem())
		} else {
			break
		}
	}
	if len(w.buf) > maxTypeString {
		if !w.full {
			w.full = true
			w.b.fail("type string too long: %.80s...", w.buf)
		}
		return
	}
	if !w.link {
		w.spell(t)
		return
	}
	if s, ok := w.b.links[t]; ok {
		w.string(s)
		return
	}
	start := len(w.buf)
	w.spell(t)
	if n := len(w.buf) - start; n <= maxSharedString && len(w.open) == 0 {
		w.b.links[t] = string(w.buf[start:])
	}
}

func (w *typeWriter) spell(t types.Type) {
	switch t := t.(type) {
	case *types.Basic:
		w.string(basicName(t))
	case *types.Named:
		w.named(t)
	case *types.Array:
		w.string("[" + strconv.FormatInt(t.Len(), 10) + "]")
		w.write(t.Elem())
	case *types.Map:
		w.string("map[")
		w.write(t.Key())
		w.string("]")
		w.write(t.Elem())
	case *types.Chan:
		w.channel(t)
	case *types.Signature:
		w.string("func")
		w.signature(t)
	case *types.Struct:
		if m := w.b.noalg[t]; m != nil {
			w.string("map.group[")
			w.write(m.Key())
			w.string("]")
			w.write(m.Elem())
			break
		}
		w.structure(t)
	case *types.Interface:
		w.iface(t)
	default:
		w.b.fail("type %v (%T) has no descriptor", t, t)
		w.string(t.String())
	}
}

func basicName(t *types.Basic) string {
	switch t := types.Default(t).(*types.Basic); t.Kind() {
	case types.UnsafePointer, types.UntypedNil:
		return "unsafe.Pointer"
	default:
		return types.Typ[t.Kind()].Name() // byte is uint8, rune is int32
	}
}

func (w *typeWriter) named(t *types.Named) {
	obj := t.Obj()
	id, suffix := obj.Name(), ""
	switch {
	case w.link:
		n := w.b.typeID(obj)
		id, suffix = n.id, n.suffix
	case obj.Pkg() != nil:
		id = obj.Pkg().Name() + "." + id
	}
	w.string(id)
	outer, args := w.b.outerArgs(obj), t.TypeArgs()
	if len(outer)+args.Len() > 0 {
		w.string("[")
		for i := range len(outer) + args.Len() {
			switch {
			case i > 0 && i == len(outer):
				w.string(";")
			case i > 0:
				w.string(",")
			}
			arg := types.Type(nil)
			if i < len(outer) {
				arg = outer[i]
			} else {
				arg = args.At(i - len(outer))
			}
			if w.link {
				w.write(arg)
			} else {
				w.string(w.b.LinkString(arg))
			}
		}
		w.string("]")
	}
	w.string(suffix)
}

// outerArgs returns the type arguments of the function instance in which a type is declared. It
// returns nil for all types but local types of generic functions.
func (b *Builder) outerArgs(obj *types.TypeName) []types.Type {
	if b.hooks.OuterArgs == nil || obj.Parent() != nil || obj.Pkg() == nil {
		return nil // objects in a scope come from the source
	}
	args, ok := b.outer[obj]
	if !ok {
		args = b.hooks.OuterArgs(obj)
		b.outer[obj] = args
	}
	return args
}

// A typeID is the link name of a declared type without its type arguments. These come between the
// two parts.
type typeID struct {
	id     string // package path and name
	suffix string // "·" and the number of a local type in its package, as gc counts
}

// typeID returns the link name of a declared type. Different declarations with one spelling (in a
// package that is type-checked twice) are distinguished in order of first use.
func (b *Builder) typeID(obj *types.TypeName) typeID {
	t, ok := b.typeIDs[obj]
	if ok {
		return t
	}
	t.id = obj.Name()
	if obj.Pkg() != nil {
		t.id = b.pkg(obj.Pkg()).prefix + "." + t.id
		if n := b.localID(obj); n > 0 {
			t.suffix = "·" + strconv.Itoa(n)
		}
	}
	full := t.id + t.suffix
	for _, arg := range b.outerArgs(obj) {
		full += ";" + b.LinkString(arg)
	}
	if n := b.usedIDs[full]; n > 0 {
		if t.suffix == "" {
			t.suffix = "·0"
		}
		t.suffix += "'" + strconv.Itoa(n)
	}
	b.usedIDs[full]++
	b.typeIDs[obj] = t
	return t
}

// A localKey finds a local type. Instances of a generic function have copies of
// their local types, at the same position.
type localKey struct {
	name string
	pos  token.Pos
}

// localID returns the number of a type declared in a function: gc counts the local types of a
// package in source order, from 1. Types of package scope have the number 0.
func (b *Builder) localID(obj *types.TypeName) int {
	scope := obj.Pkg().Scope()
	if obj.Parent() == scope {
		return 0
	}
	ids, ok := b.localIDs[obj.Pkg()]
	if !ok {
		ids = map[localKey]int{}
		for file := range scope.Children() { // in the order in which files were checked
			var local []*types.TypeName
			for s := range file.Children() {
				local = collectLocal(local, s)
			}
			slices.SortFunc(local, func(x, y *types.TypeName) int { return cmp.Compare(x.Pos(), y.Pos()) })
			for _, o := range local {
				ids[localKey{o.Name(), o.Pos()}] = len(ids) + 1
			}
		}
		b.localIDs[obj.Pkg()] = ids
	}
	return ids[localKey{obj.Name(), obj.Pos()}]
}

// collectLocal appends the defined types in and below scope s.
func collectLocal(list []*types.TypeName, s *types.Scope) []*types.TypeName {
	for _, name := range s.Names() {
		if tn, ok := s.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			if _, param := tn.Type().(*types.TypeParam); !param {
				list = append(list, tn)
			}
		}
	}
	for c := range s.Children() {
		list = collectLocal(list, c)
	}
	return list
}

func (w *typeWriter) channel(t *types.Chan) {
	switch t.Dir() {
	case types.RecvOnly:
		w.string("<-chan ")
	case types.SendOnly:
		w.string("chan<- ")
	default:
		w.string("chan ")
		if e, ok := types.Unalias(t.Elem()).(*types.Chan); ok && e.Dir() == types.RecvOnly {
			w.string("(")
			w.write(e)
			w.string(")")
			return
		}
	}
	w.write(t.Elem())
}

// signature appends parameters and results; identity ignores receivers.
func (w *typeWriter) signature(t *types.Signature) {
	w.tuple(t.Params(), t.Variadic())
	switch t.Results().Len() {
	case 0:
	case 1:
		w.string(" ")
		w.write(t.Results().At(0).Type())
	default:
		w.string(" ")
		w.tuple(t.Results(), false)
	}
}

func (w *typeWriter) tuple(t *types.Tuple, variadic bool) {
	w.string("(")
	for i := range t.Len() {
		if i > 0 {
			w.string(", ")
		}
		pt := t.At(i).Type()
		if s, ok := types.Unalias(pt).(*types.Slice); ok && variadic && i == t.Len()-1 {
			w.string("...")
			pt = s.Elem()
		}
		w.write(pt)
	}
	w.string(")")
}

func (w *typeWriter) structure(t *types.Struct) {
	w.string("struct {")
	for i := range t.NumFields() {
		if i > 0 {
			w.string(";")
		}
		f := t.Field(i)
		w.string(" ")
		if w.link {
			// An embedded field shows its name only if it may differ from its type's name: through
			// an alias it can.
			if !f.Embedded() || !w.b.namedAsType(f) {
				if !f.Exported() {
					w.qualify(f.Pkg())
				}
				w.string(f.Name() + " ")
				if f.Embedded() {
					w.string("= ")
				}
			}
		} else if !f.Embedded() {
			w.string(f.Name() + " ")
		}
		w.write(f.Type())
		if tag := t.Tag(i); tag != "" {
			w.string(" " + strconv.Quote(tag))
		}
	}
	if t.NumFields() > 0 {
		w.string(" ")
	}
	w.string("}")
}

// namedAsType reports whether an embedded field has the name of its type, and if it is unexported
// also the type's package. Instances and local types have other names than their declarations.
func (b *Builder) namedAsType(f *types.Var) bool {
	t := types.Unalias(f.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, ok := t.(*types.Named)
	if !ok || n.TypeArgs().Len() > 0 || n.Obj().Name() != f.Name() {
		return false
	}
	if b.typeID(n.Obj()).suffix != "" {
		return false
	}
	return f.Exported() || n.Obj().Pkg() == f.Pkg()
}

func (w *typeWriter) iface(t *types.Interface) {
	for _, o := range w.open {
		if o == t {
			w.b.fail("anonymous interface refers to itself")
			w.string("@")
			return
		}
	}
	w.open = append(w.open, t)
	w.string("interface {")
	for i, m := range w.b.InterfaceMethods(t) {
		if i > 0 {
			w.string(";")
		}
		w.string(" ")
		if !m.Exported() {
			w.qualify(m.Pkg())
		}
		w.string(m.Name())
		w.signature(m.Signature())
	}
	if t.NumMethods() > 0 {
		w.string(" ")
	}
	w.string("}")
	w.open = w.open[:len(w.open)-1]
}

// qualify appends the package of an unexported name.
func (w *typeWriter) qualify(p *types.Package) {
	switch {
	case p == nil: // fields of synthetic types
	case w.link:
		w.string(w.b.pkg(p).prefix + ".")
	default:
		w.string(p.Name() + ".")
	}
}

// hashString is FNV-1a.
func hashString(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// name returns the address of an encoded abi.Name: flags, length, text, tag and
// the address of the package path of an unexported name from elsewhere.
func (b *Builder) name(text, tag string, pkg *types.Package, exported, embedded bool) uint32 {
	var flags byte
	if exported {
		flags |= 1 << 0
	}
	if tag != "" {
		flags |= 1 << 1
	}
	if pkg != nil {
		flags |= 1 << 2
	}
	if embedded {
		flags |= 1 << 3
	}
	enc := make([]byte, 1, len(text)+len(tag)+12)
	enc[0] = flags
	enc = appendText(enc, text)
	if tag != "" {
		enc = appendText(enc, tag)
	}
	if pkg != nil {
		path := b.pkgPath(pkg)
		enc = append(enc, byte(path), byte(path>>8), byte(path>>16), byte(path>>24))
	}
	return b.String(string(enc))
}

// appendText appends a length and a text. Lengths above 1<<28 do not occur.
func appendText(enc []byte, text string) []byte {
	n := len(text)
	for ; n >= 0x80; n >>= 7 {
		enc = append(enc, byte(n)|0x80)
	}
	return append(append(enc, byte(n)), text...)
}

// pkgPath returns the address of the abi.Name of a package's path, or 0 for nil.
func (b *Builder) pkgPath(p *types.Package) uint32 {
	if p == nil {
		return 0
	}
	return b.name(b.pkg(p).path, "", nil, false, false)
}

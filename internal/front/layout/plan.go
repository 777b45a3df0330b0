package layout

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Plan records the addresses in the program's own segment, so that a later version of the program
// can put the same things at the same addresses ([Builder.Follow]). New things follow all old ones,
// in the room at the end of a library's segment. A Plan is immutable.
type Plan struct {
	Things []Thing

	Low, High uint64 // ends of the two regions
	Globals   int64

	// These are the module's: only a plan that With returned has them, and the contents in Things.
	End     uint64 // of the segment with its room
	data    []byte // of the segment, from ir.DataBase
	layouts []ir.Layout
}

// With returns the plan with the data and layouts of its module, which have been loaded.
// Optimisation has added its layouts: objects of a state have them as well.
func (p *Plan) With(m *ir.Module) *Plan {
	q := *p
	q.End = ir.DataBase + uint64(len(m.Data)) + uint64(m.BSS)
	q.data, q.layouts = m.Data, m.Layouts[:len(m.Layouts):len(m.Layouts)]
	q.Things = slices.Clone(p.Things)
	for i := range q.Things {
		if x := &q.Things[i]; x.Kind.read() {
			x.Name += string(q.Data(x.Addr, x.Size))
		}
	}
	return &q
}

// A Thing is a part of a segment.
type Thing struct {
	Kind ThingKind
	Name string // that of a thing that is only read ends with its contents: see [Plan.With]
	Addr uint32
	Size uint32
}

// A ThingKind says what a Thing is.
type ThingKind uint8

const (
	TextThing     ThingKind = iota // bytes of a string, never written
	BytesThing                     // other bytes that are never written
	ClosureThing                   // the function value of a function that captures nothing; Name is the function's number
	TypeThing                      // a descriptor; Name is the link string
	ItabThing                      // Name has the type and the interface
	VariableThing                  // a package-level variable, or memory that initialises one
)

// read reports whether things of a kind are only read.
func (k ThingKind) read() bool { return k == TextThing || k == BytesThing }

// HighBase is the beginning of the second region.
const HighBase = highBase

// libraryRoom is how many bytes a library reserves after its data for later versions.
const libraryRoom = 256 << 10

type thingKey struct {
	kind ThingKind
	name string
	size uint32
}

// A follower is the builder's state about the plan that it follows and the plan that it makes.
type follower struct {
	noting bool
	things []Thing
	plan   *Plan // nil: none
	free   map[thingKey][]uint32
}

// Note makes the builder record the plan that Plan returns.
func (b *Builder) Note() { b.follow.noting = true }

// Follow makes an empty builder put the plan's things at the same addresses. Both have the same
// base.
func (b *Builder) Follow(p *Plan) {
	f := &b.follow
	f.plan, f.free = p, make(map[thingKey][]uint32, len(p.Things))
	for _, x := range p.Things {
		k := thingKey{x.Kind, x.Name, x.Size}
		f.free[k] = append(f.free[k], x.Addr)
	}
	low := p.data[:min(len(p.data), int(p.Low-ir.DataBase))]
	if n := len(b.low.bytes); n < len(low) {
		if start := int(b.low.end - ir.DataBase); n < start {
			b.low.bytes = append(b.low.bytes, make([]byte, min(start, len(low))-n)...)
		}
		b.low.bytes = append(b.low.bytes, low[len(b.low.bytes):]...)
	}
	if p.High > highBase && len(p.data) > highBase-ir.DataBase {
		b.high.bytes = append([]byte(nil), p.data[highBase-ir.DataBase:]...)
	}
	b.low.end, b.high.end, b.inLow = p.Low, p.High, p.Globals
	for i := len(b.layouts); i < len(p.layouts); i++ {
		b.layoutKey[layoutKey(p.layouts[i])] = int32(i)
		b.layouts = append(b.layouts, p.layouts[i])
	}
}

// claim returns the address of a thing in the plan that the builder follows, and zeroes its bytes.
// It returns false if the plan does not have the thing.
func (b *Builder) claim(kind ThingKind, name string, size int64) (addr uint32, ok bool) {
	f := &b.follow
	k := thingKey{kind, name, uint32(size)}
	list := f.free[k]
	if len(list) == 0 {
		return 0, false
	}
	f.free[k] = list[1:]
	b.erase(list[0], size)
	return list[0], true
}

// erase zeroes a range of the segment.
func (b *Builder) erase(addr uint32, size int64) {
	r := &b.low
	if b.inHigh(uint64(addr)) {
		r = &b.high
	}
	lo := uint64(addr) - r.base
	if n := uint64(len(r.bytes)); lo < n {
		clear(r.bytes[lo:min(n, lo+uint64(size))])
	}
}

// note records a thing for the plan.
func (b *Builder) note(kind ThingKind, name string, addr uint32, size int64) uint32 {
	if b.follow.noting {
		switch kind {
		case TextThing:
			name = ""
		case BytesThing:
			name = name[:strings.IndexByte(name, ':')+1]
		}
		b.follow.things = append(b.follow.things, Thing{kind, name, addr, uint32(size)})
	}
	return addr
}

// place reserves memory for a thing, at its address in the plan or else after everything.
func (b *Builder) place(kind ThingKind, name string, size, align int64) uint32 {
	addr, ok := b.claim(kind, name, size)
	if !ok {
		addr = b.alloc(size, align)
	}
	return b.note(kind, name, addr, size)
}

// bytesName returns the name of bytes with an alignment.
func bytesName(data []byte, align int64) string {
	return strconv.FormatInt(align, 10) + ":" + string(data)
}

// Room reserves room after the segment for that of later versions. It is called before Finish.
func (b *Builder) Room() {
	if p := b.follow.plan; p != nil {
		b.end = p.End
		return
	}
	b.end = uint64(roundUp(int64(max(b.low.end, b.high.endIfUsed()))+libraryRoom, pageSize))
}

// endIfUsed returns the end of a region, or 0 if the region is empty.
func (r *region) endIfUsed() uint64 {
	if r.end > r.base {
		return r.end
	}
	return 0
}

// Plan returns the recorded plan. It is called after Finish.
func (b *Builder) Plan() *Plan {
	return &Plan{Things: b.follow.things, Low: b.low.end, High: b.high.end, Globals: b.inLow}
}

// Data returns the bytes of the segment in a range. Bytes after those that the module stores are
// zeros.
func (p *Plan) Data(addr uint32, size uint32) []byte {
	b := make([]byte, size)
	if at := int(addr - ir.DataBase); at < len(p.data) {
		copy(b, p.data[at:])
	}
	return b
}

// PointerTo returns the address of a descriptor's field PtrToThis. Its 4 bytes are the address of
// the descriptor of the pointer to its type.
func PointerTo(desc uint32) uint32 { return desc + offPtrToThis }

// DescriptorOf is the inverse of PointerTo.
func DescriptorOf(addr uint32) uint32 { return addr - offPtrToThis }

// Unnamed reports whether a thing is the descriptor of a type that reflect could make, too.
func (p *Plan) Unnamed(x Thing) bool {
	return x.Kind == TypeThing && p.Data(x.Addr+offTFlag, 1)[0]&tflagNamed == 0
}

// Describe returns the definitions of the named types in list, and of the program's named types
// that they consist of, by name: a line for each type, and one for each field.
func (b *Builder) Describe(list []types.Type, own func(*types.Package) bool) map[string]string {
	found := map[string]string{}
	seen := map[types.Type]bool{}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		t = types.Unalias(t)
		if seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			for arg := range t.TypeArgs().Types() {
				visit(arg)
			}
			if t.Obj().Pkg() == nil || !own(t.Obj().Pkg()) {
				return
			}
			name := b.LinkString(t)
			if s, ok := t.Underlying().(*types.Struct); ok {
				text := "struct"
				for i := range s.NumFields() {
					f := s.Field(i)
					text += "\n\t" + f.Name() + " " + b.LinkString(f.Type())
					if tag := s.Tag(i); tag != "" {
						text += " " + strconv.Quote(tag)
					}
				}
				found[name] = text
			} else {
				found[name] = b.LinkString(t.Underlying())
			}
			visit(t.Underlying())
		case *types.Pointer:
			visit(t.Elem())
		case *types.Slice:
			visit(t.Elem())
		case *types.Array:
			visit(t.Elem())
		case *types.Chan:
			visit(t.Elem())
		case *types.Map:
			visit(t.Key())
			visit(t.Elem())
		case *types.Struct:
			for f := range t.Fields() {
				visit(f.Type())
			}
		}
	}
	for _, t := range list {
		visit(t)
	}
	return found
}

// Described returns the types that have descriptors in the segment, without those of its base.
func (b *Builder) Described() []types.Type {
	list := make([]types.Type, len(b.descList))
	for i, d := range b.descList {
		list[i] = d.typ
	}
	return list
}

func (k ThingKind) String() string {
	return [...]string{"string", "bytes", "function value", "type", "itab", "variable"}[k]
}

func (x Thing) String() string { return fmt.Sprintf("%s %q at %#x", x.Kind, x.Name, x.Addr) }

// layoutsKept reports whether the layouts b begin with the layouts a.
func layoutsKept(a, b []ir.Layout) bool {
	for i, l := range a {
		if i >= len(b) || layoutKey(l) != layoutKey(b[i]) {
			return false
		}
	}
	return true
}

// Keeps reports whether the layouts of a later plan begin with those of p, and whether it has no
// others.
func (p *Plan) Keeps(later *Plan) (kept, same bool) {
	kept = layoutsKept(p.layouts, later.layouts)
	return kept, kept && len(p.layouts) == len(later.layouts)
}

// The least and the largest number of bytes that Shape reads.
const (
	ShapeSize = offKind + 1
	shapeMost = sizeType + 2*PtrSize
)

// Shape returns the facts that all descriptors of one type have in common: the type's size, the end
// of its pointers, alignments, kind and elements. desc is a descriptor. Shape reads at most its
// first shapeMost bytes.
func Shape(desc []byte) string {
	n := 0
	switch desc[offKind] {
	case kindPointer, kindSlice, kindArray, kindChan:
		n = PtrSize
	case kindMap:
		n = 2 * PtrSize
	}
	s := string(desc[:offHash]) + string(desc[offAlign:ShapeSize])
	if len(desc) >= sizeType+n {
		s += string(desc[sizeType : sizeType+n])
	}
	return s
}

// Shape returns the shape of a type of the plan.
func (p *Plan) Shape(x Thing) string { return Shape(p.Data(x.Addr, max(x.Size, shapeMost))) }

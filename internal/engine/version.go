package engine

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/layout"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// A version is the record of a program for later ones, which may go on from its states.
type version struct {
	identity   []byte
	described  string
	plan       *lower.Plan
	base       *layer
	bodies     map[int32][sha256.Size]byte // its own functions, as phase A left them
	calls      map[int32][]int32           // the own functions that these call directly
	closures   map[int32][]uint64          // by number of a function: headers of the objects that are its values with captures
	inits      []ir.Init
	usesUnsafe string
}

// newVersion returns what later versions need to know of the program. m is its module as phase A
// left it: with all functions, none of them compiled yet.
func (p *Program) newVersion(m *ir.Module) *version {
	v := &version{
		identity: p.identity, described: p.mod.Described, plan: p.plan.With(m), base: p.base, bodies: map[int32][sha256.Size]byte{},
		calls: map[int32][]int32{}, closures: map[int32][]uint64{}, inits: p.mod.Inits, usesUnsafe: p.usesUnsafe,
	}
	var text bytes.Buffer
	for _, f := range m.Own() {
		text.Reset()
		w := bufio.NewWriter(&text)
		(&ir.Printer{}).Func(w, f)
		w.Flush()
		v.bodies[f.Index] = sha256.Sum256(text.Bytes())
		for _, b := range f.Blocks {
			for _, x := range b.Values {
				switch {
				case x.Op == ir.OpCall && !m.InBase(x.Fn):
					v.calls[f.Index] = append(v.calls[f.Index], x.Fn.Index)
				case x.Op == ir.OpStore && x.Aux == 0 && x.Args[0].Op == ir.OpNew && x.Args[1].Op == ir.OpConst:
					n, made := int32(x.Args[1].Aux), x.Args[0]
					v.closures[n] = append(v.closures[n], memory.Header(uint32(made.Aux), uint64(made.Aux2)))
				}
			}
		}
	}
	return v
}

// asVersion returns what later versions need to know of the program; nil: nothing is known. For a
// program from the cache the first call reads it.
func (p *Program) asVersion() (*version, error) {
	err := p.versionMade.Do(func() error {
		if p.version != nil || p.plan == nil || p.identity == nil {
			return nil
		}
		m, err := p.disk.module(p.base.common())
		if err == nil {
			err = cmp.Or(m.LoadData(), m.LoadLines())
		}
		if err != nil {
			return err
		}
		p.version = p.newVersion(m)
		return nil
	})
	return p.version, err
}

// sameInit reports whether an initialiser and all of the program's own functions that it calls
// directly are the same in two versions.
func sameInit(a, b *version, f int32) bool {
	seen := map[int32]bool{}
	var same func(i int32) bool
	same = func(i int32) bool {
		if seen[i] {
			return true
		}
		seen[i] = true
		if a.bodies[i] != b.bodies[i] {
			return false
		}
		return !slices.ContainsFunc(a.calls[i], func(n int32) bool { return !same(n) })
	}
	return same(f)
}

// describedEntries splits a module's description of its variables and types: by "var NAME" or "type
// NAME", the type and the fields.
func describedEntries(text string) (names []string, entries map[string][]string) {
	entries = map[string][]string{}
	name := ""
	for line := range strings.SplitSeq(text, "\n") {
		if field, ok := strings.CutPrefix(line, "\t"); ok && name != "" {
			entries[name] = append(entries[name], field)
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		// Names of instances of generic types have blanks only in brackets.
		at, depth := len(rest), 0
		for i, c := range rest {
			if c == '[' || c == '(' || c == '{' {
				depth++
			} else if c == ']' || c == ')' || c == '}' {
				depth--
			} else if c == ' ' && depth == 0 {
				at = i
				break
			}
		}
		if kind == "var" {
			kind = "variable"
		}
		name = kind + " " + rest[:at]
		names = append(names, name)
		entries[name] = []string{strings.TrimPrefix(rest[at:], " ")}
	}
	return names, entries
}

// changeOf returns the first variable or type that differs between two programs, or nil. Without
// strict, those that only one of them has do not count. Changes of types come before those of
// variables, which often follow from them, and before new or removed ones.
func changeOf(was, is string, strict bool) *api.ChangeError {
	oldNames, oldOnes := describedEntries(was)
	newNames, newOnes := describedEntries(is)
	for _, kind := range []string{"type ", "variable "} {
		for _, name := range oldNames {
			a, b := oldOnes[name], newOnes[name]
			if !strings.HasPrefix(name, kind) || b == nil || slices.Equal(a, b) {
				continue
			}
			if a[0] == "struct" && b[0] == "struct" {
				return changedField(name, a[1:], b[1:])
			}
			return &api.ChangeError{What: name, Was: a[0], Is: b[0]}
		}
	}
	if !strict {
		return nil
	}
	for _, name := range oldNames {
		if newOnes[name] == nil {
			return &api.ChangeError{What: name, Was: oldOnes[name][0]}
		}
	}
	for _, name := range newNames {
		if oldOnes[name] == nil {
			return &api.ChangeError{What: name, Is: newOnes[name][0]}
		}
	}
	return nil
}

// changedField names the first field in which two structs differ.
func changedField(name string, was, is []string) *api.ChangeError {
	split := func(list []string) (order []string, types map[string]string) {
		types = map[string]string{}
		for _, f := range list {
			field, typ, _ := strings.Cut(f, " ")
			order, types[field] = append(order, field), typ
		}
		return order, types
	}
	oldOrder, oldTypes := split(was)
	newOrder, newTypes := split(is)
	for _, f := range oldOrder {
		if newTypes[f] != oldTypes[f] {
			return &api.ChangeError{What: name, Field: f, Was: oldTypes[f], Is: newTypes[f]}
		}
	}
	for _, f := range newOrder {
		if oldTypes[f] == "" {
			return &api.ChangeError{What: name, Field: f, Is: newTypes[f]}
		}
	}
	return &api.ChangeError{What: name, Why: "the order of its fields has changed"}
}

// A transition says how memory of an earlier version becomes that of a program, or why it cannot.
type transition struct {
	before  *version
	refusal error
	patches []patch
	// Memory must contain neither these addresses, nor values with captures of these functions, by
	// number.
	dangers  []danger
	captured map[uint64]capturedBy
	// The layouts of the two are the same, so that those that the guest has made keep their
	// numbers.
	sameLayouts bool
	// Types without a descriptor in the earlier version, so that reflection may have made one, by
	// the first bytes of the descriptors.
	made map[string]string
}

// A patch is the program's data at an address where the earlier version had other data.
type patch struct {
	addr uint32
	data []byte
}

// A danger is a part of the earlier version's data that the program lacks.
type danger struct {
	lo, hi uint32
	err    *api.ChangeError
}

type capturedBy struct {
	headers []uint64
	err     *api.ChangeError
}

// newTransition compares the program with the version that its source was compiled to follow.
func (p *Program) newTransition(before *version) *transition {
	t := &transition{before: before, captured: map[uint64]capturedBy{}, made: map[string]string{}}
	t.refusal = t.compare(p, before, p.version)
	slices.SortFunc(t.dangers, func(a, b danger) int { return int(int64(a.lo) - int64(b.lo)) })
	return t
}

func (t *transition) compare(p *Program, a, b *version) error {
	changed := func(what, why string) error { return &api.ChangeError{What: what, Why: why} }
	switch {
	case a.usesUnsafe != "" || b.usesUnsafe != "":
		return changed("package "+a.usesUnsafe+b.usesUnsafe, "imports unsafe, so types do not say what memory holds")
	case a.base == nil || b.base == nil:
		return changed("the standard library", "is compiled as a part of the program")
	case a.base.mod.Go != b.base.mod.Go:
		return otherRelease(release.OfModule(a.base.mod.Go), release.OfModule(b.base.mod.Go))
	case a.base.number != b.base.number || !bytes.Equal(a.base.id, b.base.id):
		return changed("the standard library", fmt.Sprintf("was layer %d of %.8x, is layer %d of %.8x: its packages are another set", a.base.number, a.base.id, b.base.number, b.base.id))
	}
	if c := changeOf(a.described, b.described, false); c != nil {
		return c
	}
	old, now := a.plan.Layout, b.plan.Layout
	kept, same := old.Keeps(now)
	if !kept {
		return changed("the layouts of objects", "have other numbers")
	}
	t.sameLayouts = same
	if now.End != old.End {
		return changed("the data of the program", fmt.Sprintf("needs %d bytes more than there is room for behind that of its first version", int64(now.End)-int64(old.End)))
	}
	if err := t.compareInits(a, b); err != nil {
		return err
	}
	t.compareFuncs(a, b)
	if err := t.compareThings(old, now); err != nil {
		return err
	}
	return t.compareBase(p, old, now)
}

// compareInits checks that all initialisers are the same, because nothing of the old version is
// initialised again.
func (t *transition) compareInits(a, b *version) error {
	old := map[string]ir.Init{}
	for _, in := range a.inits {
		old[in.Path] = in
	}
	for _, in := range b.inits {
		was, ok := old[in.Path]
		delete(old, in.Path)
		switch {
		case !ok && in.Std:
			return &api.ChangeError{What: "package " + in.Path, Why: "is imported by the new version only, and would have to be initialised"}
		case !ok && trivial(in.Func):
		case !ok:
			return &api.ChangeError{What: "package " + in.Path, Why: "is new, and would have to be initialised"}
		case !in.Std && (was.Func.Index != in.Func.Index || !sameInit(a, b, in.Func.Index)):
			return &api.ChangeError{What: "package " + in.Path, Why: "its initialisation has changed, which would not run again"}
		}
	}
	for _, in := range a.inits {
		if _, ok := old[in.Path]; ok && in.Std {
			return &api.ChangeError{What: "package " + in.Path, Why: "is imported by the state's version only"}
		}
	}
	return nil
}

// trivial reports whether a function does nothing.
func trivial(f *ir.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.HasEffect(ir.WriteMem) || v.HasEffect(ir.IsCall) {
				return false
			}
		}
	}
	return true
}

// compareFuncs finds the functions whose values memory must not hold: removed ones, and those
// without a name of their own whose code has changed. A named function replaces the one that had
// its name.
func (t *transition) compareFuncs(a, b *version) {
	count := func(list []lower.PlannedFunc) map[string]int {
		n := map[string]int{}
		for _, f := range list {
			n[f.Key]++
		}
		return n
	}
	oldCount, newCount := count(a.plan.Funcs), count(b.plan.Funcs)
	now := map[int32]lower.PlannedFunc{}
	for _, f := range b.plan.Funcs {
		now[f.Index] = f
	}
	closures := map[string]layout.Thing{}
	for _, x := range a.plan.Layout.Things {
		if x.Kind == layout.ClosureThing {
			closures[x.Name] = x
		}
	}
	for _, f := range a.plan.Funcs {
		n, ok := now[f.Index]
		shown, _, _ := strings.Cut(strings.TrimPrefix(f.Key, "adapter|"), "|")
		err := &api.ChangeError{What: "function " + shown}
		switch same := a.bodies[f.Index] == b.bodies[f.Index]; {
		case f.Key == "":
			err.What, err.Why = "a function", "was removed by an earlier version"
		case !ok || n.Key != f.Key:
			err.Why = "is gone, and a variable holds it"
		case (!f.Declared || oldCount[f.Key] > 1 || newCount[f.Key] > 1 || a.closures[f.Index] != nil) && !same:
			err.Why = "has no name that only it has, its code has changed, and a variable holds it"
		default:
			continue
		}
		if x, ok := closures[fmt.Sprint(f.Index)]; ok {
			t.dangers = append(t.dangers, danger{x.Addr, x.Addr + x.Size, err})
		}
		if h := a.closures[f.Index]; h != nil {
			t.captured[uint64(f.Index)] = capturedBy{h, err}
		}
	}
}

// compareThings compares the data of the two, and finds what the new version lacks.
func (t *transition) compareThings(old, now *layout.Plan) error {
	is := make(map[layout.Thing]bool, len(now.Things))
	for _, x := range now.Things {
		is[x] = true
	}
	was, described := make(map[string]bool), make(map[string]uint32) // types, and the sizes of their descriptors
	for _, x := range now.Things {
		if x.Kind == layout.TypeThing {
			described[x.Name] = x.Size
		}
	}
	for _, x := range old.Things {
		if size, ok := described[x.Name]; x.Kind == layout.TypeThing && ok && size != x.Size {
			return &api.ChangeError{What: "type " + x.Name, Why: "its methods have changed"}
		}
	}
	for _, x := range old.Things {
		if x.Kind == layout.TypeThing {
			was[x.Name] = true
		}
		read := x.Kind == layout.TextThing || x.Kind == layout.BytesThing // only read: the content at its address stays
		if !is[x] {
			if !read && x.Kind != layout.ClosureThing {
				t.dangers = append(t.dangers, danger{x.Addr, x.Addr + max(x.Size, 1), &api.ChangeError{What: thingName(x), Why: "is gone, and memory refers to it"}})
			}
			continue
		}
		a, b := old.Data(x.Addr, x.Size), now.Data(x.Addr, x.Size)
		if x.Kind == layout.TypeThing {
			at := layout.PointerTo(x.Addr) - x.Addr
			if !bytes.Equal(a[at:at+4], b[at:at+4]) {
				t.patches = append(t.patches, patch{x.Addr + at, bytes.Clone(b[at : at+4])})
			}
			clear(a[at : at+4])
			clear(b[at : at+4])
		}
		if bytes.Equal(a, b) {
			continue
		}
		why := "has changed"
		switch x.Kind {
		case layout.VariableThing:
			why = "its initial value has changed, and would not be set again"
		case layout.TypeThing:
			why = "its methods have changed"
		}
		return &api.ChangeError{What: thingName(x), Why: why}
	}
	for _, x := range now.Things {
		if now.Unnamed(x) && !was[x.Name] {
			t.made[now.Shape(x)] = x.Name
		}
	}
	for _, r := range [][2]uint64{{old.Low, now.Low}, {max(old.High, layout.HighBase), now.High}} {
		if r[1] > r[0] {
			t.patches = append(t.patches, patch{uint32(r[0]), now.Data(uint32(r[0]), uint32(r[1]-r[0]))})
		}
	}
	return nil
}

func thingName(x layout.Thing) string {
	name := strings.TrimSpace(x.Name)
	switch x.Kind {
	case layout.VariableThing:
		name, typ, _ := strings.Cut(x.Name, " ")
		if name == "" {
			return "what a variable is initialised with, of type " + typ
		}
		return "variable " + name
	case layout.ItabThing:
		return "type " + name
	}
	return x.Kind.String() + " " + name
}

// compareBase compares what the two write into the data of the standard library: tables that the
// linker makes.
func (t *transition) compareBase(p *Program, old, now *layout.Plan) error {
	_, base, err := p.base.frontEnd()
	if err != nil {
		return err
	}
	end := uint32(base.Low())
	was, is := old.Data(ir.DataBase, end-ir.DataBase), now.Data(ir.DataBase, end-ir.DataBase)
	allowed := map[uint32]bool{}
	for name, size := range map[string]uint32{"runtime.gyr_typelinks": 24, "runtime.gyr_typepointers": 24, "runtime.gyr_modinfo": 16} {
		if addr, ok := base.Variable(name); ok {
			for at := uint32(0); at < size; at += 4 {
				allowed[addr+at] = true
			}
		}
	}
	for at := 0; at+4 <= len(was); at += 4 {
		if string(was[at:at+4]) == string(is[at:at+4]) {
			continue
		}
		addr := uint32(ir.DataBase + at)
		if _, desc := p.mod.Base.TypeLayout(layout.DescriptorOf(addr)); !desc && !allowed[addr] {
			return &api.ChangeError{What: "the standard library", Why: fmt.Sprintf("has other data at %#x", addr)}
		}
		t.patches = append(t.patches, patch{addr, is[at : at+4]})
	}
	return nil
}

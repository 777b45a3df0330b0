package guesttype

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// settled is derived from the component types of a type.
type settled struct {
	Traits traits
	bad    bool // values do not cross: Crosses tells why
	height int  // the longest nesting of types, where all types of a cycle count

	// About the parts of a value in its own memory:
	Parts int64 // their number, without those in parts of size 0
	Whole int64 // their number for hashing and comparing: all parts, and each number
	Refs  bool  // some refer to more: strings, slices, maps, pointers, interfaces, and times, which have a zone
	plain bool  // all are numbers, so any bytes are a value

	Unordered string // why maps with such keys do not cross, or empty
	text      int64  // length of the text of the host's type
	laid      laying
}

// laying is the progress of lay.
type laying uint8

const (
	notLaid laying = iota
	isLaid
	beingLaid
)

// maxKeyParts bounds the parts of a key: hashing and comparing one does not poll.
const maxKeyParts = 1 << 12

// manyParts is more parts than any charge covers.
const manyParts = 1 << 40

// settle computes the facts about types that were read together, and about everything that they
// lead to.
func settle(list []*Type) error {
	c := connector{at: map[*Type]*node{}}
	for _, t := range list {
		c.connect(t)
	}
	for _, t := range list {
		if t.height > maxTypeChain {
			t.reason = "is too large to cross"
		}
	}
	for _, t := range list {
		if err := t.lay(); err != nil {
			return err
		}
	}
	for _, t := range list {
		if t.Kind == reflect.Map && t.reason == "" {
			t.reason = t.Key.Unordered
		}
	}
	for _, g := range c.groups {
		judge(g)
	}
	return nil
}

// kindReason returns why no value of t's kind crosses.
func (t *Type) kindReason() string {
	switch t.Kind {
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return "does not cross"
	case reflect.Interface:
		if t.Role == plainRole {
			return "does not cross: it is an interface with methods other than error"
		}
	}
	if int(t.Kind) >= len(tails) || t.Kind == reflect.Invalid {
		return "is of no kind"
	}
	return t.reason
}

// lay computes the facts about the memory of a type. A type cannot contain itself: only a forged
// descriptor claims that.
func (t *Type) lay() error {
	switch {
	case t.laid == isLaid, t.height > maxTypeChain: // the latter never crosses
		return nil
	case t.laid == beingLaid:
		return fmt.Errorf("%w: a type that is a part of itself", memory.ErrCorrupt)
	}
	t.laid = beingLaid
	const no = "does not cross: the host cannot order its keys"
	t.Parts, t.Whole, t.plain = 1, 1, t.Kind >= reflect.Int && t.Kind <= reflect.Complex128
	switch t.Kind {
	case reflect.String:
		t.Parts, t.Refs = 2, true
	case reflect.Pointer, reflect.Map, reflect.Slice:
		t.Refs, t.Unordered = true, no
	case reflect.Interface:
		if t.Refs = true; t.Role != AnyRole {
			t.Unordered = no
		}
	case reflect.Array:
		if err := t.Elem.lay(); err != nil {
			return err
		}
		t.Unordered, t.plain = t.Elem.Unordered, t.Elem.plain
		t.Whole = 1 + MulSat(t.Elem.Whole, int64(t.Len))
		if t.Size != 0 {
			t.Refs = t.Elem.Refs
			if !IsNumber(t.Elem.Kind) { // numbers are copied together
				t.Parts = min(manyParts, 1+t.Elem.Parts*int64(t.Len))
			}
		}
	case reflect.Struct:
		t.plain = true
		for _, f := range t.Fields {
			if err := f.Type.lay(); err != nil {
				return err
			}
			if t.Unordered == "" {
				t.Unordered = f.Type.Unordered
			}
			t.plain = t.plain && f.Type.plain
			t.Whole = min(manyParts, t.Whole+f.Type.Whole)
			if t.Size != 0 {
				t.Refs = t.Refs || f.Type.Refs
				t.Parts = min(manyParts, t.Parts+f.Type.Parts)
			}
		}
		switch {
		case t.Role == TimeRole:
			t.Parts, t.Whole, t.Refs, t.Unordered, t.plain = timeParts, timeParts, true, "", false
		case t.Sealed():
			t.Parts, t.Refs, t.plain = 1, false, false
			if t.isHandle() {
				t.Unordered = no
			}
		}
	}
	if t.Size == 0 {
		t.Refs, t.plain = false, false
	}
	if t.Whole > maxKeyParts && t.Unordered == "" {
		t.Unordered = "does not cross: its keys have too many parts"
	}
	t.laid = isLaid
	return nil
}

// A connector finds groups of types that contain each other, on any path, by Tarjan's algorithm
// (Depth-first search and linear graph algorithms, 1972), without recursion. A group follows the
// groups of its component types.
type connector struct {
	at     map[*Type]*node
	stack  []*node
	groups [][]*node
}

type node struct {
	t          *Type
	index, low int
	on         bool // on the stack
	itself     bool // one of its own parts
	parts      []*Type
}

// of calls f for the component types of t.
func (t *Type) of(f func(*Type)) {
	if RoleTypes[t.Role] != nil || t.reason != "" {
		return
	}
	if t.Key != nil {
		f(t.Key)
	}
	if t.Elem != nil {
		f(t.Elem)
	}
	for _, x := range t.Fields {
		f(x.Type)
	}
}

func (c *connector) enter(t *Type) *node {
	n := &node{t: t, index: len(c.at), low: len(c.at), on: true}
	t.of(func(p *Type) { n.parts = append(n.parts, p) })
	c.at[t] = n
	c.stack = append(c.stack, n)
	return n
}

// connect finds the groups of t and of everything that it leads to.
func (c *connector) connect(t *Type) {
	if c.at[t] != nil {
		return
	}
	path := []*node{c.enter(t)}
	for len(path) > 0 {
		n := path[len(path)-1]
		if len(n.parts) > 0 {
			p := n.parts[0]
			n.parts = n.parts[1:]
			switch m := c.at[p]; {
			case p.Traits&isJudged != 0:
			case m == nil:
				path = append(path, c.enter(p))
			case m.on:
				n.low = min(n.low, m.index)
				n.itself = n.itself || m == n
			}
			continue
		}
		if path = path[:len(path)-1]; len(path) > 0 {
			around := path[len(path)-1]
			around.low = min(around.low, n.low)
		}
		if n.low == n.index {
			first := len(c.stack) - 1
			for c.stack[first] != n {
				first--
			}
			c.group(slices.Clone(c.stack[first:]))
			c.stack = c.stack[:first]
		}
	}
}

// group records a group, and the nesting of its types.
func (c *connector) group(list []*node) {
	most := 0
	for _, n := range list {
		n.on = false
		n.t.of(func(p *Type) { most = max(most, p.height) }) // 0 for types of the group
	}
	for _, n := range list {
		n.t.height = most + len(list)
	}
	c.groups = append(c.groups, list)
}

// judge computes the traits of a group. All its other parts have theirs.
func judge(list []*node) {
	var all traits
	bad := false
	if len(list) > 1 || list[0].itself {
		all = branches | endless
	}
	for _, n := range list {
		all |= n.t.ownTraits()
		bad = bad || n.t.reason != ""
		n.t.of(func(p *Type) {
			all |= p.Traits
			bad = bad || p.bad
		})
	}
	for _, n := range list {
		n.t.Traits, n.t.bad = all|isJudged, bad
	}
	if all&endless != 0 {
		return // the host makes no such type
	}
	t := list[0].t
	t.text = int64(len(t.Name)) + 16
	t.of(func(p *Type) { t.text = min(math.MaxInt32, t.text+p.text) })
	for _, f := range t.Fields {
		t.text += int64(len(f.Name)) + 2
	}
}

// ownTraits returns the traits of t that do not depend on its parts.
func (t *Type) ownTraits() traits {
	switch t.Role {
	case AnyRole:
		return HasErrors | needsKit | HasFloats | branches
	case ErrorRole:
		return HasErrors | needsKit | branches
	}
	switch t.Kind {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return HasFloats
	case reflect.Map:
		return needsKit | branches
	}
	return 0
}

// Crosses returns why values of t do not cross, with the path to the part that does not, or nil.
func (t *Type) Crosses() error {
	if !t.bad {
		return nil
	}
	return t.fault(map[*Type]bool{})
}

// fault finds the first part that does not cross. It returns nil if all such parts are in types
// visited before.
func (t *Type) fault(over map[*Type]bool) error {
	if !t.bad || over[t] {
		return nil
	}
	over[t] = true
	if t.reason != "" {
		name := t.Name
		if name == "" {
			name = t.Kind.String()
		}
		return fmt.Errorf("%s %s", name, t.reason)
	}
	switch t.Kind {
	case reflect.Pointer:
		return Within("pointer", t.Elem.fault(over))
	case reflect.Slice, reflect.Array:
		return Within("element", t.Elem.fault(over))
	case reflect.Map:
		if err := t.Key.fault(over); err != nil {
			return Within("key", err)
		}
		return Within("element", t.Elem.fault(over))
	}
	for _, f := range t.Fields {
		if err := f.Type.fault(over); err != nil {
			return Within("field "+f.Name, err)
		}
	}
	return nil
}

// maxSteps is how many steps at either end an error shows of the path to a part.
const maxSteps = 4

// A partError tells which part of a type or a value an error is about.
type partError struct {
	inner, outer []string // steps, the innermost first
	between      int      // steps left out
	err          error
}

func (e *partError) Error() string {
	text := ""
	for i := len(e.outer) - 1; i >= 0; i-- {
		text += e.outer[i] + ": "
	}
	if e.between > 0 {
		text += fmt.Sprintf("(%d more): ", e.between)
	}
	for i := len(e.inner) - 1; i >= 0; i-- {
		text += e.inner[i] + ": "
	}
	return text + e.err.Error()
}

func (e *partError) Unwrap() error { return e.err }

// Within adds to err the part of a type or a value that it is about. The error shows a path of
// readable length.
func Within(part string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := err.(*partError)
	switch {
	case !ok:
		return &partError{inner: []string{part}, err: err}
	case len(e.inner) < maxSteps:
		e.inner = append(e.inner, part)
	default:
		if e.outer = append(e.outer, part); len(e.outer) > maxSteps {
			e.outer = e.outer[1:]
			e.between++
		}
	}
	return e
}

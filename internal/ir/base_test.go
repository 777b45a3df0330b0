package ir

import (
	"slices"
	"strings"
	"testing"
)

const onBase = `file 0 "a.go"
site 1 func 1 file 0 line 10
site 2 func 2 file 0 line 11
pos 1 site 1 parent 0
pos 2 site 2 parent 1
layout 1 size 16 ptrs 0x1
typelayout 0x10000 1
typelayout 0x10008 0
shape 0 () -> (i64) offsets 0 byref 0 sizes 8 ret 0 size 8
entry @main
data 32

func @one #1 () -> (i64) shape 0 !1 {
b0:
  v1 = const i64 1
  ret v1
}

func @main #2 () -> () !2 {
b0:
  v1 = call i64 @one : () -> (i64) !2
  ret
}
`

// continued returns the module in onBase, whose first function is a base's.
func continued(t *testing.T) *Module {
	m, err := ParseModule(onBase)
	if err != nil {
		t.Fatal(err)
	}
	b := *m
	b.Data, b.Entry = m.Data[:8], nil
	b.own, m.own = m.own[:2:2], m.own[2:]
	b.Sites, m.Sites = m.Sites[:2], m.Sites[2:]
	b.Pos, m.Pos = m.Pos[:2], m.Pos[2:]
	b.TypeLayouts = map[uint32]int32{0x10000: 1}
	delete(m.TypeLayouts, 0x10000)
	m.Base = &b
	m.Func(1).Module = &b
	return m
}

// A module that continues a base has the base's types and is printed as a whole, and its functions
// may refer to the base's.
func TestBase(t *testing.T) {
	m := continued(t)
	for _, m := range []*Module{m, m.Base} {
		if err := VerifyModule(m); err != nil {
			t.Error(err)
		}
	}
	for addr, want := range map[uint32]int32{0x10000: 1, 0x10008: 0} {
		if l, ok := m.TypeLayout(addr); !ok || l != want {
			t.Errorf("layout of the type at %#x: %d, %v", addr, l, ok)
		}
	}
	if _, ok := m.Base.TypeLayout(0x10008); ok {
		t.Error("the base has a type of the module")
	}
	if _, ok := m.TypeLayout(0x10010); ok {
		t.Error("a type that nobody has")
	}
	if m.FirstOwn() != 2 || m.Base.FirstOwn() != 0 {
		t.Errorf("own functions from %d and %d on", m.FirstOwn(), m.Base.FirstOwn())
	}
	whole, err := ParseModule(onBase)
	if err != nil {
		t.Fatal(err)
	}
	var got, want strings.Builder
	Print(&got, m)
	Print(&want, whole)
	if got.String() != want.String() {
		t.Errorf("printed as\n%s", got.String())
	}
	// A check of a module does not look at the base's functions.
	m.Func(1).Blocks[0].Kind = BlockInvalid
	if err := VerifyModule(m); err != nil {
		t.Error(err)
	}
}

// A module whose tables do not begin with the base's is refused.
func TestNotOnBase(t *testing.T) {
	for name, damage := range map[string]func(m *Module){
		"another shape": func(m *Module) {
			s := *m.Shapes[0]
			m.Shapes = []*Shape{&s}
		},
		"fewer layouts":       func(m *Module) { m.Base.Layouts = slices.Repeat(m.Layouts, 2) },
		"less data":           func(m *Module) { m.Base.Data = slices.Repeat(m.Data, 2) },
		"a base's function":   func(m *Module) { m.Func(2).Module = m.Base },
		"a site out of range": func(m *Module) { m.Sites[0].Func = 99 },
		"no first function":   func(m *Module) { m.Base.own = nil },
	} {
		m := continued(t)
		damage(m)
		if VerifyModule(m) == nil {
			t.Errorf("%s: the module passes", name)
		}
	}
	// The base's own things cannot refer to the module that continues it.
	m := continued(t)
	m.Func(1).Blocks[0].Values[0].Op = OpCall
	m.Func(1).Blocks[0].Values[0].Fn, m.Func(1).Blocks[0].Values[0].Sig = m.Func(2), &m.Func(2).Sig
	if VerifyModule(m.Base) == nil {
		t.Error("a base calls a function of a module on it")
	}
}

package ir

import (
	"math/rand"
	"strings"
	"testing"
)

// everything holds each construct of the text form once.
const everything = `file 0 "a.go"
file 1 "b \"c\".go"
site 1 func 1 file 0 line 10
site 2 func 2 file 1 line 3
pos 1 site 1 parent 0
pos 2 site 2 parent 1
layout 1 size 16 ptrs 0x3
layout 2 size 1024 ptrs 0x1,0x8000000000000000
root 0x10000 layout 1 count 2
typelayout 0x10010 1
typelayout 0x10020 2
host 0 "write" (i64, ptr, i32) -> (i32)
shape 0 (i64) -> (ptr, i64) offsets 0,8,16 byref 0,0,0 sizes 8,8,8 ret 8 size 24 unpack @unpack
shape 1 nil
entry @main.main
runtime "panicIndex" @runtime.panicIndex
init "errors" @main.main closure 0x10008 std deps -
init "os" @main.main closure 0x10010 std deps 0,0
init "a \"b\"" @main.main closure 0x10008
data 80
  0x10000 000102030000000000000000000000000000000000000000000000000000ff00
  0x10040 0a000000000000000000000000000000
bss 4096

func @main.(*T).M[struct{X]#8 #1 (i64, i8, f64) -> (ptr, i64) flags noinline,hasdefer !1 {
  local 0 "x" size 16 align 8 ptrs 0x1
  local 1 "" size 3 align 1
  recover b5
b0:
  v1 = arg i64 [0] !2
  v2 = arg i8 [1]
  v3 = arg f64 [2]
  v4 = const f64 1.5
  v5 = const f32 bits:0x7fc00000
  v6 = const i8 -1
  v7 = const ptr 0x10000
  v8 = fadd f64 v3 v4
  v9 = closure ptr
  gas [5]
  nilcheck v7
  v10 = const i64 64
  bounds v1 v10 [index] !1
  check v2 [divide]
  v11 = ptridx ptr v7 v1 [8, 16]
  v12 = load i64 v11 [8]
  store v11 v12 [0]
  v13 = call ptr @main.f#2 v1 : (i64) -> (ptr, i64)
  v14 = result i64 v13 [1]
  v15 = callclosure ptr v13 v14 : (i64) -> (ptr, i64) shape 0
  callindex v14 v1 : (i64) -> ()
  v16 = const i32 2
  v17 = host i32 v1 v7 v16 [0] : (i64, ptr, i32) -> (i32)
  v18 = new ptr [1, 16]
  v19 = newarray ptr v1 [1, 16]
  v20 = localaddr ptr [0]
  clear v20 [16]
  if v2 b1 b2 likely
b1: <- b0 b1
  v30 = phi i64 v1 v31
  gasloop [3]
  v31 = add i64 v30 v1
  v32 = lts i8 v31 v10
  if v32 b1 b3 unlikely
b2: <- b0
  switch v17 -1: b3 2: b4 3: b4 default b3
b3: <- b1 b2 b2
  v40 = phi ptr v13 v15 v15
  ret v40 v14 !2
b4: <- b2 b2
  unreachable
b5:
  v50 = const ptr 0
  v51 = const i64 7
  jump b6
b6: <- b5
  ret v50 v51
}

func @main.f #2 (i64) -> (ptr, i64) flags runtime,nopreempt shape 0 {
b0:
  v0 = arg i64 [0]
  v1 = inttoptr ptr v0
  ret v1 v0
}

func @main.f #3 () -> () {
b0:
  unreachable
}

func @main.main #4 () -> () {
b0:
  ret
}

func @runtime.panicIndex #5 (i64, i64) -> () flags noreturn,runtime {
b0:
  unreachable
}

func @unpack #6 (ptr, ptr) -> () {
b0:
  ret
}
`

func whole(t testing.TB) string {
	// The first name has characters that must be quoted.
	return strings.Replace(everything, "@main.(*T).M[struct{X]#8", `@"main.(*T).M[struct{ X int; Y string \"tag\" }]"`, 1)
}

func mustParse(t testing.TB, text string) *Module {
	t.Helper()
	m, err := ParseModule(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTextRoundTrip(t *testing.T) {
	text := whole(t)
	m := mustParse(t, text)
	if err := VerifyModule(m); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Print(&b, m); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != text {
		t.Fatalf("printed differently:\n%s", diff(text, got))
	}
	if len(m.Data) != 80 || m.Data[30] != 0xff || m.Data[64] != 10 {
		t.Errorf("data %x", m.Data)
	}
}

func diff(a, b string) string {
	al, bl := strings.Split(a, "\n"), strings.Split(b, "\n")
	var out strings.Builder
	for i := 0; i < max(len(al), len(bl)); i++ {
		var x, y string
		if i < len(al) {
			x = al[i]
		}
		if i < len(bl) {
			y = bl[i]
		}
		if x != y {
			out.WriteString("-" + x + "\n+" + y + "\n")
		}
	}
	return out.String()
}

func TestCallDeclares(t *testing.T) {
	m := mustParse(t, `
func @f (i64) -> (i64) { // a comment
b0:
  v1 = arg i64 [0]
  v2 = call i64 @g v1 : (i64) -> (i64)
  v3 = call i64 @h v1 : (i64) -> (i64)
  ret v2
}
func @h (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  ret v1
}`)
	if m.NumFuncs() != 4 || m.Func(1).Name != "f" || m.Func(2).Name != "g" || m.Func(3).Name != "h" {
		t.Fatalf("functions %v", m.Funcs())
	}
	for _, i := range []int{1, 3} {
		if err := Verify(m.Func(i)); err != nil {
			t.Error(err)
		}
	}
	if err := VerifyModule(m); err == nil {
		t.Error("a module with a function without body passed")
	}
}

func TestCopy(t *testing.T) {
	m := mustParse(t, whole(t))
	f := m.Func(1)
	before := f.String()
	g := f.Copy()
	m.own[1] = g
	if err := Verify(g); err != nil {
		t.Fatal(err)
	}
	if g.String() != before {
		t.Error("the copy differs")
	}
	g.Renumber()
	if err := Verify(g); err != nil {
		t.Error(err)
	}
	if f.String() != before {
		t.Error("a change of the copy changed the original")
	}
}

// TestVerifyRejects changes a good function in one place each.
func TestVerifyRejects(t *testing.T) {
	const good = `
file 0 "a"
layout 1 size 16 ptrs 0x3
host 0 "h" (i64) -> (i64)
func @f (i64, ptr, i8) -> (i64) {
  local 0 "x" size 16 align 8 ptrs 0x3
b0:
  v0 = arg i64 [0]
  v1 = arg ptr [1]
  v2 = arg i8 [2]
  v3 = const i32 7
  v4 = load i64 v1 [8]
  v5 = add i64 v0 v4
  v6 = sext i64 v3
  v7 = call i64 @f v0 v1 v2 : (i64, ptr, i8) -> (i64)
  v8 = host i64 v5 [0] : (i64) -> (i64)
  store v1 v5 [0]
  bounds v0 v4 [index]
  gas [4]
  v9 = new ptr [1, 16]
  v10 = localaddr ptr [0]
  v11 = opaque i64 v5
  consume v11
  if v2 b1 b2
b1: <- b0
  v20 = const i64 3
  jump b3
b2: <- b0
  jump b3
b3: <- b1 b2
  v30 = phi i64 v20 v0
  ret v30
}
`
	m := mustParse(t, good)
	if err := VerifyModule(m); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"v5 = add i64 v0 v4", "v5 = add i64 v0 v3", "type"},
		{"v5 = add i64 v0 v4", "v5 = add i64 v0", "operands"},
		{"v5 = add i64 v0 v4", "v5 = add i64 v0 v4 v4", "operands"},
		{"v5 = add i64 v0 v4", "v5 = add f64 v0 v4", "result type"},
		{"v5 = add i64 v0 v4", "v5 = add i64 v0 v6", "defined later"},
		{"v5 = add i64 v0 v4", "v5 = add i64 v0 v20", "dominate"},
		{"v5 = add i64 v0 v4", "v5 = add i64 v0 v4 : (i64) -> ()", "end of the line"},
		{"[8]", "[-8]", "offset"},
		{"[8]", "[99999999999]", "offset"},
		{"v6 = sext i64 v3", "v6 = sext i64 v0", "wider"},
		{"const i32 7", "const i32 99999999999", "constant"},
		{"v0 v1 v2 : (i64, ptr, i8) -> (i64)", "v0 v1 : (i64, ptr, i8) -> (i64)", "arguments"},
		{"v0 v1 v2 : (i64, ptr, i8) -> (i64)", "v0 v1 : (i64, ptr) -> (i64)", "signature"},
		{"v8 = host i64 v5 [0]", "v8 = host i64 v5 [1]", "host"},
		{"host 0 \"h\" (i64) -> (i64)", "host 0 \"h\" (i64) -> ()", "host"},
		{"store v1 v5 [0]", "store v0 v5 [0]", "type"},
		{"bounds v0 v4 [index]", "bounds v0 v4 [divide]", "trap"},
		{"bounds v0 v4 [index]", "bounds v0 v4 [77]", "trap"},
		{"gas [4]", "gas [-4]", "charge"},
		{"new ptr [1, 16]", "new ptr [2, 16]", "layout"},
		{"new ptr [1, 16]", "new ptr [1, 20]", "size"},
		{"new ptr [1, 16]", "new ptr [1, -8]", "size"},
		{"localaddr ptr [0]", "localaddr ptr [1]", "local"},
		{"arg i64 [0]", "arg i64 [1]", "parameter"},
		{"opaque i64 v5", "opaque i32 v5", "type"},
		{"opaque i64 v5", "opaque i64 v5 v5", "operands"},
		{"consume v11", "consume", "operands"},
		{"consume v11", "consume v11 v5", "operands"},
		{"consume v11", "v12 = consume i64 v11", "no result"},
		{"phi i64 v20 v0", "phi i64 v20", "predecessors"},
		{"phi i64 v20 v0", "phi i64 v0 v20", "dominate"},
		{"v30 = phi i64 v20 v0", "gas [1]\n  v30 = phi i64 v20 v0", "phi"},
		{"b3: <- b1 b2", "b3: <- b1 b1", "predecessor"},
		{"b3: <- b1 b2", "b3: <- b1", "predecessors"},
		{"if v2 b1 b2", "if v0 b1 b2", "type"},
		{"if v2 b1 b2\nb1: <- b0", "if v2 b2 b2\nb1:", "same block"},
		{"ret v30", "ret", "results"},
		{"ret v30", "ret v1", "type"},
		{"ret v30", "jump b0", "edges"},
		{"size 16 align 8 ptrs 0x3\nb0", "size 16 align 3\nb0", "alignment"},
		{"size 16 align 8 ptrs 0x3\nb0", "size 16 align 8 ptrs 0x7\nb0", "pointer map"},
		{"size 16 align 8 ptrs 0x3\nb0", "size 16 align 8\n  recover b3\nb0", "recovery"},
		{"layout 1 size 16 ptrs 0x3", "layout 1 size 16 ptrs 0x3,0x1", "pointer map"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%q is not in the text", c.old)
		}
		m, err := ParseModule(text)
		if err == nil {
			err = VerifyModule(m)
		}
		if err == nil {
			t.Errorf("%q instead of %q passed", c.new, c.old)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q instead of %q: %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

// TestVerifyHostile: garbage in memory gives an error and no panic.
func TestVerifyHostile(t *testing.T) {
	text := whole(t)
	rng := rand.New(rand.NewSource(1))
	for round := 0; round < 3000; round++ {
		m := mustParse(t, text)
		f := m.Func(1)
		for k := 0; k < 1+rng.Intn(3); k++ {
			b := f.Blocks[rng.Intn(len(f.Blocks))]
			if b == nil {
				continue
			}
			var v *Value
			if len(b.Values) > 0 {
				v = b.Values[rng.Intn(len(b.Values))]
			}
			switch rng.Intn(20) {
			case 0:
				f.Blocks[rng.Intn(len(f.Blocks))] = nil
			case 1:
				b.ID = int32(rng.Uint32())
			case 2:
				b.Kind = BlockKind(rng.Intn(256))
			case 3:
				b.Succs = append(b.Succs, nil)
			case 4:
				b.Preds = append(b.Preds, &Block{ID: 99})
			case 5:
				b.Ctrl = &Value{ID: -5}
			case 6:
				b.Values = append(b.Values, nil)
			case 7:
				f.Locals = append(f.Locals, Local{Size: -1 << 60, Ptrs: []uint64{1}})
			case 8:
				f.Recover = &Block{}
			case 9:
				m.own[2] = nil
			case 10:
				m.Layouts = append(m.Layouts, Layout{Size: 1<<63 - 1, Ptrs: []uint64{5}})
			case 11:
				f.Sig.Params = append(f.Sig.Params, Type(200))
			case 12:
				f.nextValue = int32(rng.Uint32())
			case 13:
				m.Shapes = append(m.Shapes, &Shape{Size: -3, Unpack: 1 << 30})
			default:
				if v == nil {
					continue
				}
				switch rng.Intn(8) {
				case 0:
					v.Op = Op(rng.Intn(300))
				case 1:
					v.Type = Type(rng.Intn(256))
				case 2:
					v.Aux = int64(rng.Uint64()) >> uint(rng.Intn(64))
				case 3:
					v.Aux2 = int64(rng.Uint64()) >> uint(rng.Intn(64))
				case 4:
					v.Args = append(v.Args, nil)
				case 5:
					v.Args = nil
				case 6:
					v.Sig, v.Fn = nil, nil
				case 7:
					v.ID = int32(rng.Uint32())
				}
			}
		}
		VerifyModule(m)
	}
}

// TestVerifyModuleRejects: the verifier rejects modules that would harm their host or make it work
// for nothing, beyond single operations.
func TestVerifyModuleRejects(t *testing.T) {
	fn := func(m *Module, sig Sig, kind BlockKind) *Func {
		f := &Func{Name: "f", Sig: sig}
		b := f.NewBlock()
		for i, p := range sig.Params {
			b.Append(f.NewValue(OpArg, p)).Aux = int64(i)
		}
		b.Kind = kind
		m.AddFunc(f)
		return f
	}
	two := Sig{Params: []Type{I64, I64}}
	for _, c := range []struct {
		name, want string
		change     func(m *Module)
	}{
		{"sound", "", func(m *Module) {
			m.Runtime["panicIndex"] = fn(m, two, BlockUnreachable)
			m.Runtime["preempt"] = fn(m, Sig{}, BlockReturn)
			fn(m, Sig{}, BlockUnreachable).Flags = AnySignature
			m.Roots = []Root{{DataBase, 1, 2}, {DataBase + 32, 1, 2}}
			m.Vars["x"] = DataBase + 56
		}},
		{"trap that returns", "returns", func(m *Module) { m.Runtime["panicIndex"] = fn(m, two, BlockReturn) }},
		{"trap with parameters", "signature", func(m *Module) { m.Runtime["sigpanic"] = fn(m, two, BlockUnreachable) }},
		{"preempt with parameters", "signature", func(m *Module) { m.Runtime["preempt"] = fn(m, two, BlockReturn) }},
		{"any signature with parameters", "any signature", func(m *Module) { fn(m, two, BlockUnreachable).Flags = AnySignature }},
		{"any signature that returns", "any signature", func(m *Module) { fn(m, Sig{}, BlockReturn).Flags = AnySignature }},
		{"stub with parameters", "any signature", func(m *Module) { fn(m, two, BlockUnreachable).Flags = MakeFuncStub }},
		{"overlapping roots", "overlap", func(m *Module) { m.Roots = []Root{{DataBase, 1, 4}, {DataBase, 1, 1}} }},
		{"root without end", "ends behind", func(m *Module) { m.Roots = []Root{{DataBase, 1, 5}} }},
		{"pointers in nothing", "pointers in nothing", func(m *Module) { m.Layouts = append(m.Layouts, Layout{0, []uint64{0}}) }},
		{"pointers without pointers", "layout 0", func(m *Module) { m.Layouts[0] = m.Layouts[1] }},
		{"variable outside", "variable", func(m *Module) { m.Vars["x"] = DataBase + 57 }},
		{"variable below", "variable", func(m *Module) { m.Vars["x"] = 8 }},
		{"shape of another call", "the shape has another signature", func(m *Module) {
			m.Shapes = []*Shape{{Sig: two, Offsets: make([]int32, 2), ByRef: make([]bool, 2), Sizes: make([]int32, 2)}}
			f := fn(m, Sig{}, BlockReturn)
			p := f.Entry.Append(f.NewValue(OpConst, Ptr))
			v := f.Entry.Append(f.NewValue(OpCallClosure, Void, p))
			v.Shape, v.Sig = 1, &Sig{}
		}},
	} {
		m := &Module{own: []*Func{nil}, BSS: 64, Layouts: []Layout{{}, {16, []uint64{1}}}, Runtime: map[string]*Func{}, Vars: map[string]uint32{}}
		c.change(m)
		err := VerifyModule(m)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzParse holds that no text makes the parser, the verifier or the printer panic.
//
//fuzz:runs 40000
func FuzzParse(f *testing.F) {
	f.Add(whole(f))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseModule(text)
		if err != nil || VerifyModule(m) != nil {
			return
		}
		var b strings.Builder
		Print(&b, m)
		again, err := ParseModule(b.String())
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		var c strings.Builder
		Print(&c, again)
		if b.String() != c.String() {
			t.Fatalf("printed differently:\n%s", diff(b.String(), c.String()))
		}
	})
}

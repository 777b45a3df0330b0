package embedding_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// hostileSample is how many images TestHostileImages runs without a flag.
const hostileSample = 60

var (
	hostileRounds = flag.Int("hostile", hostileSample, "`number` of mutated images that TestHostileImages runs; if it is larger, TestHostileGuests has all cases, not a part of them each day")
	hostileSeed   = daily.Seed("hostile.seed", "of the first mutated image")
)

// hostileBase has some of everything that images can contain, and little else.
const hostileBase = `package main

type shape interface{ area() int }
type square struct{ side int }
type rect struct{ w, h int; name string }

func (s square) area() int { return s.side * s.side }
func (r *rect) area() int  { return r.w * r.h }

type tree struct{ left, right *tree; key string; vals [4]int }

func (t *tree) insert(key string) *tree {
	if t == nil {
		return &tree{key: key}
	}
	if key < t.key {
		t.left = t.left.insert(key)
	} else {
		t.right = t.right.insert(key)
	}
	t.vals[len(key)&3]++
	return t
}

func safe(f func(int) int, x int) (r int) {
	defer func() {
		if e := recover(); e != nil {
			r = -1
		}
	}()
	return f(x)
}

func sum(xs []int) (s int) {
	for i, x := range xs {
		s += x * i
	}
	return
}

func main() {
	shapes := []shape{square{3}, &rect{4, 5, "r"}}
	total := 0
	for _, s := range shapes {
		total += s.area()
		switch s := s.(type) {
		case square:
			total += s.side
		case *rect:
			total += len(s.name)
		}
	}
	m := map[string]int{}
	var root *tree
	for i := range 20 {
		k := string(rune('a'+i%7)) + "x"
		m[k] += i
		root = root.insert(k)
	}
	delete(m, "ax")
	ch := make(chan int, 2)
	go func() {
		for i := range 5 {
			ch <- i
		}
		close(ch)
	}()
	for x := range ch {
		total += x
	}
	xs := make([]int, 0, 4)
	for i := range 30 {
		xs = append(xs, i)
	}
	ys := append([]int(nil), xs[3:17]...)
	copy(xs, ys)
	total += sum(xs) + safe(func(i int) int { return xs[i] }, 99) + int(float64(total)/3.5)
	b := []byte("bytes")
	b[1] ^= byte(total)
	println(total, len(m), root.vals[2], string(b) == "bytes", *(&total)<<3%1000)
}
`

// hostileImage is the complete image of hostileBase, and hostileImageOnStd its image on the
// precompiled standard library.
var (
	hostileImage      = sync.OnceValue(func() []byte { return buildHostile(true) })
	hostileImageOnStd = sync.OnceValue(func() []byte { return buildHostile(false) })
)

func buildHostile(whole bool) []byte {
	data, err := gyr.Build(context.Background(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(hostileBase)}}, Patterns: []string{"main.go"}},
		&gyr.CompileOptions{Debug: gyr.CompileDebug{NoBase: whole}})
	if err != nil {
		panic(err)
	}
	return data
}

// firstLayer is the base module for programs that need only the first layer of the standard
// library.
var firstLayer = sync.OnceValue(func() *ir.Module {
	p, err := engine.Compile(context.Background(), engine.Source{
		FS: fstest.MapFS{"main.go": {Data: []byte(hostileBase)}}, Patterns: []string{"main.go"}})
	if err != nil {
		panic(err)
	}
	return p.View().Mod.Base
})

// runImage compiles and runs an image under small limits. A refusal must be an
// ImageError of one line; the run may end with any error. It reports whether the image was accepted.
func runImage(t testing.TB, data []byte) (accepted bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	p, err := gyr.CompileImage(ctx, data, nil)
	if err != nil {
		refused := (*gyr.ImageError)(nil)
		if !errors.As(err, &refused) && ctx.Err() == nil {
			t.Errorf("refused with %T: %v", err, err)
		}
		if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("refused in several lines: %q", err)
		}
		return false
	}
	in, err := p.NewInstance(ctx, gyr.Config{Gas: 1_000_000, Memory: 16 << 20, Stack: 1 << 20})
	if err != nil {
		return true
	}
	defer in.Close()
	in.Run(ctx)
	in.Stats()
	return true
}

// repair corrects the checksums of an image, as far as the image has them.
func repair(data []byte) {
	const sections, entry, count, header = 24, 12, 10, 24 + 10*12 // see package image
	if len(data) < header {
		return
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	le := binary.LittleEndian
	rest := data[header:]
	for i := range count {
		e := data[sections+i*entry:]
		n := min(le.Uint64(e), uint64(len(rest)))
		le.PutUint32(e[8:], crc32.Checksum(rest[:n], table))
		rest = rest[n:]
	}
	le.PutUint32(data[20:], 0)
	le.PutUint32(data[20:], crc32.Checksum(data[:header], table))
}

// A mutator changes modules at random.
type mutator struct {
	*rand.Rand
	m *ir.Module
}

// pick returns a random element.
func pick[T any](r *rand.Rand, s []T) (x T) {
	if len(s) == 0 {
		return x
	}
	return s[r.IntN(len(s))]
}

// number draws a number, often near a boundary.
func (m *mutator) number(old int64) int64 {
	switch m.IntN(6) {
	case 0:
		return old + int64(m.IntN(17)) - 8
	case 1:
		return int64(m.Uint64()) >> m.IntN(64)
	case 2:
		return pick(m.Rand, []int64{0, 1, -1, 7, 8, 1 << 16, 1 << 30, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, -1 << 63})
	case 3:
		return old << 1
	case 4:
		return -old
	}
	return int64(m.IntN(1 << 20))
}

// mutate changes something.
func (m *mutator) mutate() {
	mod := m.m
	switch m.IntN(8) {
	case 0:
		m.tables()
		return
	case 1:
		for range 1 + m.IntN(4) {
			m.hostCall(pick(m.Rand, m.own()))
		}
		return
	}
	f := pick(m.Rand, mod.Own())
	if f.Flags&ir.Runtime != 0 || f.Entry == nil {
		f = pick(m.Rand, m.own())
	}
	b := pick(m.Rand, f.Blocks)
	var all []*ir.Value
	for _, b := range f.Blocks {
		all = append(all, b.Values...)
	}
	switch m.IntN(12) {
	case 0: // the function
		switch m.IntN(5) {
		case 0:
			f.Flags ^= 1 << m.IntN(12) & ir.AllFlags
		case 1:
			f.Shape = int32(m.IntN(len(mod.Shapes) + 1))
		case 2:
			if len(f.Locals) > 0 {
				l := &f.Locals[m.IntN(len(f.Locals))]
				l.Size = m.number(l.Size)
			}
		case 3:
			f.Locals = append(f.Locals, ir.Local{Size: m.number(16), Align: 8, Ptrs: []uint64{m.Uint64() & 3}})
		case 4:
			f.Sig = pick(m.Rand, mod.Funcs()[1:]).Sig
		}
	case 1: // the edges
		switch m.IntN(4) {
		case 0:
			if len(b.Succs) > 1 {
				b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
			}
		case 1: // lead to another block without phis
			to := pick(m.Rand, f.Blocks)
			if len(b.Succs) == 0 || to == f.Entry || to == f.Recover || len(to.Phis()) > 0 || len(b.Succs[0].Phis()) > 0 {
				return
			}
			s := b.Succs[0]
			s.RemovePred(s.PredIndex(b))
			b.Succs[0] = to
			to.Preds = append(to.Preds, b)
		case 2:
			if b.Kind == ir.BlockSwitch && len(b.Cases) > 0 {
				b.Cases[m.IntN(len(b.Cases))] = m.number(3)
			}
		case 3:
			b.Likely = int8(m.IntN(3)) - 1
		}
	case 2: // remove or duplicate an operation
		if len(b.Values) == 0 {
			return
		}
		i := m.IntN(len(b.Values))
		v := b.Values[i]
		if m.IntN(2) == 0 && v.Type == ir.Void {
			b.Values = append(b.Values[:i:i], b.Values[i+1:]...)
		} else if v.Type == ir.Void {
			c := *v
			f.Renumber()
			w := f.NewValue(c.Op, c.Type, append([]*ir.Value(nil), c.Args...)...)
			w.Aux, w.Aux2, w.Fn, w.Sig, w.Shape, w.Pos = c.Aux, c.Aux2, c.Fn, c.Sig, c.Shape, c.Pos
			pick(m.Rand, f.Blocks).Append(w)
		}
	default:
		v := pick(m.Rand, all)
		if v == nil {
			return
		}
		switch m.IntN(6) {
		case 0, 1:
			v.Aux = m.number(v.Aux)
			if v.Op == ir.OpConst {
				switch v.Type {
				case ir.I8:
					v.Aux = int64(int8(v.Aux))
				case ir.I16:
					v.Aux = int64(int16(v.Aux))
				case ir.I32:
					v.Aux = int64(int32(v.Aux))
				case ir.F32, ir.Ptr:
					v.Aux = int64(uint32(v.Aux))
				}
			}
		case 2:
			v.Aux2 = m.number(v.Aux2)
		case 3: // another operand of its type
			if len(v.Args) == 0 {
				return
			}
			i := m.IntN(len(v.Args))
			for range 20 {
				if a := pick(m.Rand, all); a.Type == v.Args[i].Type {
					v.Args[i] = a
					return
				}
			}
		case 4: // another operation with the same operands
			for range 50 {
				op := ir.Op(1 + m.IntN(int(ir.NumOps)-1))
				if op.Info().Args == v.Op.Info().Args && op.Info().Result == v.Op.Info().Result {
					v.Op = op
					return
				}
			}
		case 5:
			if v.Op == ir.OpCall {
				for range 50 {
					if g := pick(m.Rand, mod.Funcs()[1:]); g.Sig.Equal(v.Sig) {
						v.Fn, v.Sig = g, &g.Sig
						return
					}
				}
			}
			if v.Op == ir.OpCallClosure {
				v.Shape = int32(m.IntN(len(mod.Shapes) + 1))
			}
		}
	}
}

// hostCall makes a function call the host with arguments of the right types, most often main.main.
func (m *mutator) hostCall(f *ir.Func) {
	if m.IntN(2) == 0 {
		for _, g := range m.own() {
			if g.Name == "main.main" {
				f = g
			}
		}
	}
	name := pick(m.Rand, hostNames)
	if m.IntN(2) == 0 {
		name = pick(m.Rand, hostNames[:runtimeHosts])
	}
	host := int64(-1)
	for i := range m.m.Primitives {
		if m.m.Primitives[i].Name == name {
			host = int64(i)
		}
	}
	if host < 0 {
		host = int64(len(m.m.Primitives))
		m.m.Primitives = append(m.m.Primitives, ir.Primitive{Name: name, Sig: sigOf(rt.Sigs[name])})
	}
	b := pick(m.Rand, f.Blocks)
	at := m.IntN(len(b.Values) + 1)
	for at < len(b.Values) {
		switch b.Values[at].Op {
		case ir.OpPhi, ir.OpArg, ir.OpClosure, ir.OpResult:
			at++
			continue
		}
		break
	}
	call := f.NewValue(ir.OpHost, ir.Void)
	call.Aux, call.Sig = host, &m.m.Primitives[host].Sig
	for _, t := range call.Sig.Params {
		c := f.NewValue(ir.OpConst, t)
		c.Aux = m.number(int64(m.IntN(4)))
		switch {
		case t == ir.I32:
			c.Aux = int64(int32(c.Aux))
		case t == ir.Ptr && m.IntN(2) == 0:
			c.Aux = ir.DataBase + int64(m.IntN(len(m.m.Data)))&^7
		case t == ir.Ptr:
			c.Aux = int64(uint32(c.Aux))
		}
		b.Insert(at, c)
		at++
		call.Args = append(call.Args, c)
	}
	if len(call.Sig.Results) > 0 {
		call.Type = call.Sig.Results[0]
	}
	b.Insert(at, call)
}

// sigOf reads a signature as ir.Sig.Key spells it.
func sigOf(key string) (s ir.Sig) {
	list := &s.Params
	for _, c := range key {
		if c == ':' {
			list = &s.Results
			continue
		}
		*list = append(*list, ir.Type(strings.IndexRune("vbhwlfdp", c)))
	}
	return s
}

// hostNames are all functions of the host, those of the runtime first.
var hostNames, runtimeHosts = func() (names []string, n int) {
	names = slices.Sorted(maps.Keys(rt.Sigs))
	slices.SortStableFunc(names, func(a, b string) int {
		return strings.Count(a, ".") - strings.Count(b, ".")
	})
	for n < len(names) && !strings.Contains(names[n], ".") {
		n++
	}
	return names, n
}()

// own are the functions that are not the runtime's.
func (m *mutator) own() (fs []*ir.Func) {
	for _, f := range m.m.Own() {
		if f.Flags&ir.Runtime == 0 && f.Entry != nil {
			fs = append(fs, f)
		}
	}
	return fs
}

// tables changes something outside the functions.
func (m *mutator) tables() {
	mod := m.m
	kind, base := m.IntN(11), &ir.Module{}
	if mod.Base != nil { // the image cannot change its base
		if base = mod.Base; kind == 6 || kind == 7 {
			kind = 0
		}
	}
	switch kind {
	case 0, 1, 2:
		for range 1 + m.IntN(8) {
			i := m.IntN(len(mod.Data))
			mod.Data[i] = byte(m.number(int64(mod.Data[i])))
		}
	case 3:
		if n := len(base.Layouts); n < len(mod.Layouts) {
			l := &mod.Layouts[n+m.IntN(len(mod.Layouts)-n)]
			l.Size = m.number(l.Size)
		}
	case 4:
		n := len(base.Roots)
		if n == len(mod.Roots) {
			mod.Roots = append(slices.Clip(mod.Roots), ir.Root{Addr: 4096})
		}
		r := &mod.Roots[n+m.IntN(len(mod.Roots)-n)]
		r.Count, r.Addr, r.Layout = int32(m.number(int64(r.Count))), r.Addr+uint32(m.number(0))&^7, int32(m.IntN(len(mod.Layouts)))
	case 5:
		for a := range mod.TypeLayouts {
			mod.TypeLayouts[a] = int32(m.IntN(len(mod.Layouts)))
			if m.IntN(4) == 0 {
				break
			}
		}
	case 6:
		t := ir.Traps[m.IntN(int(ir.NumTraps))]
		mod.Runtime[t.Func] = pick(m.Rand, mod.Funcs()[1:])
	case 7:
		for name := range mod.Vars {
			mod.Vars[name] += uint32(m.number(0))
		}
	case 8:
		x := &mod.Inits[m.IntN(len(mod.Inits))]
		switch m.IntN(3) {
		case 0:
			x.Std = !x.Std
		case 1:
			x.Closure = uint32(m.number(int64(x.Closure)))
		case 2:
			x.Func = pick(m.Rand, mod.Funcs()[1:])
		}
	case 9:
		if n := len(base.Primitives); n < len(mod.Primitives) {
			mod.Primitives[n+m.IntN(len(mod.Primitives)-n)].Name = pick(m.Rand, mod.Primitives).Name
		}
	case 10:
		mod.BSS = m.number(mod.BSS)
	}
}

// mutated returns the base image with n changes in its module, or with onStd the one on the
// standard library. It returns nil if the result cannot be encoded.
func mutated(t testing.TB, onStd bool, seed uint64, n int) []byte {
	t.Helper()
	data, base := hostileImage(), (*ir.Module)(nil)
	if onStd {
		data, base = hostileImageOnStd(), firstLayer()
	}
	im, err := image.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := im.Decode(base)
	if err != nil {
		t.Fatal(err)
	}
	m := &mutator{rand.New(rand.NewPCG(seed, 7)), mod}
	for range n {
		m.mutate()
	}
	for _, f := range mod.Own() {
		f.Renumber()
	}
	data, err = image.Encode(mod, im.Header())
	if err != nil {
		return nil
	}
	return data
}

// TestHostileImages: images with changes that an expert of the format could make are refused or run
// into their limits, and never harm the host.
func TestHostileImages(t *testing.T) {
	daily.Turn(t, 3, false)
	daily.Drawn(t, "hostile.seed")
	rounds := *hostileRounds
	if testing.Short() {
		rounds = min(rounds, 30)
	}
	for _, onStd := range []bool{false, true} {
		accepted := 0
		for i := range rounds {
			if data := mutated(t, onStd, *hostileSeed+uint64(i), 1+i%4); data != nil && runImage(t, data) {
				accepted++
			}
		}
		t.Logf("on std %t: %d of %d were accepted", onStd, accepted, rounds)
		if accepted < rounds/10 {
			t.Errorf("on std %t: hardly any is accepted: the mutations test nothing behind the verifier", onStd)
		}
	}
}

// FuzzImageModule: as TestHostileImages.
//
//fuzz:runs 150
func FuzzImageModule(f *testing.F) {
	for seed := range uint64(16) {
		f.Add(seed, uint8(1+seed%3+seed%2*8))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint8) {
		if data := mutated(t, n&8 != 0, seed, 1+int(n%8)); data != nil {
			runImage(t, data)
		}
	})
}

// FuzzImage: changed bytes with the right checksums.
//
//fuzz:runs 150
func FuzzImage(f *testing.F) {
	for _, base := range [][]byte{hostileImage(), hostileImageOnStd()} {
		f.Add(base)
		f.Add(base[:len(base)/2])
		for seed := range uint64(8) {
			r := rand.New(rand.NewPCG(seed, 1))
			flipped := append([]byte(nil), base...)
			for range 1 + seed {
				flipped[r.IntN(len(flipped))] ^= 1 << r.IntN(8)
			}
			f.Add(flipped)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = append([]byte(nil), data...)
		repair(data)
		runImage(t, data)
	})
}

// TestFreeInitIsBounded: an image that declares its own initialisers as the standard library's,
// which are free of gas, ends nevertheless.
func TestFreeInitIsBounded(t *testing.T) {
	for name, body := range map[string]string{
		"loop": "for { n++ }",
		"host": "for range 1 << 20 { n++ }; println(n)", // live, so that a snapshot is attempted without it
	} {
		src := "package main\n\nvar n int\n\nfunc init() { " + body + " }\n\nfunc main() { println(n) }\n"
		data, err := gyr.Build(context.Background(),
			gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(src)}}, Patterns: []string{"main.go"}},
			&gyr.CompileOptions{Debug: gyr.CompileDebug{NoBase: true}})
		if err != nil {
			t.Fatal(err)
		}
		im, err := image.Open(data)
		if err != nil {
			t.Fatal(err)
		}
		mod, err := im.Decode(nil)
		if err != nil {
			t.Fatal(err)
		}
		own := mod.Inits[len(mod.Inits)-1]
		for range 40 {
			mod.Inits = append(mod.Inits, own)
		}
		for i := range mod.Inits {
			mod.Inits[i].Std = true
		}
		if data, err = image.Encode(mod, im.Header()); err != nil {
			t.Fatal(err)
		}
		p, err := gyr.CompileImage(context.Background(), data, nil)
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.NewInstance(context.Background(), gyr.Config{Gas: 1000})
		if err == nil {
			err = in.Run(context.Background())
			in.Close()
		}
		if err == nil {
			t.Errorf("%s: it ran to its end", name)
		}
		t.Logf("%s: %v", name, err)
	}
}

// TestRefusalIsOneLine: the message escapes a name that an image made up, so that a terminal cannot
// interpret it.
func TestRefusalIsOneLine(t *testing.T) {
	im, err := image.Open(hostileImage())
	if err != nil {
		t.Fatal(err)
	}
	mod, err := im.Decode(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &mutator{m: mod}
	f := m.own()[0]
	f.Name, f.Flags = "a\n\x1b[2J\"é\\", f.Flags|ir.Runtime
	data, err := image.Encode(mod, im.Header())
	if err != nil {
		t.Fatal(err)
	}
	_, err = gyr.CompileImage(context.Background(), data, nil)
	if want := `function a\n\x1b[2J"é\\ is not that of the runtime for ` + release.OfMinor(mod.Go).Name(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestRepair: the property that the fuzzers rely on.
func TestRepair(t *testing.T) {
	data := append([]byte(nil), hostileImage()...)
	data[len(data)-1] ^= 1
	if _, err := image.Open(data); err == nil {
		t.Fatal("damage is not found")
	}
	repair(data)
	if _, err := image.Open(data); err != nil {
		t.Error(err)
	}
	if !runImage(t, hostileImage()) {
		t.Error("the base does not run")
	}
}

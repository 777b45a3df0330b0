package engine

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// TestForgedSlice checks that one wrong fact about types does not reach the host. In a library of
// an embedder's user, a slice gets a length beyond all of memory, as if std had been deceived. It
// is indexed far past the guest's memory, where machine code could add the index to an address of
// the host. Whatever address the low 32 bits give, the host must see an error of the guest or a
// value of the guest's memory.
func TestForgedSlice(t *testing.T) {
	const library = `package lib

import "reflect"

var forged = make([]uint64, 8)

func Header() uint64 { return uint64(reflect.ValueOf(&forged).Pointer()) }

// Far reads and writes in a loop, so that the address of the elements is worth a register of its own.
func Far(at, n int) (sum uint64) {
	s := forged
	for i := range n {
		sum += s[at+i]
		s[at+i] = sum
		sum ^= s[at+i]
	}
	return sum
}
`
	sources := map[string]Source{
		"exports from a file system": {FS: fstest.MapFS{"lib.go": {Data: []byte(library)}}, Exports: true, Patterns: []string{"lib.go"}},
	}
	for name, src := range sources {
		p, err := Compile(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int64{1 << 30, 1 << 33, 1<<50 + 12345, 1 << 59, -1 << 40, -1 << 20} {
			cfg := Config{}
			cfg.Memory = 16 << 20
			in, err := p.NewInstance(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			got, err := in.Call(t.Context(), "Header")
			if err != nil {
				t.Fatal(err)
			}
			b, ok := in.vm.Space.Bytes(got[0].(uint64), 24)
			if !ok {
				t.Fatalf("%s: no slice at %#x", name, got[0])
			}
			binary.LittleEndian.PutUint64(b[8:], 1<<63-1)
			binary.LittleEndian.PutUint64(b[16:], 1<<63-1)
			if at < 0 {
				// Forge the pointer too: its upper half must be ignored.
				binary.LittleEndian.PutUint64(b, uint64(at)<<8|uint64(binary.LittleEndian.Uint32(b)))
				at = -at
			}
			_, err = in.Call(t.Context(), "Far", int(at), 3)
			if err != nil && !rt.IsAddress(err) {
				t.Errorf("%s, index %#x: %v, want a value, or an error about an address of the guest", name, at, err)
			}
			in.Close()
		}
	}
}

// TestUnsafeOfStd checks that functions that use unsafe, and functions that inlined one of them,
// run with checks in every program, and that other functions run without.
func TestUnsafeOfStd(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "main.go": `package main

import "strings"

//go:noinline
func plain(s []int) (n int) {
	for _, x := range s {
		n += x
	}
	return n
}

//go:noinline
func builds(b *strings.Builder) string {
	b.WriteByte('x')
	return b.String() // inlined: it uses unsafe.String
}

func main() {
	var b strings.Builder
	m := map[string]int{}
	m[builds(&b)] = plain([]int{1, 2, 3})
	println(len(m))
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, base := range []bool{false, true} {
		src := Source{Dir: dir}
		if base {
			var err error
			if src.Base, err = OpenBase(t.Context(), BaseConfig{}); err != nil {
				t.Fatal(err)
			}
		}
		p, err := Compile(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, f := range p.mod.Funcs() {
			if f == nil || f.Flags&ir.Wrapper != 0 {
				continue // wrappers for calls by value of the runtime's functions have these names
			}
			checked := f.Flags&ir.Unsafe != 0
			for prefix, want := range map[string]bool{"main.plain": false, "main.builds": true, "strings.(*Builder).String": true, "internal/runtime/maps.(*groupReference).ctrls": true, "internal/runtime/maps.runtime_mapassign": true, "unicode/utf8.": false} {
				if strings.HasPrefix(f.Name, prefix) {
					seen[prefix]++
					if checked != want {
						t.Errorf("base %v: %s runs checked: %v, want %v", base, f.Name, checked, want)
					}
				}
			}
		}
		for _, name := range []string{"main.plain", "main.builds", "internal/runtime/maps.runtime_mapassign"} {
			if seen[name] == 0 {
				t.Errorf("base %v: there is no function %s", base, name)
			}
		}
	}
}

// TestForgedCall checks that a guest with package unsafe, which can make a function value of any
// number, reaches no runtime function that is only called by name: such a function works without
// charges, because its callers pay. The test tries each one with a signature that the guest has, in
// each tier.
func TestForgedCall(t *testing.T) {
	const library = `package lib

import "unsafe"

func forge[F any](number int) F {
	value := &[1]int{number}
	return *(*F)(unsafe.Pointer(&value))
}

var from, to [64]byte

func Move(number int) { forge[func(to, from unsafe.Pointer, n uintptr)](number)(unsafe.Pointer(&to), unsafe.Pointer(&from), 64) }

func Plain(number int) { forge[func()](number)() }

func Mine() { to[0]++ }

var mine = Mine

func Number() int { return **(**int)(unsafe.Pointer(&mine)) }
`
	p, err := Compile(t.Context(), Source{FS: fstest.MapFS{"lib.go": {Data: []byte(library)}}, Exports: true, Unsafe: api.UnsafeAll, Patterns: []string{"lib.go"}})
	if err != nil {
		t.Fatal(err)
	}
	tiers := []api.Tier{api.TierInterp}
	if p.NativeError() == nil {
		tiers = append(tiers, api.TierNative)
	}
	for _, tier := range tiers {
		call := func(name string, args ...any) ([]any, error) {
			in, err := p.NewInstance(t.Context(), Config{Config: api.Config{Tier: tier}})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			return in.Call(t.Context(), name, args...)
		}
		number, err := call("Number")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := call("Plain", number[0]); err != nil {
			t.Errorf("%s: a forged value of the program's own function: %v", tier, err)
		}
		tried := map[string]int{}
		for i := 1; i < p.unit.mod.NumFuncs(); i++ {
			f := p.unit.mod.Func(i)
			name := map[string]string{"ppl:": "Move", ":": "Plain"}[f.Sig.Key()]
			if f.Flags&ir.ByName == 0 || name == "" {
				continue
			}
			if tried[name]++; tried[name] > 40 {
				continue
			}
			if _, err := call(name, i); err == nil || !strings.Contains(err.Error(), "function value of another type") {
				t.Errorf("%s: a forged call of %s: %v, want an error about the function value", tier, f.Name, err)
			}
		}
		if tried["Move"] == 0 || tried["Plain"] == 0 {
			t.Errorf("%s: tried %v functions", tier, tried)
		}
	}
}

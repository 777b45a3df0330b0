package hostile

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
)

// TestForgedCrossing: no value of a forged array type crosses. The image's descriptor says that the
// array's elements have the same array type.
func TestForgedCrossing(t *testing.T) {
	src := gyr.Source{Exports: true, FS: fstest.MapFS{"go.mod": {Data: []byte("module guest\n\ngo 1.26\n")}, "main.go": {Data: []byte(
		"package guest\n\ntype R [7]int\n\nfunc Held() any { return R{1} }\nfunc Typed() []R { return []R{{1}} }\nfunc Key() map[R]int { return map[R]int{{1}: 2} }\nfunc One() int { return 1 }\n")}}}
	good, err := gyr.Build(context.Background(), src, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoBase: true}})
	if err != nil {
		t.Fatal(err)
	}
	const kindAt, elemAt, lenAt = 23, 48, 64 // in descriptors of arrays, see package rt
	forged := 0
	bad := recoded(good, func(m *ir.Module, _ *image.Header) {
		for addr := range m.TypeLayouts {
			if at := int(addr) - ir.DataBase; at+lenAt+8 <= len(m.Data) && m.Data[at+kindAt] == byte(reflect.Array) && m.Data[at+lenAt] == 7 {
				binary.LittleEndian.PutUint64(m.Data[at+elemAt:], uint64(addr))
				forged++
			}
		}
	})
	if forged == 0 {
		t.Fatal("no descriptor was forged")
	}
	p, err := gyr.CompileImage(context.Background(), bad, nil)
	if err != nil {
		var refused *gyr.ImageError
		if !errors.As(err, &refused) {
			t.Fatal(err)
		}
		t.Log(err)
		return
	}
	for _, tier := range tiers() {
		for _, name := range []string{"Held", "Typed", "Key"} {
			in, err := p.NewInstance(context.Background(), gyr.Config{Tier: tier, Memory: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			got, err := in.Call(context.Background(), name)
			t.Log(err)
			if errors.As(err, new(*gyr.InternalError)) || err == nil {
				t.Errorf("%s, %s: %v, %v", tier, name, got, err)
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestKeysOfKeys: types that share parts, 2^18 or 2^40 of them when expanded, take little time as
// keys, or exceed a limit.
func TestKeysOfKeys(t *testing.T) {
	for _, depth := range []int{18, 40} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) { keysOfKeys(t, depth) })
	}
}

func keysOfKeys(t *testing.T, depth int) {
	var b strings.Builder
	b.WriteString("package guest\n\ntype K0 struct{}\n")
	for i := range depth {
		fmt.Fprintf(&b, "type K%d struct{ A, B K%d }\n", i+1, i)
	}
	fmt.Fprintf(&b, "func Keys() map[K%d]int { return map[K%[1]d]int{{}: 1} }\n", depth)
	b.WriteString("func Held() any { return map[K10]int{{}: 1} }\nfunc One() int { return 1 }\n")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // too short for 2^40 parts
	defer cancel()
	p, err := gyr.Compile(ctx, gyr.Source{Exports: true, FS: fstest.MapFS{"go.mod": {Data: []byte("module guest\n\ngo 1.26\n")}, "main.go": {Data: []byte(b.String())}}}, nil)
	if err != nil {
		var limit *gyr.CompileLimitError
		if !errors.As(err, &limit) {
			t.Error(err)
		}
		t.Log(err)
		return
	}
	for _, tier := range tiers() {
		in, err := p.NewInstance(context.Background(), gyr.Config{Tier: tier, Gas: 1_000_000})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Keys", "Held", "One"} {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_, err := in.Call(ctx, name)
			cancel()
			if errors.As(err, new(*gyr.InternalError)) || errors.As(err, new(*gyr.DeadlineError)) {
				t.Errorf("%s, %s: %v", tier, name, err)
			}
			t.Logf("%s, %s: %v", tier, name, err)
		}
		in.Close()
	}
}

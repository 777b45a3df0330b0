package hostile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var faultSeeds = flag.Int("faultseeds", 2, "libraries that TestFaults makes")

// faultAccesses are accesses to memory at p. Their value goes into x; n is 40, and good is valid
// memory of 64 bytes. Each is in the body of a loop.
var faultAccesses = []string{
	"x += int(*(*int8)(p))", "x += int(*(*uint16)(p))", "x += int(*(*int32)(p))", "x += *(*int)(p)", "x += int(*(*float32)(p))",
	"x += int(*(*float64)(p))", "q := *(**int)(p); if q != nil { x++ }", "x += len(*(*string)(p))", "x += cap(*(*[]int)(p))",
	"*(*int8)(p) = int8(x)", "*(*uint16)(p) = uint16(x)", "*(*int32)(p) = int32(x)", "*(*int)(p) = x", "*(*float32)(p) = float32(x)",
	"*(*float64)(p) = float64(x)", "*(*unsafe.Pointer)(p) = p", "*(*string)(p) = \"x\"", "*(*int)(p) += x", "*(*int32)(p)++",
	"v := *(*[3]int)(p); x += v[i&1]", "v := *(*[20]int)(p); x += v[i&7]", "v := *(*[200]int)(p); x += v[i&7]",
	"*(*[3]int)(p) = [3]int{x, 1, 2}", "*(*[20]int)(p) = [20]int{x}", "*(*[200]int)(p) = [200]int{}",
	"x += copy(good, unsafe.Slice((*byte)(p), n))", "x += copy(unsafe.Slice((*byte)(p), n), good)", "x += copy(unsafe.Slice((*byte)(p), 5000), large)",
	"clear(unsafe.Slice((*byte)(p), n))", "clear(unsafe.Slice((*int)(p), 3000))", "good = append(good[:0], unsafe.Slice((*byte)(p), n)...)",
	"if *(*[24]byte)(p) == *(*[24]byte)(unsafe.Pointer(&good[0])) { x++ }", "if unsafe.String((*byte)(p), n) == string(good[:n]) { x++ }",
	"if unsafe.String((*byte)(p), n) < string(good[:n]) { x++ }", "x += strings.IndexByte(unsafe.String((*byte)(p), n), 'x')",
	"x += strings.IndexByte(unsafe.String((*byte)(p), 3000), 'x')", "x += strings.Count(unsafe.String((*byte)(p), n), \"x\")",
	"names[unsafe.String((*byte)(p), n)] = x", "x += names[unsafe.String((*byte)(p), n)]", "x += len(unsafe.String((*byte)(p), n) + \"x\")",
	"x += int(atomic.LoadInt64((*int64)(p)))", "atomic.StoreInt32((*int32)(p), 1)", "x += int(atomic.AddInt64((*int64)(p), 1))",
	"if atomic.CompareAndSwapInt32((*int32)(p), 0, 1) { x++ }", "os.Stdout.Write(unsafe.Slice((*byte)(p), n))",
	"for _, r := range unsafe.String((*byte)(p), n) { x += int(r) }", "s := []int{1, 2}; (*[3]uintptr)(unsafe.Pointer(&s))[0] = uintptr(p); x += s[i&1]",
	"s := []int{1, 2}; (*[3]uintptr)(unsafe.Pointer(&s))[0] = uintptr(p); s[i&1] = x", "f := *(*func() int)(unsafe.Pointer(&p)); x += f()",
	"var e any = x; (*[2]uintptr)(unsafe.Pointer(&e))[1] = uintptr(p); x += e.(int)",
	"var e error = fail; (*[2]uintptr)(unsafe.Pointer(&e))[0] = uintptr(p); x += len(e.Error())",
	"var e error = fail; (*[2]uintptr)(unsafe.Pointer(&e))[1] = uintptr(p); x += len(e.Error())",
	"q := (*record)(p); q.a = true; q.n = x", "q := (*record)(p); x += q.n; if q.b {; x++; }", "q := (*record)(p); y := q.n; y += x; q.n = y",
	"q := (*record)(p); l := q.list; x += l[i&1]", "q := (*record)(p); l := q.list; if i < len(l) {; l[i&1] = x; }", "q := (*record)(p); f := q.f; y := float64(i); y = f*y + 1; x += int(y)",
	"v, _ := (*(*any)(p)).(int); x += v", "x += len(*(*map[int]int)(p))", "x += len(*(*chan int)(p))",
	"reflect.NewAt(reflect.TypeFor[int](), p).Elem().SetInt(int64(x))", "x += int(reflect.NewAt(reflect.TypeFor[int](), p).Elem().Int())",
}

// faultWork is charged work before and after an access.
var faultWork = []string{"", "x ^= i", "x = x*3 + i", "if x&1 == 0 { x += 7 }", "for k := range i & 3 { x += k }", "x += small(x)", "x += large1(x)",
	"names[\"a\"] = x", "good[i&7]++", "sink = append(sink[:0], x)", "x += sink[0]", "if i == 2 { defer done() }"}

// faultLibrary is a library with a function for each access, which takes the address.
func faultLibrary(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 33))
	var b strings.Builder
	b.WriteString(`package g

import ("errors"; "os"; "reflect"; "strings"; "sync/atomic"; "unsafe")

var (
	good, large = make([]byte, 64), make([]byte, 5000)
	names = map[string]int{}
	sink = make([]int, 1, 4)
	fail = errors.New("x")
	_ = os.Stdout; _ = reflect.TypeFor[int]; _ = strings.Count; _ atomic.Int32
)

const n = 40

type record struct {
	a, b bool
	n    int
	f    float64
	list []int
}

func done() { sink[0]++ }
func small(x int) int { return x&3 + good0() }
func good0() int { return int(good[0]) }

//go:noinline
func large1(x int) int { s := 0; for i := range x & 15 { s += i }; return s }
`)
	for k, access := range faultAccesses {
		work := func() string {
			var list []string
			for range r.IntN(4) {
				list = append(list, "\t\t"+faultWork[r.IntN(len(faultWork))]+"\n")
			}
			return strings.Join(list, "")
		}
		// The access is to a valid object until the last iteration.
		fmt.Fprintf(&b, `
func F%d(at uintptr) (x int) {
	object := &[256]int{}
	for i := range %d {
		a := uintptr(unsafe.Pointer(object))
		if i == %d { a = at }
		p := *(*unsafe.Pointer)(unsafe.Pointer(&a))
%s		if i >= %d {
			%s
		}
%s	}
	return x
}
`, k, 3+k%5, 2+k%3, work(), r.IntN(2)*(2+k%3), strings.ReplaceAll(access, "; ", "\n\t\t\t"), work())
	}
	return b.String()
}

// faultAddresses are addresses at which a guest has no memory, by class.
var faultAddresses = []struct {
	at    uint64
	class gyr.FaultClass
}{
	{0, gyr.FaultLow}, {8, gyr.FaultLow}, {0xff00, gyr.FaultLow}, {0x3f00000, gyr.FaultOutside}, {0x3f00ffc, gyr.FaultOutside}, {0x80000001, gyr.FaultOutside},
	{0xfffffffd, gyr.FaultOutside}, {0x7fff_0000_0000_0010, gyr.FaultLow},
}

// TestFaults: a guest that accesses memory that it does not have ends with the same error, of one
// type, at the same place, with the same gas: in both tiers, every time, with and without profiles,
// counters and passes of phase B.
func TestFaults(t *testing.T) {
	daily.Turn(t, 3, false)
	type mode struct {
		name string
		cfg  gyr.Config
	}
	var modes []mode
	for _, tier := range []gyr.Tier{gyr.TierNative, gyr.TierInterp} {
		modes = append(modes, mode{string(tier), gyr.Config{Tier: tier}}, mode{string(tier) + " again", gyr.Config{Tier: tier}})
	}
	modes = append(modes,
		mode{"gas profile", gyr.Config{Profiles: gyr.GasProfile}}, mode{"all profiles", gyr.Config{Profiles: gyr.GasProfile | gyr.MemProfile | gyr.CPUProfile}},
		mode{"CPU profile", gyr.Config{Profiles: gyr.CPUProfile}},
		mode{"counts", gyr.Config{Tier: gyr.TierInterp, Debug: map[string]string{"opstats": ""}}})
	faults, classes := 0, map[gyr.FaultClass]int{}
	for seed := uint64(5); seed < 5+uint64(*faultSeeds); seed++ { // 6 has a fault that a dropped store hid
		source := faultLibrary(seed)
		first := map[string]string{}
		for i, nopass := range []string{"", "gas", "gvn,loads,moves,combine", "phaseb"} {
			var set gyr.CompileDebug
			if nopass != "" {
				set.NoPass = strings.Split(nopass, ",")
			}
			p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module g\n\ngo 1.26\n")},
				"g.go": {Data: []byte(source)}}, Exports: true, Unsafe: gyr.UnsafeAll}, &gyr.CompileOptions{Debug: set})
			if err != nil {
				t.Fatalf("%v\n%s", err, source)
			}
			for j, m := range modes {
				if i > 0 && j%2 != 0 {
					continue
				}
				m.cfg.Memory, m.cfg.Gas, m.cfg.Stdout = 64<<20, 50_000_000, io.Discard
				in, err := p.NewInstance(context.Background(), m.cfg)
				if err != nil {
					t.Fatalf("%s: %v", m.name, err)
				}
				for k, access := range faultAccesses {
					for _, a := range faultAddresses {
						_, err := in.Call(context.Background(), fmt.Sprint("F", k), uintptr(a.at))
						var fault *gyr.MemoryFaultError
						said := fmt.Sprint(err, " gas ", in.Stats().Gas)
						at := fmt.Sprintf("seed %d, %s at %#x", seed, access, a.at)
						switch {
						case errors.As(err, &fault):
							faults++
							classes[fault.Class]++
							if !gyr.Reproducible(err) || fault.Line == 0 {
								t.Errorf("%s, %s: %v", at, m.name, err)
							}
						case errors.As(err, new(*gyr.InternalError)):
							t.Errorf("%s, %s: %v", at, m.name, err)
						}
						if was, ok := first[at]; !ok {
							first[at] = said
						} else if was != said {
							t.Errorf("%s:\n\t%s\nwith %s, without %q:\n\t%s", at, was, m.name, nopass, said)
						}
						if err := in.Reset(m.cfg); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := in.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if faults < 100*(*faultSeeds) || classes[gyr.FaultLow] == 0 || classes[gyr.FaultOutside] == 0 {
		t.Errorf("%d faults, %v", faults, classes)
	}
	t.Logf("%d faults, %v", faults, classes)
}

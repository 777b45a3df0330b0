//go:build unix

package hostile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var (
	crossings = flag.Int("crossing", 60, "cases of TestCrossing, or a few more")
	crossSeed = daily.Seed("seed", "what TestCrossing draws with")
)

const (
	crossKinds   = 8                      // types of a program
	crossBatch   = 240                    // cases of a program
	crossFactor  = 30                     // limit of a unit's time, in units of a loop
	crossFree    = 300 * time.Microsecond // what a call may take in addition
	crossEnd     = 10 * time.Millisecond  // what the end of an instance may take in addition
	crossLate    = 50 * time.Millisecond  // how long a run may continue after its deadline
	crossHeap    = 8 << 20                // bytes of the host that a program with its cases may leave allocated
	crossGas     = 1 << 40
	crossMeasure = 2 * time.Millisecond // for shorter times a factor says little
)

// A crossing is one program with its types, in all tiers.
type crossing struct {
	t     *testing.T
	p     *gyr.Program
	kinds []reflect.Type
	held  []reflect.Type
	sides []*side
	now   *side // the side whose host functions are called now
	worst map[string]float64
	late  time.Duration // the worst delay
	kept  int           // how many deadlines were met
}

// A side is an instance of the program.
type side struct {
	c    *crossing
	tier gyr.Tier
	in   *gyr.Instance
	unit float64 // nanoseconds of a unit of gas in a loop
	fns  map[string]reflect.Value

	// Of the current case:
	ctx     context.Context
	opts    gyr.CallOptions
	size    int
	value   reflect.Value // the host's
	failure error
	got     reflect.Value
	gas     int64
}

// A crossCase is a value to send.
type crossCase struct {
	way  *crossWay
	kind int
	seed uint64
	size int
}

// A crossOutcome is the result of sending it.
type crossOutcome struct {
	gas int64
	end string
	sum uint64
	cpu time.Duration
	len time.Duration
}

func (s *side) call(name string, args ...any) ([]any, error) {
	list, stats, err := s.in.CallWith(s.ctx, s.opts, name, args...)
	s.gas = stats.Gas
	return list, err
}

// bound calls a bound function of a name.
func (s *side) bound(name string, args []reflect.Value, results ...reflect.Type) (reflect.Value, error) {
	f, ok := s.fns[name]
	if !ok {
		in := []reflect.Type{reflect.TypeFor[context.Context](), reflect.TypeFor[gyr.CallOptions]()}
		for _, x := range args {
			in = append(in, x.Type())
		}
		fn := reflect.New(reflect.FuncOf(in, append(slices.Clone(results), reflect.TypeFor[gyr.CallStats](), reflect.TypeFor[error]()), false))
		if err := s.in.Bind(context.Background(), name, fn.Interface()); err != nil {
			return reflect.Value{}, err
		}
		f = fn.Elem()
		s.fns[name] = f
	}
	out := f.Call(append([]reflect.Value{reflect.ValueOf(&s.ctx).Elem(), reflect.ValueOf(s.opts)}, args...))
	n := len(results)
	s.gas = out[n].Interface().(gyr.CallStats).Gas
	if err, _ := out[n+1].Interface().(error); err != nil || n == 0 {
		return reflect.Value{}, err
	}
	return out[0], nil
}

// processorTime is the process's processor time.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measureUnit measures the time of a unit of gas in a loop.
func (s *side) measureUnit() {
	s.ctx, s.opts = context.Background(), gyr.CallOptions{}
	best := math.Inf(1)
	for range 3 {
		before := processorTime()
		if _, err := s.call("Loop", 500_000); err != nil {
			s.c.t.Fatal(err)
		}
		best = min(best, float64(processorTime()-before)/float64(s.gas))
	}
	s.unit = best
}

// reset makes the instance as new.
func (s *side) reset() {
	cfg := gyr.Config{Tier: s.tier, Gas: crossGas, Memory: 256 << 20, Stdout: new(output), Stderr: new(output)}
	err := gyr.ErrBusy
	for end := time.Now().Add(10 * time.Second); errors.Is(err, gyr.ErrBusy) && time.Now().Before(end); {
		if s.in == nil {
			s.in, err = s.c.p.NewInstance(context.Background(), cfg)
		} else {
			err = s.in.Reset(cfg)
		}
	}
	if err != nil {
		s.c.t.Fatal(err)
	}
}

// prepare makes the value.
func (s *side) prepare(x crossCase) error {
	s.ctx, s.opts, s.size = context.Background(), gyr.CallOptions{}, x.size
	s.value, s.failure, s.got = reflect.Value{}, nil, reflect.Value{}
	if !x.way.enters {
		_, err := s.call(fmt.Sprint("Make", x.kind), x.seed, x.size)
		return err
	}
	d := newDrawer(x.seed, s.c.held)
	d.host = true
	d.opaque = func(v reflect.Value) { v.Set(reflect.ValueOf(gyr.NewHandle(&objects[d.upTo(len(objects))]))) }
	v := reflect.New(s.c.kinds[x.kind]).Elem()
	d.fill(v, x.size, 0)
	s.value, s.failure = v, d.failure(x.size)
	_, err := s.call("Drop")
	return err
}

var objects [10]object

// send sends the value.
func (s *side) send(x crossCase, ctx context.Context, opts gyr.CallOptions) (o crossOutcome) {
	s.ctx, s.opts, s.c.now, s.gas = ctx, opts, s, 0
	var was uint64
	if s.value.IsValid() {
		was = digest(s.value, digestParts)
	}
	begin, cpu := time.Now(), processorTime()
	got, err := x.way.run(s, x.kind)
	o.cpu, o.len = processorTime()-cpu, time.Since(begin)
	o.gas = s.gas
	if err != nil {
		o.end = err.Error()
	}
	s.harmless(x, err)
	if got.IsValid() {
		o.sum = digest(got, digestParts)
	}
	if s.value.IsValid() {
		if digest(s.value, digestParts) != was {
			s.c.t.Errorf("%v: the host's value has changed", x)
		}
		if err == nil && strings.Contains(x.way.name, "there and back") && o.sum != was {
			s.c.t.Errorf("%v, %s: another value came back", x, s.tier)
		}
	}
	return o
}

// harmless checks that an error is one that a guest may cause.
func (s *side) harmless(x crossCase, err error) {
	var internal *gyr.InternalError
	var crash *gyr.HostPanicError
	if errors.As(err, &internal) || errors.As(err, &crash) {
		s.c.t.Errorf("%v, %s: %v", x, s.tier, err)
	}
}

func (x crossCase) String() string {
	return fmt.Sprintf("%s of type %d, %d parts, drawn with %d", x.way.name, x.kind, x.size, x.seed)
}

const digestParts = 3000

var digestSeed = maphash.MakeSeed()

// digest is a number for a value, computed from about n of its parts, that its copies have too.
func digest(v reflect.Value, n int) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	write := func(x uint64) { maphash.WriteComparable(&h, x) }
	if !v.IsValid() || v.Type().Size() == 0 || n <= 0 {
		return 0
	}
	switch x := v.Interface().(type) {
	case time.Time:
		name, offset := x.Zone()
		return maphash.Comparable(digestSeed, fmt.Sprint(x.Unix(), x.Nanosecond(), name, offset))
	case error:
		return maphash.String(digestSeed, x.Error())
	case gyr.Handle[*object]:
		return maphash.Comparable(digestSeed, x.Value())
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		write(floatBits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		write(floatBits(real(v.Complex())))
		write(floatBits(imag(v.Complex())))
	case reflect.String:
		return maphash.String(digestSeed, v.String())
	case reflect.Slice, reflect.Array:
		write(uint64(v.Len()))
		for i := range min(v.Len(), n) {
			write(digest(v.Index(i), n/min(v.Len(), n)-1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			write(digest(v.Field(i), n/v.NumField()))
		}
	case reflect.Pointer, reflect.Interface:
		write(uint64(boolBit(v.IsNil())))
		write(digest(v.Elem(), n-1))
	case reflect.Map:
		sum := uint64(v.Len())
		if v.Len() <= n {
			for it := v.MapRange(); it.Next(); {
				k, e := digest(it.Key(), n/v.Len()-1), digest(it.Value(), n/v.Len()-1)
				sum += maphash.Comparable(digestSeed, [2]uint64{k, e})
			}
		}
		write(sum)
	default:
		return maphash.Comparable(digestSeed, v.Interface())
	}
	return h.Sum64()
}

func floatBits(x float64) uint64 {
	if x != x {
		return 1 // any of them
	}
	return math.Float64bits(x)
}

func boolBit(x bool) int {
	if x {
		return 1
	}
	return 0
}

// newCrossing makes a program with random types, or returns nil if they are larger than a program's
// may be.
func newCrossing(t *testing.T, r *rand.Rand) *crossing {
	c := &crossing{t: t, worst: map[string]float64{}, held: slices.Clone(heldTypes)}
	var guest, host strings.Builder
	names, err := os.ReadFile("crossnames_test.go")
	if err != nil {
		t.Fatal(err)
	}
	host.WriteString(strings.Replace(string(names), "package hostile", "package host", 1) + "\ntype Object struct{ number uint64 }\n")
	guest.WriteString("package guest\n\nimport (\n\"reflect\"\n\"time\"\n\"example.com/host\"\n)\n\nvar _ time.Time\nvar _ host.Node\nvar kept any\nvar failure error\n" +
		"func Loop(n int) (x int) { for i := range n { x = x*3 ^ i }; return x }\n\n" +
		"func draw(seed uint64, n int, p any) {\n\td := newDrawer(seed, held)\n\td.fill(reflect.ValueOf(p).Elem(), n, 0)\n\tfailure = d.failure(n)\n}\n\n")
	for k := range crossKinds {
		c.kinds = append(c.kinds, typeDrawer{r}.draw(4, false))
		fmt.Fprintf(&guest, "type K%d = %s\nvar v%[1]d K%[1]d\nfunc Make%[1]d(seed uint64, n int) { draw(seed, n, &v%[1]d) }\n", k, goText(c.kinds[k], "host."))
	}
	c.held = append(c.held, c.kinds...)
	guest.WriteString("func Drop() {\n\tkept, failure = nil, nil\n")
	for k := range c.kinds {
		guest.WriteString(numbered("\t{ var x K#; v# = x }\n", k))
	}
	guest.WriteString("}\n\nvar held = []reflect.Type{\n")
	for _, t := range c.held {
		fmt.Fprintf(&guest, "\treflect.TypeFor[%s](),\n", goText(t, "host."))
	}
	guest.WriteString("}\n")
	funcs := map[string]any{}
	for i := range crossWays {
		w := &crossWays[i]
		for k, t := range c.kinds {
			if !w.once || k == 0 {
				guest.WriteString(numbered(w.guest, k) + "\n")
				host.WriteString(strings.ReplaceAll(numbered(w.host, k), fmt.Sprint("K", k), goText(t, "")) + "\n")
			}
		}
		w.funcs(c, funcs)
	}
	values, err := os.ReadFile("crossvalues_test.go")
	if err != nil {
		t.Fatal(err)
	}
	c.p, err = gyr.Compile(context.Background(), gyr.Source{Exports: true, FS: fstest.MapFS{
		"go.mod": {Data: []byte("module guest\n\ngo 1.26\n")}, "main.go": {Data: []byte(guest.String())},
		"values.go": {Data: []byte(strings.Replace(string(values), "package hostile", "package guest", 1))},
	}}, &gyr.CompileOptions{Host: []gyr.HostPackage{{Path: "example.com/host", Source: host.String(), Funcs: funcs}}})
	if errors.As(err, new(*gyr.CompileLimitError)) {
		return nil
	}
	if err != nil {
		t.Fatalf("%v\n%s", brief(err.Error()), guest.String())
	}
	return c
}

// open makes the instances.
func (c *crossing) open() {
	c.sides = nil
	for _, tier := range tiers() {
		s := &side{c: c, tier: tier, fns: map[string]reflect.Value{}}
		s.reset()
		s.measureUnit()
		c.sides = append(c.sides, s)
	}
}

func (c *crossing) close() {
	for _, s := range c.sides {
		if err := s.in.Close(); err != nil {
			c.t.Error(err)
		}
	}
	c.sides, c.now = nil, nil
}

func (c *crossing) reset() {
	for _, s := range c.sides {
		s.reset()
	}
}

// try tries a case in all tiers. With r it sometimes tries it again with less gas, or less time,
// than it takes.
func (c *crossing) try(x crossCase, r *rand.Rand) {
	hurry, part, starve, share := false, 0.0, false, 0.0
	if r != nil {
		hurry, part, starve, share = r.IntN(4) == 0, r.Float64(), r.IntN(4) == 0, r.Float64()
	}
	var list []crossOutcome
	for _, s := range c.sides {
		o, made := c.attempt(s, x, gyr.CallOptions{})
		if !made {
			c.reset()
			return
		}
		list = append(list, o)
	}
	first := list[0]
	for i, o := range list {
		if x.way.enters && o.end != "" && first.end != "" {
			break // the order of its maps decides which part of a host value is refused
		}
		if o.gas != first.gas || o.end != first.end || o.sum != first.sum {
			c.t.Errorf("%v: %s: %d units, %.300s, %x\n%s: %d units, %.300s, %x", x, c.sides[0].tier, first.gas, first.end, first.sum, c.sides[i].tier, o.gas, o.end, o.sum)
		}
	}
	if first.end != "" {
		c.reset()
	}
	for i, o := range list {
		c.judge(c.sides[i], x, o)
		if hurry && o.len > time.Millisecond {
			c.hurry(c.sides[i], x, o, part)
		}
	}
	if starve && first.end == "" && first.gas > 1000 {
		c.starve(x, 1+int64(share*float64(first.gas-1)))
	}
}

// attempt prepares and sends; it returns false if the value could not be made.
func (c *crossing) attempt(s *side, x crossCase, opts gyr.CallOptions) (crossOutcome, bool) {
	if err := s.prepare(x); err != nil {
		s.harmless(x, err)
		return crossOutcome{}, false
	}
	return s.send(x, context.Background(), opts), true
}

// again attempts a case again, without a running collector of the host.
func (c *crossing) again(s *side, x crossCase) (crossOutcome, bool) {
	s.reset()
	s.measureUnit()
	if err := s.prepare(x); err != nil {
		return crossOutcome{}, false
	}
	runtime.GC()
	o := s.send(x, context.Background(), gyr.CallOptions{})
	if o.end == "" { // the first call of a function reads its types
		o = s.send(x, context.Background(), gyr.CallOptions{})
	}
	return o, true
}

// judge compares the time of a case with its gas. It measures a case again that seems bad or is the
// worst of its kind, since the machine may have been busy.
func (c *crossing) judge(s *side, x crossCase, o crossOutcome) {
	key := x.way.name + ", " + string(s.tier)
	factor := func(o crossOutcome) float64 { return float64(o.cpu) / (float64(o.gas+1) * s.unit) }
	free := crossFree
	if o.end != "" {
		if x.way.enters {
			return // a host value that does not cross or fit is the host's own mistake
		}
		free = crossEnd
	}
	bad := func(o crossOutcome) bool { return float64(o.cpu-free) > crossFactor*s.unit*float64(o.gas) }
	if !bad(o) && (o.cpu < crossMeasure || factor(o) <= c.worst[key]) {
		return
	}
	least := factor(o)
	for n := 0; n < 3 && (bad(o) || o.cpu >= crossMeasure && least > c.worst[key]); n++ {
		next, ok := c.again(s, x)
		if !ok {
			break
		}
		if o.cpu > next.cpu {
			o.cpu, o.gas = next.cpu, next.gas
		}
		least = min(least, factor(o))
	}
	c.reset()
	if bad(o) {
		c.t.Errorf("%v, %s: %v for %d units, %.1f times a loop's (%.2f ns a unit): %.200s\n%.500s", x, s.tier, o.cpu, o.gas, factor(o), s.unit, o.end, c.kinds[x.kind])
	}
	if o.cpu >= crossMeasure {
		c.worst[key] = max(c.worst[key], least)
	}
}

// hurry gives a case a part of the time that it needs.
func (c *crossing) hurry(s *side, x crossCase, o crossOutcome, part float64) {
	late := time.Hour
	defer c.reset()
	for range 3 {
		if s.reset(); s.prepare(x) != nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(part*float64(o.len)))
		end, _ := ctx.Deadline()
		cpu := processorTime()
		s.send(x, ctx, gyr.CallOptions{})
		s.reset() // nothing of it still runs
		used := processorTime() - cpu - time.Duration(part*float64(o.len))
		cancel()
		if late = min(late, time.Since(end), max(0, used)); late <= crossLate {
			break
		}
	}
	if late > crossLate {
		c.t.Errorf("%v, %s: went on for %v behind its deadline; it takes %v\n%.500s", x, s.tier, late, o.len, c.kinds[x.kind])
	} else {
		c.kept++
	}
	c.late = max(c.late, late)
}

// starve gives a case a part of the gas that it needs.
func (c *crossing) starve(x crossCase, gas int64) {
	c.reset()
	var first crossOutcome
	for i, s := range c.sides {
		o, made := c.attempt(s, x, gyr.CallOptions{Gas: gas})
		if !made {
			break
		}
		if o.gas > gas || o.end != "" && o.gas != gas { // a new instance may need less than one that has made calls
			c.t.Errorf("%v, %s: with %d units: %d used, %.200s", x, s.tier, gas, o.gas, o.end)
		}
		if i > 0 && (o.gas != first.gas || o.end != first.end) {
			c.t.Errorf("%v with %d units: %.300s\n%.300s", x, gas, first.end, o.end)
		}
		first = o
	}
	c.reset()
}

// crossSize draws how many parts a value has: few, or many.
func crossSize(r *rand.Rand) int {
	if r.IntN(40) == 0 {
		return 1 << (15 + r.IntN(5))
	}
	return 1 << r.IntN(15)
}

func hostHeap() (bytes uint64, goroutines int) {
	var m runtime.MemStats
	for range 20 {
		runtime.GC()
		if goroutines = runtime.NumGoroutine(); goroutines <= 3 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, goroutines
}

// TestCrossing sends random values of random types on all ways between the host and guests, in all
// tiers. The host's work for them costs gas, and ends with the guest's time.
func TestCrossing(t *testing.T) {
	daily.Turn(t, 3, false)
	daily.Drawn(t, "seed")
	cases, kept, late, worst := 0, 0, time.Duration(0), map[string]float64{}
	begin := processorTime()
	_, goroutines := hostHeap()
	for batch := uint64(0); cases < *crossings && !t.Failed(); batch++ {
		r := rand.New(rand.NewPCG(*crossSeed, batch))
		c := newCrossing(t, r)
		if c == nil {
			continue
		}
		c.open()
		for i := range crossWays {
			for k := range c.kinds {
				c.try(crossCase{&crossWays[i], k, r.Uint64() >> 1, 3}, nil) // for allocations that are made once
			}
		}
		c.close()
		before, _ := hostHeap()
		c.open()
		for range min(crossBatch, *crossings) {
			x := crossCase{&crossWays[r.IntN(len(crossWays))], r.IntN(crossKinds), r.Uint64() >> 1, crossSize(r)}
			c.try(x, r)
		}
		c.close()
		cases += min(crossBatch, *crossings)
		after, running := hostHeap()
		if after > before+crossHeap {
			t.Errorf("batch %d: %d bytes of the host's heap, %d before", batch, after, before)
		}
		if running > goroutines {
			t.Errorf("batch %d: %d goroutines, %d before", batch, running, goroutines)
		}
		for way, x := range c.worst {
			worst[way] = max(worst[way], x)
		}
		kept, late = kept+c.kept, max(late, c.late)
		t.Logf("batch %d: %d cases in %v of processors, heap %+d bytes of %d, %d goroutines", batch, cases, processorTime()-begin, int64(after-before), after, running)
		runtime.KeepAlive(c)
	}
	for _, w := range crossWays {
		for _, tier := range tiers() {
			t.Logf("%-24s %s: %.1f", w.name, tier, worst[w.name+", "+string(tier)])
		}
	}
	t.Logf("%d deadlines kept, the worst by %v", kept, late)
}

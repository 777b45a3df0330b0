//go:build go1.17

package probe

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"sort"
	"strings"
	"time"
	"unicode"
)

// Derived inputs are those of a benchmark or a test with one change each: an element, a bit, the
// length, the order, all elements. Random inputs are small, and have no value that a benchmark's
// input is recognised by. An input that is like the benchmark's, but not the same, tells whether a
// version is right only for the latter.

const (
	derivedTime    = 2 * time.Second // for a function
	mostDerived    = 320             // of an input of a benchmark
	mostDerivedOf  = 120             // of an input of a test
	mostOrigins    = 4               // inputs of benchmarks from which others derive
	mostTests      = 8               // inputs of tests
	mostPositions  = 40              // of a list
	innerPositions = 4               // of a list in a list
	mostElements   = 1 << 17         // of a list that grows
	producedTime   = time.Second     // for a function, with what others return
	mostProducers  = 3               // inputs of another function
	mostProduced   = 40              // inputs that derive from one of these
)

// A change changes one part of a call's arguments. In copies of the same arguments the part is at
// the same path.
type change struct {
	path []int
	do   func(v reflect.Value)
}

// derived calls a function with inputs that derive from those of benchmarks and tests.
func (w *worker) derived(r *Report, c *callee) {
	allowed, n := newBudget(derivedTime), 0
	most := w.limit(r.Name, math.MaxInt32)
	for k, origin := range c.origins {
		limit := mostDerivedOf
		if k < c.benches {
			limit = mostDerived
		}
		d := newDeriver(w, origin, rand.New(rand.NewSource(int64(hash(c.name))+int64(k))))
		for i, x := range d.chosen(limit) {
			if n >= most || !allowed.left() {
				return
			}
			w.enter(r.Name)
			list := cloneAll(origin)
			apply(list[x.path[0]], x.path[1:], x.do)
			if w.observe(r, c, placed(fmt.Sprintf("change %d of ", i), c.place(k)), list) {
				n++
			}
		}
	}
	w.produced(r, c, most-n)
}

// observe makes a call, if its arguments can be told from others.
func (w *worker) observe(r *Report, c *callee, place string, list []reflect.Value) (told bool) {
	before, told := keyOf(place, list)
	out := notCalled
	if !told {
		return false
	}
	if !w.misused(r.Name, before) {
		out = clip(invoke(c.name, c.f, list, c.method, c.rest).out)
	}
	r.Cases = append(r.Cases, Case{before, out})
	return true
}

// produced calls a function with texts and bytes that other functions of the package return, if these
// get inputs like those of benchmarks and tests: a decoder gets what an encoder makes.
func (w *worker) produced(r *Report, c *callee, most int) {
	allowed, n := newBudget(producedTime), 0
	var names []string
	for name := range w.pkg.Functions {
		if name != c.name && !w.skipped(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for i := 0; i < c.f.Type().NumIn(); i++ {
		t := c.f.Type().In(i)
		if !(t.Kind() == reflect.String || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8) || c.method && i == 0 || len(c.origins) == 0 {
			continue
		}
		for _, name := range names {
			p := newCallee(name, w.pkg.Functions[name])
			if p.f.Type().NumOut() == 0 || p.f.Type().NumOut() > 2 || p.f.Type().Out(0) != t {
				continue
			}
			for k, origin := range p.origins[:min(len(p.origins), mostProducers)] {
				d := newDeriver(w, origin, rand.New(rand.NewSource(int64(hash(name))+int64(k))))
				for j, x := range append([]change{{path: []int{-1}}}, d.chosen(mostProduced)...) {
					if n >= min(most, 8*mostProduced) || !allowed.left() {
						return
					}
					w.enter(r.Name)
					args := cloneAll(origin)
					if x.path[0] >= 0 {
						apply(args[x.path[0]], x.path[1:], x.do)
					}
					made := invoke(p.name, p.f, args, p.method, p.rest)
					if made.panicked != "" {
						continue
					}
					list := cloneAll(c.origins[0])
					list[i] = made.results[0]
					if w.observe(r, c, placed(fmt.Sprintf("%s, change %d of ", name, j), c.place(0)), list) {
						n++
					}
				}
			}
		}
	}
}

// apply makes a change at a path in a value.
func apply(v reflect.Value, path []int, do func(v reflect.Value)) {
	if len(path) == 0 {
		do(v)
		return
	}
	switch v.Kind() {
	case reflect.Ptr:
		apply(v.Elem(), path[1:], do)
	case reflect.Interface:
		e := reflect.New(v.Elem().Type()).Elem()
		e.Set(v.Elem())
		apply(e, path[1:], do)
		v.Set(e)
	case reflect.Slice, reflect.Array:
		apply(v.Index(path[0]), path[1:], do)
	case reflect.Struct:
		apply(field(v, path[0]), path[1:], do)
	}
}

// A deriver finds the changes of one input.
type deriver struct {
	w        *worker
	rng      *rand.Rand
	whole    []change // of lengths, orders and all elements
	elements []change
}

func newDeriver(w *worker, origin []reflect.Value, rng *rand.Rand) *deriver {
	d := &deriver{w: w, rng: rng}
	for i, v := range cloneAll(origin) {
		d.value(v, []int{i}, 0)
	}
	return d
}

// chosen are at most so many of the changes, those of whole lists first.
func (d *deriver) chosen(most int) []change {
	some := d.inTurn(d.whole)
	some = some[:min(len(some), most*2/3)]
	all := append(some[:len(some):len(some)], d.inTurn(d.elements)...)
	return all[:min(len(all), most)]
}

// inTurn are the changes in an order in which the arguments take turns, and the parts of each.
func (d *deriver) inTurn(list []change) []change {
	return d.turns(list, func(x change) string { return fmt.Sprint(x.path[0]) }, func(of []change) []change {
		return d.turns(of, func(x change) string { return fmt.Sprint(x.path) }, func(same []change) []change {
			d.rng.Shuffle(len(same), func(i, k int) { same[i], same[k] = same[k], same[i] })
			return same
		})
	})
}

// turns orders each group of changes, and lets the groups take turns.
func (d *deriver) turns(list []change, of func(x change) string, order func(group []change) []change) (out []change) {
	groups, keys := map[string][]change{}, []string{}
	for _, x := range list {
		key := of(x)
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], x)
	}
	d.rng.Shuffle(len(keys), func(i, k int) { keys[i], keys[k] = keys[k], keys[i] })
	for _, key := range keys {
		groups[key] = order(groups[key])
	}
	for i := 0; len(out) < len(list); i++ {
		for _, key := range keys {
			if g := groups[key]; i < len(g) {
				out = append(out, g[i])
			}
		}
	}
	return out
}

func (d *deriver) add(list *[]change, path []int, do func(v reflect.Value)) {
	*list = append(*list, change{append([]int(nil), path...), do})
}

func (d *deriver) inner(v reflect.Value, path []int, i, deep int) {
	d.value(v, append(path[:len(path):len(path)], i), deep+1)
}

func (d *deriver) value(v reflect.Value, path []int, deep int) {
	if !v.CanSet() || deep > depth {
		return
	}
	switch v.Type() {
	case readerType, writerType, errorType, contextType:
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		d.add(&d.elements, path, func(v reflect.Value) { v.SetBool(!v.Bool()) })
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		for _, do := range d.numbers(v, deep > 0) {
			d.add(&d.elements, path, do)
		}
	case reflect.String:
		d.text(v, path, deep)
	case reflect.Slice:
		d.list(v, path, deep)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			d.text(v, path, deep)
			return
		}
		fallthrough
	case reflect.Array:
		for _, i := range d.positions(v.Len(), deep) {
			d.inner(v.Index(i), path, i, deep)
		}
	case reflect.Map:
		d.entries(v, path)
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			d.inner(field(v, i), path, i, deep)
		}
	case reflect.Ptr:
		if ofProbe(v.Type()) || v.IsNil() {
			return
		}
		if deep > 0 && v.Type().Implements(errorType) {
			return // copies of the input share it
		}
		d.add(&d.whole, path, func(v reflect.Value) { v.Set(reflect.Zero(v.Type())) })
		d.inner(v.Elem(), path, 0, deep)
	case reflect.Interface:
		if !v.IsNil() {
			e := reflect.New(v.Elem().Type()).Elem()
			e.Set(v.Elem())
			d.inner(e, path, 0, deep)
		}
	}
}

// positions are some indexes of a list: its ends, its middle, those around numbers in the sources
// and powers of two, and random ones.
func (d *deriver) positions(n, deep int) (list []int) {
	most := mostPositions
	if deep > 0 {
		most = innerPositions
	}
	seen := map[int]bool{}
	add := func(i int) {
		if i >= 0 && i < n && !seen[i] && len(list) < most {
			seen[i] = true
			list = append(list, i)
		}
	}
	for _, i := range []int{0, n - 1, n / 2, n/2 - 1} {
		add(i)
	}
	for _, x := range d.w.order.News {
		if x < mostElements {
			add(int(x))
			add(int(x) - 1)
		}
	}
	for i := 1; i <= 64; i *= 2 {
		add(i)
	}
	for k := 0; k < 2*most && n > 0; k++ {
		add(d.rng.Intn(n))
	}
	for i := 0; i < n && n <= most; i++ {
		add(i)
	}
	return list
}

// lengths are other lengths of a list, up to a multiple of its own.
func (d *deriver) lengths(n int) (list []int) {
	all := []int{0, 1, 2, 3, n / 3, n / 2, n - 1, n + 1, 2 * n, 2*n + 1, 4*n + 3}
	for _, x := range d.w.order.News {
		if x < mostElements {
			all = append(all, int(x)-1, int(x), int(x)+1, 2*int(x)+1)
		}
	}
	seen := map[int]bool{n: true}
	for _, x := range all {
		if x >= 0 && x <= mostElements && !seen[x] && (n > 0 || x == 0) {
			seen[x] = true
			list = append(list, x)
		}
	}
	return list
}

// list has the changes of a slice as a whole.
func (d *deriver) list(v reflect.Value, path []int, deep int) {
	add := func(do func(v reflect.Value)) { d.add(&d.whole, path, do) }
	add(func(v reflect.Value) { v.Set(reflect.Zero(v.Type())) })
	add(func(v reflect.Value) { v.Set(reflect.MakeSlice(v.Type(), 0, 0)) })
	if v.Len() == 0 || deep > 2 {
		return
	}
	for _, n := range d.lengths(v.Len()) {
		n := n
		add(func(v reflect.Value) { v.Set(grown(v, n)) })
	}
	if k := v.Type().Elem().Kind(); k >= reflect.Int && k <= reflect.Float64 {
		sizes := []int{v.Len(), 4*v.Len() + 3}
		for _, x := range d.w.order.News {
			if x > int64(v.Len()) && x < mostElements {
				sizes = append(sizes, 2*int(x)+1)
			}
		}
		for _, n := range sizes {
			n := n
			add(func(v reflect.Value) {
				s := grown(v, n)
				for i := 0; i < n; i++ {
					extreme(s.Index(i))
				}
				v.Set(s)
			})
		}
	}
	n, seed := v.Len(), d.rng.Int63()
	for _, order := range []func(i int) int{
		func(i int) int { return n - 1 - i },
		func(i int) int { return (i + n/2 + 1) % n },
		func(i int) int { return 0 },
		func(i int) int { return i % 2 },
		func(i int) int { return i / 2 },
	} {
		order := order
		add(func(v reflect.Value) { v.Set(permuted(v, order)) })
	}
	add(func(v reflect.Value) {
		p := rand.New(rand.NewSource(seed)).Perm(v.Len())
		v.Set(permuted(v, func(i int) int { return p[i] }))
	})
	if less := lessOf(v); less != nil {
		add(func(v reflect.Value) {
			x, p := lessOf(v), identity(v.Len())
			sort.SliceStable(p, func(i, k int) bool { return x(p[i], p[k]) })
			v.Set(permuted(v, func(i int) int { return p[i] }))
		})
		// A change of each element, or of each seventh.
		for _, do := range d.numbers(v.Index(0), true) {
			do := do
			for _, step := range []int{1, 7} {
				step := step
				add(func(v reflect.Value) {
					for i := 0; i < v.Len(); i += step {
						do(v.Index(i))
					}
				})
			}
		}
	}
}

// extreme gives a number a value whose sums overflow early. Other values stay as they are.
func extreme(v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(math.MaxInt64 >> uint(64-v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(math.MaxUint64 >> uint(64-v.Type().Bits()))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.MaxFloat32)
	}
}

// grown is a copy of a slice with another length; it repeats the elements.
func grown(v reflect.Value, n int) reflect.Value {
	s := reflect.MakeSlice(v.Type(), n, n)
	for i := 0; i < n; i++ {
		x := v.Index(i % v.Len())
		if i >= v.Len() && holds(x.Type()) {
			x = cloneAll([]reflect.Value{x})[0]
		}
		s.Index(i).Set(x)
	}
	return s
}

func permuted(v reflect.Value, order func(i int) int) reflect.Value {
	s := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := 0; i < v.Len(); i++ {
		s.Index(i).Set(v.Index(min(order(i), v.Len()-1)))
	}
	return s
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

// lessOf compares the elements of a slice of numbers; nil for others.
func lessOf(v reflect.Value) func(i, k int) bool {
	switch v.Type().Elem().Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(i, k int) bool { return v.Index(i).Int() < v.Index(k).Int() }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(i, k int) bool { return v.Index(i).Uint() < v.Index(k).Uint() }
	case reflect.Float32, reflect.Float64:
		return func(i, k int) bool { return v.Index(i).Float() < v.Index(k).Float() }
	}
	return nil
}

// Whole numbers above large are values, not sizes. Smaller ones may be sizes, so they do not grow
// much.
const large = 1 << 20

// numbers are the changes of a number. An element of something is less likely a size.
func (d *deriver) numbers(v reflect.Value, element bool) (list []func(v reflect.Value)) {
	news := d.w.order.News
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		set := func(x int64) {
			list = append(list, func(v reflect.Value) {
				if !v.OverflowInt(x) {
					v.SetInt(x)
				}
			})
		}
		for _, x := range []int64{0, 1, -1} {
			set(x)
		}
		for _, x := range news {
			set(x - 1)
			set(x)
			set(x + 1)
			set(-x)
		}
		list = append(list, func(v reflect.Value) { v.SetInt(v.Int() + 1) }, func(v reflect.Value) { v.SetInt(v.Int() - 1) },
			func(v reflect.Value) { v.SetInt(-v.Int()) })
		bits, x := 5, v.Int()
		for x > 0 && x>>uint(bits) > 0 {
			bits++
		}
		if x >= large || x <= -large {
			bits = v.Type().Bits() - 1
		}
		for i := 0; i <= min(bits, v.Type().Bits()-1); i++ {
			i := uint(i)
			list = append(list, func(v reflect.Value) { v.SetInt(v.Int() ^ 1<<i) })
		}
		if size := v.Type().Bits(); size != 32 && element {
			set(math.MaxInt64 >> uint(64-size))
			set(math.MinInt64 >> uint(64-size))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		for _, x := range append([]int64{0, 1}, news...) {
			if x := uint64(x); !v.OverflowUint(x) {
				list = append(list, func(v reflect.Value) { v.SetUint(x) }, func(v reflect.Value) { v.SetUint(x + 1) })
			}
		}
		bits := 5
		for v.Uint()>>uint(bits) > 0 {
			bits++
		}
		if v.Uint() >= large {
			bits = v.Type().Bits() - 1
		}
		for i := 0; i <= min(bits, v.Type().Bits()-1); i++ {
			i := uint(i)
			list = append(list, func(v reflect.Value) { v.SetUint(v.Uint() ^ 1<<i) })
		}
		if size := v.Type().Bits(); size != 32 && element {
			list = append(list, func(v reflect.Value) { v.SetUint(math.MaxUint64 >> uint(64-size)) })
		}
	case reflect.Float32, reflect.Float64:
		for _, x := range append([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 0.1, 1, -1e300, 5e-324, 1 << 53}, d.w.order.Floats...) {
			x := x
			list = append(list, func(v reflect.Value) { v.SetFloat(x) })
		}
		for _, x := range news {
			x := float64(x)
			list = append(list, func(v reflect.Value) { v.SetFloat(x) })
		}
		list = append(list, func(v reflect.Value) { v.SetFloat(-v.Float()) }, func(v reflect.Value) { v.SetFloat(v.Float() / 3) },
			func(v reflect.Value) { v.SetFloat(v.Float() + 0.1) })
		for _, bit := range []uint{0, 1, 28, 29, 51, 52, 62} {
			bit := bit
			list = append(list, func(v reflect.Value) {
				v.SetFloat(math.Float64frombits(math.Float64bits(v.Float()) ^ 1<<bit))
			})
		}
	case reflect.Complex64, reflect.Complex128:
		list = append(list, func(v reflect.Value) { v.SetComplex(-v.Complex()) }, func(v reflect.Value) { v.SetComplex(0) },
			func(v reflect.Value) { v.SetComplex(complex(math.NaN(), 1)) })
	}
	return list
}

// letters take the place of others in a text.
var letters = []string{"\x00", "\n", " ", "\"", "\\", "\x7f", "\x80", "\xff", "0", "z", "A", ",", ".", "µ", "世", "\u2028", ""}

// kinds are characters beyond ASCII, one of each kind that package unicode tells apart. What is
// neither an upper nor a lower letter can have another case, and what is no digit can be a number.
var kinds = []string{"ǅⅳⓐß", "ᾈⅣⒶϒ", "\u00a0\u2028\u0085\u0080", "٣²Àà", "ª\u0301\u0345\u00ad", "«¢"}

// text has the changes of a string, or of bytes.
func (d *deriver) text(v reflect.Value, path []int, deep int) {
	of := func(v reflect.Value) string {
		if v.Kind() == reflect.String {
			return v.String()
		}
		return string(v.Bytes())
	}
	add := func(list *[]change, text func(s string) string) {
		d.add(list, path, func(v reflect.Value) {
			s := text(of(v))
			if v.Kind() == reflect.String {
				v.SetString(s)
			} else {
				v.Set(reflect.ValueOf([]byte(s)).Convert(v.Type()))
			}
		})
	}
	n := len(of(v))
	if v.Kind() == reflect.String {
		for _, k := range append([]int{0}, d.lengths(n)...) {
			k := k
			add(&d.whole, func(s string) string {
				b := make([]byte, 0, k)
				for s != "" && len(b) < k {
					b = append(b, s...)
				}
				return string(b[:min(k, len(b))])
			})
		}
	}
	for _, do := range []func(s string) string{folded, strings.ToUpper, strings.ToLower} {
		add(&d.whole, do)
	}
	for _, some := range append([]string{strings.Join(kinds, "")}, kinds...) {
		some, at := some, d.rng.Intn(n+1)
		add(&d.whole, func(s string) string { return s[:at] + some + s[at:] })
	}
	for _, word := range d.w.order.Words {
		word, at := word, d.rng.Intn(n+1)
		add(&d.whole, func(string) string { return word })
		add(&d.whole, func(s string) string { return s + word })
		add(&d.whole, func(s string) string { return word + s })
		add(&d.elements, func(s string) string { return s[:at] + word + s[at:] })
	}
	for _, i := range d.positions(n, deep) {
		i := i
		for _, c := range letters {
			c := c
			add(&d.elements, func(s string) string { return s[:i] + c + s[i+1:] })
		}
		for bit := uint(0); bit < 8; bit++ {
			bit := bit
			add(&d.elements, func(s string) string { return s[:i] + string([]byte{s[i] ^ 1<<bit}) + s[i+1:] })
		}
		add(&d.elements, func(s string) string { return s[:i] + s[i:i+1] + s[i:] })
		add(&d.elements, func(s string) string { return s[:i] + folded(s[i:min(i+4, len(s))]) + s[min(i+4, len(s)):] })
		add(&d.elements, func(s string) string { return s[:i] })
		add(&d.elements, func(s string) string { return s[i:] })
	}
}

// folded has other letters of the same case folding: the Kelvin sign for a k, for example, whose
// length differs.
func folded(s string) string { return strings.Map(unicode.SimpleFold, s) }

// entries has the changes of a map: none, and one entry less or with another value.
func (d *deriver) entries(v reflect.Value, path []int) {
	d.add(&d.whole, path, func(v reflect.Value) { v.Set(reflect.Zero(v.Type())) })
	for i := 0; i < min(v.Len(), mostPositions); i++ {
		i := i
		d.add(&d.elements, path, func(v reflect.Value) { v.SetMapIndex(sortedMapKeys(v)[i], reflect.Value{}) })
		d.add(&d.elements, path, func(v reflect.Value) {
			k := sortedMapKeys(v)[i]
			e := reflect.New(v.Type().Elem()).Elem()
			e.Set(v.MapIndex(k))
			alter(e, 0, map[uintptr]bool{}, false)
			v.SetMapIndex(k, e)
		})
	}
}

func sortedMapKeys(v reflect.Value) []reflect.Value {
	keys := v.MapKeys()
	texts := make([]string, len(keys))
	order := identity(len(keys))
	for i, k := range keys {
		texts[i] = show([]reflect.Value{k}, true)
	}
	sort.Slice(order, func(i, k int) bool { return texts[order[i]] < texts[order[k]] })
	out := make([]reflect.Value, len(keys))
	for i, k := range order {
		out[i] = keys[k]
	}
	return out
}

package hostile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// Values that cross. Host and guests share this file, so both draw the same values. It imports nothing of package gyr and exports
// nothing.

// A drawer draws values.
type drawer struct {
	state   uint64
	held    []reflect.Type        // what an any may hold, in keys only the first heldInKeys
	keys    int                   // that are around what is drawn
	host    bool                  // draws for the host, whose errors say no more than their parts
	opaque  func(v reflect.Value) // sets what has no exported fields; nil: nothing does
	shared  map[reflect.Type]reflect.Value
	failing []error
	places  []*time.Location
}

func (d *drawer) uint64() uint64 {
	d.state ^= d.state << 13
	d.state ^= d.state >> 7
	d.state ^= d.state << 17
	return d.state * 0x2545f4914f6cdd1d
}

func (d *drawer) upTo(n int) int  { return int(d.uint64() >> 1 % uint64(max(1, n))) }
func (d *drawer) one(in int) bool { return d.upTo(in) == 0 }

// newDrawer returns a drawer whose anys hold values of some types.
func newDrawer(seed uint64, held []reflect.Type) *drawer {
	d := &drawer{state: seed*2 + 0x9e3779b97f4a7c15, held: held, shared: map[reflect.Type]reflect.Value{}}
	for range 8 {
		d.uint64()
	}
	return d
}

const (
	heldInKeys  = 4
	maxNesting  = 24   // references in one another
	maxDistinct = 2000 // elements of a slice, and entries of a map, that are drawn one by one
)

// fill sets v to a value of about n parts.
func (d *drawer) fill(v reflect.Value, n, depth int) {
	t := v.Type()
	if t.Size() == 0 || n < 0 || depth > maxNesting {
		return
	}
	switch t {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(d.time(n)))
		return
	case reflect.TypeFor[error]():
		if err := d.failure(n); err != nil {
			v.Set(reflect.ValueOf(err))
		}
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(d.one(2))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(d.uint64() >> d.upTo(64)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(d.uint64() >> d.upTo(64))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(d.float())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(d.float(), d.float()))
	case reflect.String:
		v.SetString(strings.Repeat(string(rune('a'+d.upTo(26))), d.length(8*n)) + fmt.Sprint(d.upTo(1000)))
	case reflect.Slice:
		d.slice(v, n, depth)
	case reflect.Array:
		d.elements(v, n, depth)
	case reflect.Struct:
		if t.NumField() == 0 || t.Field(0).PkgPath != "" {
			if d.opaque != nil && t.NumField() > 0 {
				d.opaque(v)
			}
			return
		}
		for i := range t.NumField() {
			d.fill(v.Field(i), n/t.NumField(), depth)
		}
	case reflect.Pointer:
		if x, ok := d.shared[t]; ok && d.one(2) {
			v.Set(x)
		} else if n > 0 && !d.one(8) {
			x := reflect.New(t.Elem())
			d.fill(x.Elem(), n-1, depth+1)
			v.Set(x)
			d.shared[t] = x
		}
	case reflect.Map:
		d.entries(v, n, depth)
	case reflect.Interface:
		if n > 0 && !d.one(8) {
			held := d.held
			if d.keys > 0 {
				held = held[:heldInKeys]
			}
			x := reflect.New(held[d.upTo(len(held))]).Elem()
			d.fill(x, n-1, depth+1)
			v.Set(x)
		}
	}
}

// length is a length of at most n: often n, or nothing.
func (d *drawer) length(n int) int {
	switch d.upTo(4) {
	case 0:
		return d.upTo(4)
	case 1:
		return d.upTo(n + 1)
	}
	return n
}

// count says how many elements share n parts, and how many parts each has.
func (d *drawer) count(n int, t reflect.Type) (count, each int) {
	if k := t.Kind(); k <= reflect.Complex128 {
		return d.length(8 * n / int(max(1, t.Size()))), 1
	}
	switch d.upTo(3) {
	case 0:
		count = d.upTo(8)
	case 1:
		count = int(math.Sqrt(float64(n)))
	default:
		count = n / 4
	}
	return min(count, 1<<30/max(1, int(t.Size()))), n / max(1, count)
}

func (d *drawer) slice(v reflect.Value, n, depth int) {
	if d.one(8) {
		return
	}
	count, each := d.count(n, v.Type().Elem())
	v.Set(reflect.MakeSlice(v.Type(), count, count))
	d.elements(v, each*count, depth+1)
}

// elements fills those of an array or slice. The last of many are copies of the first.
func (d *drawer) elements(v reflect.Value, n, depth int) {
	count := v.Len()
	if v.Type().Elem().Size() == 0 || count == 0 {
		return
	}
	distinct := min(count, 1+n, maxDistinct)
	if v.Type().Elem().Kind() <= reflect.Complex128 {
		distinct = min(distinct, 64)
	}
	for i := range distinct {
		d.fill(v.Index(i), n/count, depth)
	}
	for ; distinct < count; distinct *= 2 {
		reflect.Copy(v.Slice(distinct, count), v.Slice(0, distinct))
	}
}

func (d *drawer) entries(v reflect.Value, n, depth int) {
	if n == 0 || d.one(8) {
		return
	}
	count, each := d.count(n, v.Type())
	count = min(count, maxDistinct)
	v.Set(reflect.MakeMap(v.Type()))
	var keys []reflect.Value
	for range count {
		k, e := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		d.keys++
		d.fill(k, each/2, depth+1)
		d.keys--
		d.fill(e, each/2, depth+1)
		v.SetMapIndex(k, e)
		keys = append(keys, k)
	}
	if d.one(4) { // it was larger once
		for _, k := range keys[:count*7/8] {
			v.SetMapIndex(k, reflect.Value{})
		}
	}
}

// float is a number, or now and then none.
func (d *drawer) float() float64 {
	switch d.upTo(1000) {
	case 0:
		return math.NaN()
	case 1:
		return math.Inf(1)
	}
	return math.Float64frombits(d.uint64() &^ (1 << 62))
}

// failure is an error: new, wrapped, joined, shared.
func (d *drawer) failure(n int) error {
	if k := len(d.failing); k > 0 && d.one(2) {
		return d.failing[d.upTo(k)]
	}
	err := errors.New(strings.Repeat("e", d.length(4*n)))
	switch kind := d.upTo(6); {
	case kind == 0:
		return nil
	case kind == 1:
		for range d.upTo(min(n, 20)) {
			err = fmt.Errorf("%d: %w", d.upTo(10), err)
		}
	case kind == 2:
		var list []error
		for i := range d.upTo(min(n, 50)) {
			if !d.host || i == 0 { // a joined error makes its text anew each time
				list = append(list, err)
			}
			list = append(list, errors.New("another"))
		}
		if err = errors.Join(list...); err == nil {
			return nil
		}
	case kind == 3 && !d.host:
		for range d.upTo(10) {
			if len(err.Error()) < 1<<16 {
				err = errors.Join(err, err)
			}
		}
	}
	d.failing = append(d.failing, err)
	return err
}

// time is a time in one of a few zones: before their changes, between them and after them.
func (d *drawer) time(n int) time.Time {
	x := time.Unix(int64(d.uint64()>>d.upTo(64))>>28-1<<34, int64(d.upTo(1e9))).UTC()
	if d.one(2) {
		return x
	}
	if len(d.places) == 0 || len(d.places) < 4 && d.one(4) {
		d.places = append(d.places, d.place(n))
	}
	return x.In(d.places[d.upTo(len(d.places))])
}

// place is a location with many changes, or a long name, or a rule.
func (d *drawer) place(n int) *time.Location {
	name := strings.Repeat("z", 1+d.upTo(min(200, n)))
	if d.one(3) {
		return time.FixedZone(name, d.upTo(80000)-40000)
	}
	changes, rule := d.length(min(n, 1<<16-1)), ""
	if d.one(2) {
		rule = "STD-1DST,M3.5.0,M10.5.0/3"
	}
	data := []byte{}
	for _, width := range []int{4, 8} { // the part with 32-bit times, and that with 64-bit ones
		data = append(append(data, "TZif2"...), make([]byte, 15)...)
		for _, k := range []int{0, 0, 0, changes, 2, len(name) + 1} {
			data = binary.BigEndian.AppendUint32(data, uint32(k))
		}
		for i := range changes {
			at := -2e9 + i*(1+d.upTo(3))*20000
			if width == 4 {
				data = binary.BigEndian.AppendUint32(data, uint32(int32(-2e9+i)))
			} else {
				data = binary.BigEndian.AppendUint64(data, uint64(at))
			}
		}
		for range changes {
			data = append(data, 1)
		}
		for k := range 2 {
			data = binary.BigEndian.AppendUint32(data, uint32(3600*k))
			data = append(data, 1, 0)
		}
		data = append(append(data, name...), 0)
	}
	l, err := time.LoadLocationFromTZData("x", append(data, "\n"+rule+"\n"...))
	if err != nil {
		panic(err)
	}
	return l
}

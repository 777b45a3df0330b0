package rt

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// The instant of a time.Time crosses, without a monotonic reading, and its zone as name and offset
// at that instant. The layouts are those of package time (go1.26); fields are found by their names.

const (
	unixToYearOne = 62135596800 // seconds from 1 January of year 1 to 1 January 1970
	wallToYearOne = 59453308800 // from year 1 to 1885
	hasMonotonic  = 1 << 63     // of wall
	nanoseconds   = 1<<30 - 1   // of wall
)

// A zone is a time zone at some instant.
type zone struct {
	name   string
	offset int // seconds east of UTC
}

func timeOf(v reflect.Value) time.Time { return v.Interface().(time.Time) }

// time writes a time.Time.
func (e *encoder) time(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	x, vm := timeOf(v), e.vm
	if st := vm.put(t.At(addr, "wall"), uint64(x.Nanosecond()), 8); st != OK {
		return st
	}
	if st := vm.put(t.At(addr, "ext"), uint64(x.Unix()+unixToYearOne), 8); st != OK {
		return st
	}
	name, offset := x.Zone()
	z, slot := zone{name, offset}, t.At(addr, "loc")
	if x.Location() == time.UTC || z == (zone{"UTC", 0}) {
		return OK
	}
	if p := e.zones[z]; p != 0 {
		return vm.put(slot, uint64(p), 8)
	}
	l := t.Part("loc").Elem
	p, st := vm.allocate(l, 1)
	if st == OK {
		st = vm.put(slot, uint64(p), 8)
	}
	if st == OK {
		st = e.location(p, l, z)
	}
	if e.zones == nil {
		e.zones = map[zone]uint32{}
	}
	e.zones[z] = p
	return st
}

// location writes what time.FixedZone makes.
func (e *encoder) location(addr uint32, l *guesttype.Type, z zone) Status {
	const always, never = uint64(1 << 63), uint64(math.MaxInt64) // the first and the last instant
	vm, zoneType, change := e.vm, l.Part("zone").Elem, l.Part("tx").Elem
	if st := vm.putString(l.At(addr, "name"), z.name); st != OK {
		return st
	}
	p, st := vm.allocate(zoneType, 1)
	if st == OK {
		st = vm.putAll(l.At(addr, "zone"), uint64(p), 1, 1)
	}
	if st == OK {
		st = vm.put(zoneType.At(p, "offset"), uint64(z.offset), 8)
	}
	if st == OK {
		st = vm.putString(zoneType.At(p, "name"), z.name)
	}
	if st != OK {
		return st
	}
	q, st := vm.allocate(change, 1)
	if st == OK {
		st = vm.putAll(l.At(addr, "tx"), uint64(q), 1, 1)
	}
	if st == OK {
		st = vm.put(change.At(q, "when"), always, 8)
	}
	if st == OK {
		st = vm.put(l.At(addr, "cacheStart"), always, 8)
	}
	if st == OK {
		st = vm.put(l.At(addr, "cacheEnd"), never, 8)
	}
	if st == OK {
		st = vm.put(l.At(addr, "cacheZone"), uint64(p), 8)
	}
	return st
}

var errBadTime = fmt.Errorf("%w: a time that is none", memory.ErrCorrupt)

// A zonePlace is the place of a time's zone: in guest memory, or in a rule.
type zonePlace struct {
	addr uint32 // of the zone; 0: UTC, unless rule is set
	name int    // length of its name
	rule string
}

// time decodes the time.Time at addr.
func (d *decoder) time(v reflect.Value, t *guesttype.Type, addr uint32) error {
	x, z, err := d.instant(t, addr)
	if err != nil {
		return err
	}
	l := d.places[z.addr]
	switch {
	case z.rule != "":
		if r, ok := extended(z.rule, x.Unix()); ok {
			l = d.location(r)
			break
		}
		fallthrough // the last change holds for ever
	default:
		if z.addr == 0 || l != nil {
			break
		}
		r, err := d.zoneAt(z.addr, t.Part("loc").Elem.Part("zone").Elem)
		if err != nil {
			return err
		}
		l = d.location(r)
		if d.places == nil {
			d.places = map[uint32]*time.Location{}
		}
		d.places[z.addr] = l
	}
	if l != nil && l != time.UTC {
		x = x.In(l)
	}
	v.Set(reflect.ValueOf(x))
	return nil
}

// location returns the host's location for a zone. Equal zones share one.
func (d *decoder) location(z zone) *time.Location {
	if z == (zone{"UTC", 0}) {
		return time.UTC
	}
	if d.ruled[z] == nil {
		if d.ruled == nil {
			d.ruled = map[zone]*time.Location{}
		}
		d.ruled[z] = time.FixedZone(z.name, z.offset)
	}
	return d.ruled[z]
}

// instant reads the time.Time at addr, as UTC, and finds its zone.
func (w *walker) instant(t *guesttype.Type, addr uint32) (x time.Time, z zonePlace, err error) {
	b, err := w.bytes(addr, uint64(t.Size))
	if err != nil {
		return x, z, err
	}
	wall, ext := guesttype.U64(b, int(t.At(0, "wall"))), int64(guesttype.U64(b, int(t.At(0, "ext"))))
	sec, nsec := ext, int64(wall&nanoseconds)
	if wall&hasMonotonic != 0 {
		sec = wallToYearOne + int64(wall<<1>>31)
	}
	if nsec >= 1e9 {
		return x, z, errBadTime
	}
	x = time.Unix(sec-unixToYearOne, nsec).UTC()
	if p := uint32(guesttype.U64(b, int(t.At(0, "loc")))); p != 0 {
		z, err = w.zone(p, t.Part("loc").Elem, x.Unix())
	}
	return x, z, err
}

// A zoneCache has the zones before all changes, by the addresses of their locations. Finding one
// visits all changes.
type zoneCache map[uint32]uint32

// zone finds the zone of the time.Location at addr at an instant, in seconds since 1970.
func (w *walker) zone(addr uint32, l *guesttype.Type, sec int64) (z zonePlace, err error) {
	b, err := w.bytes(addr, uint64(l.Size))
	if err != nil {
		return z, err
	}
	field := func(name string) uint64 { return guesttype.U64(b, int(l.At(0, name))) }
	zt, xt := l.Part("zone").Elem, l.Part("tx").Elem
	zones, nzones := uint32(field("zone")), guesttype.U64(b, int(l.At(8, "zone")))
	if nzones == 0 {
		return z, nil
	}
	if p := uint32(field("cacheZone")); p != 0 && int64(field("cacheStart")) <= sec && sec < int64(field("cacheEnd")) {
		return w.named(p, zt)
	}
	list, n := uint32(field("tx")), guesttype.U64(b, int(l.At(8, "tx")))
	if n > 1<<16 || nzones > 1<<16 {
		return z, errBadTime
	}
	if _, err := w.bytes(zones, nzones*uint64(zt.Size)); err != nil {
		return z, err
	}
	changes, err := w.bytes(list, n*uint64(xt.Size))
	if err != nil {
		return z, err
	}
	when := func(i int) int64 { return int64(guesttype.U64(changes, i*int(xt.Size)+int(xt.At(0, "when")))) }
	index := func(i int) uint32 { return uint32(changes[i*int(xt.Size)+int(xt.At(0, "index"))]) }
	lo, hi := -1, int(n) // the changes before and after the instant
	for hi-lo > 1 {
		if m := int(uint(lo+hi) >> 1); sec < when(m) {
			hi = m
		} else {
			lo = m
		}
	}
	if lo < 0 {
		first, ok := w.zones[addr]
		if !ok {
			if err := w.extra(int64(n+nzones)/changesPart + 1); err != nil {
				return z, err
			}
			if err := w.poll(); err != nil { // the search takes up to 100 µs
				return z, err
			}
			dst := func(i uint32) bool {
				b, err := w.bytes(zones+i*zt.Size, uint64(zt.Size))
				return err == nil && b[zt.At(0, "isDST")] != 0
			}
			first = firstZone(int(n), uint32(nzones), index, dst)
			if w.zones == nil {
				w.zones = zoneCache{}
			}
			w.zones[addr] = first
		}
		return w.named(zones+first*zt.Size, zt)
	}
	if uint64(index(lo)) >= nzones {
		return z, errBadTime
	}
	z, err = w.named(zones+index(lo)*zt.Size, zt)
	if err == nil && lo == int(n)-1 {
		if size := guesttype.U64(b, int(l.At(8, "extend"))); size > 0 && size <= maxRule {
			rule, err := w.bytes(uint32(field("extend")), size)
			z.rule = string(rule)
			return z, err
		}
	}
	return z, err
}

// named returns the zone at addr. It reads no other memory.
func (w *walker) named(addr uint32, zt *guesttype.Type) (zonePlace, error) {
	b, err := w.bytes(addr, uint64(zt.Size))
	if err != nil {
		return zonePlace{}, err
	}
	n := guesttype.U64(b, int(zt.At(8, "name")))
	if n > 1<<32 {
		return zonePlace{}, errBadTime
	}
	return zonePlace{addr: addr, name: int(n)}, nil
}

// maxRule bounds the rules for times after all changes.
const maxRule = 256

// firstZone returns the number of the zone before all changes, as Location.lookupFirstZone does.
func firstZone(changes int, zones uint32, index func(int) uint32, dst func(uint32) bool) uint32 {
	used := false
	for i := range changes {
		used = used || index(i) == 0
	}
	if !used {
		return 0
	}
	if changes > 0 && dst(index(0)) {
		for z := min(index(0), zones); z > 0; z-- {
			if !dst(z - 1) {
				return z - 1
			}
		}
	}
	for z := range zones {
		if !dst(z) {
			return z
		}
	}
	return 0
}

func (d *decoder) zoneAt(addr uint32, zt *guesttype.Type) (zone, error) {
	b, err := d.bytes(addr, uint64(zt.Size))
	if err != nil {
		return zone{}, err
	}
	name, err := d.text(b[zt.At(0, "name"):])
	return zone{name, int(int64(guesttype.U64(b, int(zt.At(0, "offset")))))}, err
}

// extended returns the zone at an instant after all changes of a location, by the rule of its TZ
// string. Package time reads the rule from a zone file that has nothing else.
func extended(rule string, sec int64) (zone, bool) {
	data := make([]byte, 0, 256)
	for range 2 { // the parts with 32-bit and with 64-bit times: a header, one zone and its name
		data = append(data, "TZif2"...)
		data = append(data, make([]byte, 15)...)
		for _, n := range [...]byte{0, 0, 0, 0, 1, 4} {
			data = append(data, 0, 0, 0, n)
		}
		data = append(data, 0, 0, 0, 0, 0, 0)
		data = append(data, "LMT\x00"...)
	}
	data = append(data, "\n"+rule+"\n"...)
	l, err := time.LoadLocationFromTZData("", data)
	if err != nil {
		return zone{}, false
	}
	name, offset := time.Unix(sec, 0).In(l).Zone()
	return zone{name, offset}, name != "LMT"
}

package rt

import (
	"reflect"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Calls of host packages that an initialisation has made.
//
// A deterministic function gives every instance the same results, so they may be in the memory that
// instances begin with. But it may keep something for each instance. So it is called again for each
// copy, with the same arguments and in the same order. If a result differs all the same, the
// instance does not begin as a copy.

// A recordedCall is a call of a deterministic function of a host package.
type recordedCall struct {
	fn    *HostFunc
	place wasi.Place
	args  []reflect.Value // copies
	end   callEnd
}

// A callEnd is what the guest got of a call.
type callEnd struct {
	results []reflect.Value // copies, zero after a panic
	text    string          // of an error or a panic
	code    int             // of the error, and 1 for a panic
	crash   bool
}

const (
	// maxRecorded is how many calls of an initialisation are recorded, and maxRecordedBytes what
	// their arguments and results may take: every instance makes these calls before its first own.
	maxRecorded      = 1000
	maxRecordedBytes = 1 << 20
)

// record copies the arguments of a call before it is made, for the instances that will begin as
// copies of this one. The caller completes the record. nil: the call cannot be made again.
func (vm *VM) record(c *hostCall) *recordedCall {
	fn := c.link.fn
	switch {
	case vm.unkept != "":
		return nil
	case !fn.Deterministic:
		vm.unkeep("its initialisation calls the host function " + fn.Name + ", which is not Deterministic")
		return nil
	case len(fn.Callbacks) > 0:
		vm.unkeep("its initialisation calls the host function " + fn.Name + ", which has callbacks")
		return nil
	case len(vm.recorded) >= maxRecorded:
		vm.unkeep("its initialisation calls host functions more than 1,000 times")
		return nil
	}
	r := recordedCall{fn: fn, place: c.link.place}
	var ok bool
	if r.args, ok = vm.copies(c.args); !ok {
		vm.notRecorded(fn)
		return nil
	}
	vm.recorded = append(vm.recorded, r)
	return &vm.recorded[len(vm.recorded)-1]
}

// complete notes how a call has ended.
func (vm *VM) complete(r *recordedCall, c *hostCall) {
	if r == nil {
		return
	}
	var ok bool
	if r.end, ok = vm.endOf(c); !ok {
		vm.notRecorded(r.fn)
	}
}

func (vm *VM) notRecorded(fn *HostFunc) {
	if vm.copied > maxRecordedBytes {
		vm.unkeep("what its initialisation passes to host functions is more than 1 MiB")
		return
	}
	vm.unkeep("its initialisation calls the host function " + fn.Name + " with a value that belongs to one instance (a Handle, a Buffer)")
}

// endOf returns how a call has ended, or that it cannot be told.
func (vm *VM) endOf(c *hostCall) (end callEnd, ok bool) {
	switch {
	case c.crash != nil:
		return callEnd{text: panicText(c.crash), code: 1, crash: true}, true
	case c.err != nil:
		text, failed := vm.errorText(c.err)
		if failed != nil {
			return end, false
		}
		end.text, end.code = text, vm.errorNumber(c.err)
	}
	end.results, ok = vm.copies(c.results)
	return end, ok
}

// copies returns copies of values that have crossed, or that some cannot be copied.
func (vm *VM) copies(list []place) (values []reflect.Value, ok bool) {
	c := copier{room: maxRecordedBytes - vm.copied}
	for i := range list {
		v, ok := c.copy(list[i].value)
		if !ok {
			vm.copied += maxRecordedBytes - vm.copied - c.room
			return nil, false
		}
		values = append(values, v)
	}
	vm.copied = maxRecordedBytes - c.room
	return values, true
}

// Recorded reports whether there are calls to be made again.
func (s *Start) Recorded() bool { return len(s.recorded) > 0 }

// Replay makes the recorded calls of a start again, for an instance that begins as its copy. If a
// function returns something else now, the result is its name. Otherwise it is empty.
func (vm *VM) Replay(s *Start) string {
	for i := range s.recorded {
		if vm.Poll() != OK {
			break // the run ends before its first own step
		}
		if r := &s.recorded[i]; !vm.replay(r) {
			return r.fn.Name
		}
	}
	return ""
}

func (vm *VM) replay(r *recordedCall) bool {
	args, results, run := r.fn.New()
	c := &hostCall{link: &hostLink{fn: r.fn, place: r.place}, args: places(args), results: places(results), run: run}
	again := copier{room: maxRecordedBytes}
	for i, v := range r.args {
		v, ok := again.copy(v) // the function may keep it, or write to it
		if !ok {
			return false
		}
		args[i].Set(v)
	}
	c.ctx = vm.hostContext()
	if !vm.callHost(c) {
		return true
	}
	vm.copied = 0
	end, ok := vm.endOf(c)
	vm.copied = 0
	return ok && end.equal(&r.end)
}

// equal reports whether a guest got the same of two calls.
func (e *callEnd) equal(f *callEnd) bool {
	if e.text != f.text || e.code != f.code || e.crash != f.crash || len(e.results) != len(f.results) {
		return false
	}
	for i := range e.results {
		if !reflect.DeepEqual(e.results[i].Interface(), f.results[i].Interface()) {
			return false
		}
	}
	return true
}

// A copier copies values that cross. Pointers that are equal stay equal.
type copier struct {
	room int // bytes left
	done map[copiedPointer]reflect.Value
}

type copiedPointer struct {
	p any // an unsafe.Pointer
	t reflect.Type
}

// copy returns a copy of v, or that it cannot be copied: it is too large, or belongs to one
// instance.
func (c *copier) copy(v reflect.Value) (_ reflect.Value, ok bool) {
	t := v.Type()
	if c.room -= int(t.Size()); c.room < 0 {
		return v, false
	}
	to := reflect.New(t).Elem()
	to.Set(v) // v may be a variable that changes
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return to, true
	case reflect.String:
		if c.room -= v.Len(); c.room < 0 {
			return v, false
		}
		to.SetString(strings.Clone(v.String()))
		return to, true
	case reflect.Slice:
		if v.IsNil() {
			return to, true
		}
		if t.Elem().Kind() == reflect.Uint8 {
			if c.room -= v.Len(); c.room < 0 {
				return v, false
			}
			to.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
			reflect.Copy(to, v)
			return to, true
		}
		to.Set(reflect.MakeSlice(t, 0, min(v.Len(), 1000)))
		for i := range v.Len() {
			x, ok := c.copy(v.Index(i))
			if !ok {
				return v, false
			}
			to.Set(reflect.Append(to, x))
		}
		return to, true
	case reflect.Array:
		for i := range v.Len() {
			x, ok := c.copy(v.Index(i))
			if !ok {
				return v, false
			}
			to.Index(i).Set(x)
		}
		return to, true
	case reflect.Map:
		if v.IsNil() {
			return to, true
		}
		to.Set(reflect.MakeMap(t))
		for k, x := range v.Seq2() {
			k, ok1 := c.copy(k)
			x, ok2 := c.copy(x)
			if !ok1 || !ok2 {
				return v, false
			}
			to.SetMapIndex(k, x)
		}
		return to, true
	case reflect.Pointer:
		if v.IsNil() {
			return to, true
		}
		if _, lent := v.Interface().(*Buffer); lent || isBuffer(t) {
			return v, false
		}
		key := copiedPointer{v.UnsafePointer(), t}
		if p, ok := c.done[key]; ok {
			return p, true
		}
		to.Set(reflect.New(t.Elem()))
		if c.done == nil {
			c.done = map[copiedPointer]reflect.Value{}
		}
		c.done[key] = to
		x, ok := c.copy(v.Elem())
		if ok {
			to.Elem().Set(x)
		}
		return to, ok
	case reflect.Interface:
		if v.IsNil() {
			return to, true
		}
		if _, ok := v.Interface().(error); ok {
			return to, true // errors.Is goes by identity
		}
		x, ok := c.copy(v.Elem())
		if ok {
			to.Set(x)
		}
		return to, ok
	case reflect.Struct:
		if _, ok := v.Interface().(time.Time); ok {
			return to, true
		}
		for f := range t.Fields() {
			if !f.IsExported() {
				return v, false // a Handle is one, too
			}
		}
		for i := range t.NumField() {
			x, ok := c.copy(v.Field(i))
			if !ok {
				return v, false
			}
			to.Field(i).Set(x)
		}
		return to, true
	}
	return v, false
}

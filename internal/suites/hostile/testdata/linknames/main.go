// Guests that call what programs may take from the standard library by linkname, with operands that are wrong and
// with operands that are right, for ever. The declarations are in calls.go, which is generated.
package main

import (
	"fmt"
	_ "math/big" // programs take functions from it
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"unsafe"
)

func main() {
	name, how, _ := strings.Cut(os.Args[1], " ")
	call := calls[name]
	if how == "for ever" {
		valid = true
		for {
			call()
			if len(kept) > 1000 {
				kept = kept[:0]
			}
		}
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(how, "#"))
	random = uint64(n)*0x9e3779b97f4a7c15 + uint64(len(name))<<32 + 1
	for range 300 {
		func() {
			defer func() { recover() }()
			call()
		}()
	}
	runtime.GC()
	fmt.Println(len(kept), map[string]int{"a": 1}, errorOf(0))
}

func errorOf(n int) any {
	defer func() { recover() }()
	return reflect.ValueOf(&[]int{1}).Elem().Index(n).Interface()
}

var (
	valid  bool
	random uint64
	kept   []any

	object = make([]uint64, 1024)
	wide   = new([8]any)
)

func next() uint64 {
	random ^= random << 13
	random ^= random >> 7
	random ^= random << 17
	return random * 0x2545f4914f6cdd1d
}

func pick[T any](list ...T) T { return list[next()%uint64(len(list))] }

// keep keeps what a call has returned.
func keep(list ...any) {
	if len(kept) < 1<<20 {
		kept = append(kept, list...)
	}
}

func words(x any) *[2]unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x)) }

// p is a pointer: to something, to nothing, or no pointer at all.
func p() unsafe.Pointer {
	if valid {
		return unsafe.Pointer(&object[0])
	}
	return unsafe.Pointer(pick(uintptr(unsafe.Pointer(&object[next()%64])), uintptr(unsafe.Pointer(new([4]int))),
		uintptr(unsafe.Pointer(wide)), uintptr(unsafe.Pointer(wide))+uintptr(next()%64),
		0, 8, 0x10000, 1<<32-8, 1<<32, 1<<40, ^uintptr(0), uintptr(next())>>(next()%64)))
}

// n is a number that a size, length or count may be.
func n() int {
	if valid {
		return 256
	}
	return pick(0, 1, 2, 3, 7, 8, 9, 64, 1000, 1<<16, 1<<20, 1<<24, 1<<31-1, 1<<31, 1<<32-1, 1<<32, 1<<32+8, 1<<40, 1<<57, 1<<62,
		-1, -8, -1<<31, -1<<32, -1<<63, int(next()>>(next()%64)))
}

// text is a string of a forged length.
func text() string {
	if valid {
		return "a text"
	}
	s := struct {
		p unsafe.Pointer
		n int
	}{p(), n()}
	return *(*string)(unsafe.Pointer(&s))
}

// bytes is a slice of forged lengths.
func bytes() []byte {
	if valid {
		return make([]byte, 64, 100)
	}
	s := [3]uintptr{uintptr(p()), uintptr(n()), uintptr(n())}
	return *(*[]byte)(unsafe.Pointer(&s))
}

// uints is like bytes.
func uints() []uint {
	if valid {
		return make([]uint, 64, 100)
	}
	s := [3]uintptr{uintptr(p()), uintptr(n()), uintptr(n())}
	return *(*[]uint)(unsafe.Pointer(&s))
}

func value() any {
	x := pick[any](1, "x", []int{1}, map[string]int{}, errorType{}, &errorType{}, struct{ a, b any }{1, "y"}, nil)
	if valid {
		x = errorType{}
	} else if next()%4 == 0 {
		*words(x) = [2]unsafe.Pointer{typ(), p()}
	}
	return x
}

type errorType struct{}

func (errorType) Error() string { return "text" }

// typ is the descriptor of a type: one of the compiler's, one that the program has changed, or something else.
func typ() unsafe.Pointer {
	if valid {
		return words(1)[0]
	}
	t := words(pick[any](1, "x", byte(1), []int{}, [4]any{}, struct{ a, b any }{}, new(int), errorType{}, map[string]int{}, map[uint64]any{},
		map[uint32]uint32{}, map[[40]uint64]struct{}{}, map[any][200]byte{}, 1.5, struct{}{}, func() {}))[0]
	switch next() % 4 {
	case 0:
		return t
	case 1:
		return p()
	}
	forged := new([40]uint64)
	for i := range forged {
		forged[i] = *(*uint64)(unsafe.Add(t, 8*i))
	}
	for range 1 + next()%3 {
		forged[next()%14] = pick(0, 1, 7, 8, 1<<20, 1<<31, 1<<32, 1<<62, 1<<63, ^uint64(0), next()>>(next()%64))
	}
	kept = append(kept, forged)
	return unsafe.Pointer(forged)
}

// inter is the descriptor of an interface type.
func inter() unsafe.Pointer {
	t := reflect.TypeFor[error]()
	e := unsafe.Pointer(reflect.ValueOf(t).Pointer())
	if valid || next()%3 == 0 {
		return e
	}
	return typ()
}

// reflectType is a type as package reflect has it, of any descriptor.
func reflectType() reflect.Type {
	t := reflect.TypeFor[error]()
	if !valid && next()%4 != 0 {
		(*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1] = typ()
	}
	return t
}

// Maps, by what their keys are.
var (
	maps = map[string]any{
		"32": map[uint32]int{}, "64": map[uint64]int{}, "ptr": map[unsafe.Pointer]int{}, "str": map[string]int{}, "": map[int]int{},
	}
	iterator struct {
		key, elem unsafe.Pointer
		rest      [14]uintptr
	}
)

// mapType is the descriptor of a map type.
func mapType(keys string) unsafe.Pointer {
	if valid || next()%3 == 0 {
		return words(maps[keys])[0]
	}
	return typ()
}

// hmap is a map.
func hmap(keys string) unsafe.Pointer {
	if valid || next()%3 == 0 {
		return words(maps[keys])[1]
	}
	if next()%3 == 0 {
		forged := new([6]uint64)
		for i := range forged {
			forged[i] = pick(0, 1, 8, 1<<40, ^uint64(0), uint64(uintptr(p())))
		}
		return unsafe.Pointer(forged)
	}
	return p()
}

// iter is what a program iterates over a map with.
func iter() unsafe.Pointer {
	if valid {
		m := maps[""].(map[int]int)
		for i := range 100 {
			m[i] = i
		}
		if iterator.key == nil {
			mapiterinit(words(m)[0], words(m)[1], unsafe.Pointer(&iterator))
		}
	} else if next()%2 == 0 {
		return p()
	}
	return unsafe.Pointer(&iterator)
}

//go:linkname mapiterinit runtime.mapiterinit
func mapiterinit(t, m, it unsafe.Pointer)

// sema is a semaphore.
func sema() *uint32 {
	if valid {
		x := uint32(1)
		return &x
	}
	return (*uint32)(p())
}

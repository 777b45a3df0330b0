package hostile

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
)

// This file draws random types of values that cross. Named types are in crossnames_test.go.

// An object is what handles refer to.
type object struct{ n int }

var handleType = reflect.TypeFor[gyr.Handle[*object]]()

// leafTypes are the leaves of random types.
var leafTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[int32](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[float64](), reflect.TypeFor[complex128](), reflect.TypeFor[string](),
	reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[[]string](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Time](),
	reflect.TypeFor[time.Duration](), reflect.TypeFor[any](), reflect.TypeFor[any](), reflect.TypeFor[error](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[Node](), reflect.TypeFor[*Node](), reflect.TypeFor[Forest](), reflect.TypeFor[T3](), handleType,
}

// heldTypes are the types in an any, besides those of the program. The first may be in keys.
var heldTypes = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[[]byte](), reflect.TypeFor[[]any](),
	reflect.TypeFor[map[string]any](), reflect.TypeFor[[]string](), reflect.TypeFor[time.Time](), reflect.TypeFor[error](), reflect.TypeFor[time.Duration](),
}

// goText writes a type in Go, with a prefix for the package of named types.
func goText(t reflect.Type, prefix string) string {
	return strings.ReplaceAll(strings.ReplaceAll(t.String(), handleType.String(), prefix+"Object"), "hostile.", prefix)
}

// A typeDrawer draws types.
type typeDrawer struct{ *rand.Rand }

// composites make types from others; with key set comparable and ordered ones.
var composites []composite

type composite struct {
	key  bool
	make func(r typeDrawer, depth int, key bool) reflect.Type
}

func init() { // set here, since they draw types themselves
	composites = []composite{
		{true, func(r typeDrawer, depth int, key bool) reflect.Type {
			return reflect.ArrayOf(r.IntN(5), r.draw(depth, key))
		}},
		{true, func(r typeDrawer, depth int, key bool) reflect.Type { return r.structure(r.IntN(6), depth, key) }},
		{false, func(r typeDrawer, depth int, _ bool) reflect.Type { return reflect.PointerTo(r.draw(depth, false)) }},
		{false, func(r typeDrawer, depth int, _ bool) reflect.Type { return reflect.SliceOf(r.draw(depth, false)) }},
		{false, func(r typeDrawer, depth int, _ bool) reflect.Type { return reflect.SliceOf(r.draw(depth, false)) }},
		{false, func(r typeDrawer, depth int, _ bool) reflect.Type {
			return reflect.MapOf(r.draw(min(depth, 2), true), r.draw(depth, false))
		}},
		{false, func(r typeDrawer, depth int, _ bool) reflect.Type { return r.structure(50+r.IntN(150), 0, false) }},
		{false, func(r typeDrawer, _ int, _ bool) reflect.Type { // up to 2^17 parts, of little or no size
			t := leafTypes[r.IntN(len(leafTypes))]
			if r.IntN(2) == 0 {
				t = reflect.TypeFor[struct{}]()
			}
			parts := 1 << (4 + r.IntN(14))
			for n := 1; n < parts && t.Size() < 1<<12; n *= 2 {
				if r.IntN(2) == 0 {
					t = reflect.ArrayOf(2, t)
				} else {
					t = reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.ArrayOf(2, t)}})
				}
			}
			return t
		}},
		{false, func(r typeDrawer, depth int, _ bool) reflect.Type { // deep
			t := r.draw(0, false)
			for range 5 + r.IntN(15) {
				t = reflect.StructOf([]reflect.StructField{{Name: "A", Type: t}, {Name: "B", Type: reflect.TypeFor[bool]()}})
				if r.IntN(3) == 0 {
					t = reflect.PointerTo(t)
				}
			}
			return t
		}},
	}
}

// noKeys are comparable types that the host cannot order.
var noKeys = []reflect.Type{reflect.TypeFor[*Node](), reflect.TypeFor[error](), handleType}

// maxTypeBytes bounds the memory of one value.
const maxTypeBytes = 1 << 14

// draw returns a type.
func (r typeDrawer) draw(depth int, key bool) reflect.Type {
	if depth > 0 && r.IntN(4) > 0 {
		c := composites[r.IntN(len(composites))]
		for key && !c.key {
			c = composites[r.IntN(len(composites))]
		}
		if t := c.make(r, depth-1, key); t.Size() <= maxTypeBytes {
			return t
		}
	}
	for {
		if t := leafTypes[r.IntN(len(leafTypes))]; !key || t.Comparable() && !slices.Contains(noKeys, t) {
			return t
		}
	}
}

func (r typeDrawer) structure(n, depth int, key bool) reflect.Type {
	var fields []reflect.StructField
	for i := range n {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: r.draw(depth, key)})
	}
	return reflect.StructOf(fields)
}

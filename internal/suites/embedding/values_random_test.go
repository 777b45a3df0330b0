package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

var (
	anyType   = reflect.TypeFor[any]()
	errorType = reflect.TypeFor[error]()
	timeType  = reflect.TypeFor[time.Time]()
)

// randomTypes are the types of the leaves of random types.
var randomTypes = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](),
	reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](),
	reflect.TypeFor[uint64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](),
	reflect.TypeFor[complex128](), reflect.TypeFor[string](), reflect.TypeFor[string](), reflect.TypeFor[[]byte](), timeType,
	reflect.TypeFor[time.Duration](), anyType, anyType, errorType, reflect.TypeFor[struct{}](),
}

// randomType returns a type; for a key one that host and guest can order.
func randomType(r *rand.Rand, depth int, key bool) reflect.Type {
	if depth <= 0 || r.IntN(3) == 0 {
		for {
			t := randomTypes[r.IntN(len(randomTypes))]
			if !key || t.Comparable() && t != errorType && t != anyType {
				return t
			}
		}
	}
	switch n := r.IntN(6); {
	case n == 0:
		return reflect.ArrayOf(r.IntN(4), randomType(r, depth-1, key))
	case n == 1 || key:
		var fields []reflect.StructField
		for i := range r.IntN(5) {
			fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: randomType(r, depth-1, key)})
		}
		return reflect.StructOf(fields)
	case n == 2:
		return reflect.PointerTo(randomType(r, depth-1, false))
	case n == 3:
		return reflect.MapOf(randomType(r, depth-1, true), randomType(r, depth-1, false))
	}
	return reflect.SliceOf(randomType(r, depth-1, false))
}

// randomValue returns a value without a NaN.
func randomValue(r *rand.Rand, t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	small := func() int {
		if r.IntN(20) == 0 {
			return r.IntN(100)
		}
		return r.IntN(max(1, depth+1))
	}
	switch {
	case t == timeType:
		x := time.Unix(r.Int64N(1<<36)-1<<35, r.Int64N(1e9)).UTC()
		if r.IntN(2) == 0 {
			x = x.In(time.FixedZone(fmt.Sprint("Z", r.IntN(3)), r.IntN(80000)-40000))
		}
		v.Set(reflect.ValueOf(x))
		return v
	case t == errorType:
		if r.IntN(3) > 0 {
			v.Set(reflect.ValueOf(fmt.Errorf("error %d", r.IntN(9))))
		}
		return v
	case t == anyType:
		list := []reflect.Type{nil, timeType, reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[float64](), reflect.TypeFor[bool](),
			reflect.TypeFor[[]byte](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), errorType, reflect.TypeFor[[]string](), reflect.TypeFor[uint8]()}
		if d := list[r.IntN(len(list))]; d != nil && depth > 0 {
			v.Set(randomValue(r, d, depth-1))
		}
		return v
	}
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.Uint64() >> r.IntN(64)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.Uint64() >> r.IntN(64))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(r.NormFloat64(), r.NormFloat64()))
	case reflect.String:
		v.SetString(strings.Repeat(string(rune('a'+r.IntN(26))), small()))
	case reflect.Slice:
		if r.IntN(5) > 0 {
			n := small()
			v.Set(reflect.MakeSlice(t, n, n))
			for i := range n {
				v.Index(i).Set(randomValue(r, t.Elem(), depth-1))
			}
		}
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(randomValue(r, t.Elem(), depth-1))
		}
	case reflect.Pointer:
		if r.IntN(5) > 0 {
			v.Set(reflect.New(t.Elem()))
			v.Elem().Set(randomValue(r, t.Elem(), depth-1))
		}
	case reflect.Map:
		if r.IntN(5) > 0 {
			v.Set(reflect.MakeMap(t))
			for range small() {
				v.SetMapIndex(randomValue(r, t.Key(), depth-1), randomValue(r, t.Elem(), depth-1))
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(randomValue(r, t.Field(i).Type, depth-1))
		}
	}
	return v
}

// differ says where received values differ from those that were sent, or returns "".
func differ(a, b reflect.Value) string {
	if a.IsValid() != b.IsValid() {
		return fmt.Sprintf("%v and %v", a, b)
	}
	if !a.IsValid() {
		return ""
	}
	if a.Type() != errorType && a.Type().Implements(errorType) {
		if x, y := a.Interface().(error), b.Interface().(error); x.Error() != y.Error() {
			return fmt.Sprintf("errors %v and %v", x, y)
		}
		return ""
	}
	if a.Type() != b.Type() {
		return fmt.Sprintf("types %v and %v", a.Type(), b.Type())
	}
	if a.Type() == timeType {
		x, y := a.Interface().(time.Time), b.Interface().(time.Time)
		if !x.Equal(y) || x.String() != y.String() {
			return fmt.Sprintf("times %v and %v", x, y)
		}
		return ""
	}
	switch a.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
		if a.IsNil() != b.IsNil() {
			return fmt.Sprintf("nil: %v and %v", a, b)
		}
	}
	switch a.Kind() {
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf("lengths %d and %d", a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := differ(a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if d := differ(a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
	case reflect.Pointer, reflect.Interface:
		return differ(a.Elem(), b.Elem())
	case reflect.Map:
		if a.Len() != b.Len() {
			return fmt.Sprintf("lengths %d and %d", a.Len(), b.Len())
		}
		return differMaps(a, b)
	default:
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return fmt.Sprintf("%v and %v", a, b)
		}
	}
	return ""
}

// differMaps compares maps whose keys may hold times. A time does not equal its copy.
func differMaps(a, b reflect.Value) string {
next:
	for i := a.MapRange(); i.Next(); {
		for j := b.MapRange(); j.Next(); {
			if differ(i.Key(), j.Key()) == "" && differ(i.Value(), j.Value()) == "" {
				continue next
			}
		}
		return fmt.Sprintf("no key %v: %v", i.Key(), i.Value())
	}
	return ""
}

// Random values of random types come back from the guest unchanged.
func TestRandomValues(t *testing.T) {
	const kinds, rounds = 40, 20
	r := rand.New(rand.NewPCG(19, uint64(len(t.Name()))))
	var src strings.Builder
	src.WriteString("package lib\n\nimport \"time\"\n\nvar _ time.Time\n\n")
	var list []reflect.Type
	for i := range kinds {
		list = append(list, randomType(r, 4, false))
		fmt.Fprintf(&src, "func F%d(x %s) %[2]s { return x }\n", i, list[i])
	}
	check := func(t *testing.T, in *gyr.Instance) {
		for i, typ := range list {
			fn := reflect.New(reflect.FuncOf([]reflect.Type{typ}, []reflect.Type{typ, errorType}, false))
			if err := in.Bind(context.Background(), fmt.Sprintf("F%d", i), fn.Interface()); err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			for range rounds {
				v := randomValue(r, typ, 4)
				got := fn.Elem().Call([]reflect.Value{v})
				if !got[1].IsNil() {
					t.Fatalf("%s: %v: %v", typ, v, got[1])
				}
				if d := differ(v, got[0]); d != "" {
					t.Fatalf("%s: %+v came back as %+v: %s", typ, v, got[0], d)
				}
			}
		}
	}
	p := compileLibrary(t, src.String())
	valuesIn(t, p, check)
	stressed(t, p, check)
}

const corruptLibrary = `package lib

import (
	"errors"
	"time"
	"unsafe"
)

type Node struct {
	M map[string]map[int][]string
	F map[float64]*Node
	A any
	L []any
	E error
	T time.Time
	Next *Node
	S [][]string
}

var state uint64

func random() uint64 {
	state ^= state << 13
	state ^= state >> 7
	state ^= state << 17
	return state
}

func node(depth int) *Node {
	if depth == 0 {
		return nil
	}
	n := &Node{M: map[string]map[int][]string{}, F: map[float64]*Node{1.5: node(depth-1)}, E: errors.New("an error"),
		T: time.Unix(1e9, 0).In(time.FixedZone("Z", 60)), Next: node(depth-1), S: [][]string{{"a"}, {"b", "c"}}}
	for i := range 20 {
		n.M[string(rune('a'+i))] = map[int][]string{i: {"x"}, 2: nil}
	}
	n.A = map[string]any{"x": []any{1, "a", n.T, 2.5, []byte("bytes")}, "p": &struct{ X, Y int }{1, 2}}
	n.L = []any{n.A, n.T, errors.New("in a list"), n.M}
	return n
}

// A Plain has no errors in it, so that the guest does not look at it before the host does.
type Plain struct {
	M map[string]map[int][]string
	F map[[200]byte][150]byte
	T time.Time
	P *Plain
	S [][]Plain
	B []bool
	Z []struct{}
}

func plain(depth int) Plain {
	p := Plain{M: map[string]map[int][]string{}, F: map[[200]byte][150]byte{{1}: {2}, {3}: {4}}, B: []bool{true, false}, Z: make([]struct{}, 3),
		T: time.Unix(1e9, 0).In(time.FixedZone("Z", 60))}
	for i := range 20 {
		p.M[string(rune('a'+i))] = map[int][]string{i: {"x"}, 2: nil}
	}
	if depth > 0 {
		x := plain(depth-1)
		p.P, p.S = &x, [][]Plain{{x, x}, nil, {x}}
	}
	return p
}

func Scribble(seed uint64, n int) *Node {
	root := node(3)
	scribble(seed, n, unsafe.Pointer(root), int(unsafe.Sizeof(*root)))
	return root
}

func ScribblePlain(seed uint64, n int) *Plain {
	root := plain(2)
	scribble(seed, n, unsafe.Pointer(&root), int(unsafe.Sizeof(root)))
	return &root
}

// scribble changes n words of what is reachable from the object at p, or around it.
func scribble(seed uint64, n int, p unsafe.Pointer, size int) {
	state = seed*2 + 1
	for range 10 {
		random()
	}
	at := []unsafe.Pointer{p}
	sizes := []int{size}
	for range n {
		i := int(random() % uint64(len(at)))
		word := (*uint64)(unsafe.Add(at[i], random()%uint64(sizes[i])&^7))
		if p := uint32(*word); p > 0x10000 && *word < 1<<30 && random()%8 != 0 {
			at, sizes = append(at, unsafe.Pointer(uintptr(p))), append(sizes, 128) // follow
			continue
		}
		switch random() % 8 {
		case 0:
			*word = random()
		case 1:
			*word = random() % (1 << 22)
		case 2:
			*word = random() % 64
		case 3:
			*word ^= 1 << (random() % 64)
		case 4:
			*word = uint64(uintptr(at[random()%uint64(len(at))]))
		case 5:
			*(*uint8)(unsafe.Add(unsafe.Pointer(word), random()%8)) = uint8(random())
		case 6:
			*word = 0
		case 7:
			*word = ^uint64(0) >> (random() % 64)
		}
	}
}
`

// Whatever a guest does to its memory, reading it gives a value or an error.
func TestCorruptValues(t *testing.T) {
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(corruptLibrary)}}, Exports: true, Unsafe: gyr.UnsafeAll}, nil)
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		M    map[string]map[int][]string
		F    map[float64]*node
		A    any
		L    []any
		E    error
		T    time.Time
		Next *node
		S    [][]string
	}
	type plain struct {
		M map[string]map[int][]string
		F map[[200]byte][150]byte
		T time.Time
		P *plain
		S [][]plain
		B []bool
		Z []struct{}
	}
	rounds := 400
	if testing.Short() {
		rounds = 40
	}
	valuesIn(t, p, func(t *testing.T, in *gyr.Instance) {
		outcomes := map[string]int{}
		var node func(context.Context, uint64, int) (*node, error)
		var plain func(context.Context, uint64, int) (*plain, error)
		for name, fn := range map[string]any{"Scribble": &node, "ScribblePlain": &plain} {
			if err := in.Bind(context.Background(), name, fn); err != nil {
				t.Fatal(err)
			}
		}
		for seed := range uint64(rounds) {
			for i, f := range []func() error{
				func() error { _, err := node(context.Background(), seed, 1+int(seed%12)); return err },
				func() error { _, err := plain(context.Background(), seed, 1+int(seed%12)); return err },
			} {
				if err := in.Reset(gyr.Config{Memory: 32 << 20, Gas: 50_000_000}); err != nil {
					t.Fatal(err)
				}
				err := f()
				var internal *gyr.InternalError
				if errors.As(err, &internal) {
					t.Fatalf("seed %d: %v", seed, err)
				}
				text := "nil"
				if err != nil {
					text = strings.Join(strings.Fields(err.Error())[:3], " ")
				}
				outcomes[fmt.Sprint(i, " ", text)]++
			}
		}
		for _, want := range []string{"0 nil", "1 nil", "0 gyr: results of", "1 gyr: results of"} {
			if outcomes[want] == 0 {
				t.Errorf("never %s: %v", want, outcomes)
			}
		}
		t.Log(outcomes)
	})
}

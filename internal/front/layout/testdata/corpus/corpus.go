// Package corpus declares types whose descriptors the tests compare: as gc made
// them for this process, and as package layout makes them from this source.
//
// Each function returns pointers to the types in question, in one literal.
package corpus

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	dotted "github.com/gyrvm/gyr/internal/front/layout/testdata/dot.ted"
	"github.com/gyrvm/gyr/internal/front/layout/testdata/other"
)

func Basics() []any {
	return []any{
		new(bool), new(int), new(int8), new(int16), new(int32), new(int64),
		new(uint), new(uint8), new(uint16), new(uint32), new(uint64), new(uintptr),
		new(float32), new(float64), new(complex64), new(complex128),
		new(string), new(unsafe.Pointer), new(error), new(any), new(byte), new(rune),
		new(*int), new(**string), new(*unsafe.Pointer), new(*error),
	}
}

func Composites() []any {
	return []any{
		new([]int), new([]string), new([4]byte), new([0]string), new([1]string), new([3]any),
		new([0]func()), new([2][3]*int), new([]*[]int), new([1]*int), new([2]float64), new([1]float64),
		new([3]struct {
			a int8
			b int64
		}),
		new(chan int), new(<-chan string), new(chan<- *int), new(chan (<-chan int)), new(chan (chan<- int)), new(<-chan (chan int)),
		new(func()), new(func(int) string), new(func(int, ...string) (int, error)), new(func(...any)),
		new(func(func(int), chan bool) func() (a, b int)),
		new(struct{}), new([5]struct{}), new(map[struct{}]struct{}),
		new([4096]*int), new([100000]string), new([40000]*byte),
		new([0]struct{ p *int }),
	}
}

func Structs() []any {
	return []any{
		new(struct{ A int }), new(struct{ a int }), new(struct{ A, b, C int8 }),
		new(struct {
			A int8
			B int64
			C int16
		}),
		new(struct {
			A int
			Z struct{}
		}),
		new(struct {
			A int8
			Z [0]int64
		}),
		new(struct {
			Z struct{}
			A *int
		}),
		new(struct {
			_ int
			A string
		}),
		new(struct{ _ *int }), new(struct{ P *int }), new(struct{ p [1]unsafe.Pointer }),
		new(struct {
			A int `json:"a,omitempty"`
			b int "x\ty\"z"
		}),
		new(struct{ other.Base }), new(struct{ *other.Base }), new(struct{ other.Alias }),
		new(struct {
			error
			int
			Str
		}),
		new(struct {
			a, b string
			c    any
			d    []byte
			e    map[string]int
			f    func()
			g    *int
			h    uint32
			i    float32
		}),
		new(struct{ f float64 }), new(struct{ f, g float32 }), new(struct {
			a uint8
			b uint8
			c uint16
			d uint32
		}),
		new(other.S), new(struct {
			x int
			Y string
		}),
		new(struct {
			atomic.Int64
			n int32
		}),
	}
}

type (
	Int       int
	Str       string
	Float     float64
	Func      func(Int) Str
	Slice     []Slice
	Map       map[string]Map
	Chan      chan Chan
	Ptr       *Int
	PtrStruct *Point
	Array     [3]Array1
	Array1    [1]*Array1
	Iface     interface{ M(Iface) Iface }
	Empty     interface{}
	Unsafe    unsafe.Pointer
	lower     struct{ x int }
	Point     struct{ X, Y int }
	Node      struct {
		Val         int
		Left, Right *Node
		Meta        map[string][]*Node
		f           func(*Node) error
	}
	Both interface {
		io.Reader
		fmt.Stringer
		io.Closer
		private()
	}
	Mixed interface {
		other.Hidden
		local() lower
		Zeta(a, b int) (n int, err error)
		Alpha(...string)
	}
)

func (i Int) String() string               { return "" }
func (i *Int) Inc()                        {}
func (s Str) Len() int                     { return len(s) }
func (f Func) Call(i Int) Str              { return f(i) }
func (s Slice) At(i int) Slice             { return s[i] }
func (m Map) private()                     {}
func (p Point) Add(q Point) Point          { return p }
func (p *Point) Scale(k float64, _ ...Int) {}
func (p Point) zz() int                    { return 0 }
func (p Point) aa() (x int, y string)      { return 0, "" }
func (p *Point) _()                        {}
func (l lower) M()                         {}
func (l *lower) n()                        {}

func Named() []any {
	return []any{
		new(Int), new(Str), new(Float), new(Func), new(Slice), new(Map), new(Chan), new(Ptr), new(PtrStruct),
		new(Array), new(Array1), new(Iface), new(Empty), new(Unsafe), new(lower), new(Point), new(Node), new(Both), new(Mixed),
		new(*Point), new(*lower), new(**Point), new([]Point), new(map[Point]*lower), new(chan Point), new([2]Point),
		new(time.Time), new(time.Duration), new(*time.Location), new(sync.Mutex), new(sync.Once), new(sync.WaitGroup),
		new(atomic.Int64), new(atomic.Pointer[Point]), new(atomic.Value), new(reflect.Value), new(reflect.Type), new(reflect.Kind),
		new(io.ReadWriteCloser), new(*io.PipeReader), new(fmt.Stringer), new(fmt.State), new(dotted.T),
	}
}

type (
	Embed struct {
		Point
		*lower
		Iface
		Name string
	}
	EmbedPtr struct{ *Embed }
	Deep     struct{ EmbedPtr }
	Foreign  struct {
		other.Base
		Point
	}
	ForeignIface struct{ other.Hidden }
	Renamed      struct{ other.Alias }
	MyInt        = Int
	AliasEmbed   struct{ MyInt }
	Clash        struct {
		Point
		*P2
	}
	P2 struct{ Scale int }
)

func Embedded() []any {
	return []any{
		new(Embed), new(EmbedPtr), new(Deep), new(Foreign), new(ForeignIface), new(Renamed), new(AliasEmbed), new(Clash),
		new(struct{ Point }), new(*struct{ Point }), new(struct{ *Point }), new(struct {
			Iface
			x int
		}),
		new(struct{ MyInt }), new(struct{ Int }),
		new(struct{ other.Hidden }), new(*struct{ *Embed }),
	}
}

type big struct{ a [17]int }

func Maps() []any {
	return []any{
		new(map[string]int), new(map[int]string), new(map[int32]bool), new(map[any]any), new(map[float64]struct{}),
		new(map[big]int), new(map[int]big), new(map[big]big), new(map[[128]byte][128]byte), new(map[[129]byte]int8),
		new(map[*Node]*Node), new(map[Iface]Point), new(map[struct {
			a int
			b string
		}][]int), new(map[struct{ x, y int32 }]uint8), new(map[bool]map[string]map[int]bool), new(map[[2]any]func()),
		new(map[chan int]unsafe.Pointer), new(map[complex128]int8), new(map[uint8]uint8), new(map[struct {
			_ int
			b int8
		}]int16),
	}
}

type (
	Pair[K comparable, V any] struct {
		Key K
		Val V
	}
	List[T any] struct {
		Head T
		Next *List[T]
	}
	Set[T comparable]    map[T]struct{}
	Fn[A, B any]         func(A) B
	Num[T ~int | ~int64] struct{ n T }
)

func (p Pair[K, V]) Swap() Pair[K, V]        { return p }
func (p *Pair[K, V]) each(f func(K, V) bool) {}
func (l *List[T]) Push(t T) *List[T]         { return nil }
func (l *List[T]) All() iter.Seq[T]          { return nil }
func (s Set[T]) Has(t T) bool                { return false }

func Generic() []any {
	return []any{
		new(Pair[string, int]), new(Pair[Int, []Point]), new(Pair[other.Base, *dotted.T]), new(*Pair[int, any]),
		new(List[int]), new(List[List[string]]), new(List[map[string]Pair[int, error]]), new(Set[Point]),
		new(Fn[int, func(...string) error]), new(Num[Int]), new(Pair[struct{ A int }, struct{ b int }]),
		new(List[interface{ M() }]), new(List[interface{ m() int }]), new(List[chan<- int]), new(List[rune]), new(Pair[byte, any]),
		new(struct{ Pair[int, string] }), new(struct{ *List[byte] }), new(iter.Seq2[int, lower]),
		new(atomic.Pointer[List[Point]]), new(List[struct{ other.Alias }]), new(List[struct {
			other.Base "tag"
			x          int
		}]),
	}
}

func Local() []any {
	type L struct{ a int }
	type Rec struct{ next *Rec }
	_ = func() {
		type L int
	}
	return []any{new(L), new(Rec), new(List[L]), new(map[L]Rec), new(struct{ L }), new(Pair[L, *Rec])}
}

func Local2() []any {
	type L string
	type G[T any] struct{ x T }
	return []any{new(L), new(List[L]), new(G[int]), new(G[L]), new([]G[G[L]])}
}

func Interfaces() []any {
	return []any{
		new(interface{ M() }), new(interface{ m() }), new(interface {
			Z()
			A(int) string
			b()
			a(...int)
		}), new(interface {
			io.Reader
			M()
		}), new(interface {
			other.Hidden
			own()
		}), new(interface{ comparableLike }),
		new(interface{ M(interface{ N() }) }), new([]interface{ error }),
	}
}

type comparableLike interface{ Equal(any) bool }

//go:build ignore

// Keys of each kind are found in a map by whoever looks: operations of the language, which have functions of their own for keys of
// 32 and 64 bits and strings, package reflect, and generic code.
package main

import (
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"reflect"
	"strings"
)

type (
	pair  struct{ a, b int32 }
	mixed struct {
		a uint8
		s string
		f float64
		_ int
		i any
	}
	word   string
	number uint32
	ptr    *int
	shape  interface{ Area() int }
	square int
	oblong struct{ a, b int }
)

func (s square) Area() int  { return int(s * s) }
func (o *oblong) Area() int { return o.a * o.b }

func (w word) String() string { return string(w) }

var targets [40]int
var oblongs [40]oblong
var chans [40]chan int

// all counts the keys that are found in each way in a map that was filled in each way.
func all[K comparable](name string, read func(map[K]int, K) (int, bool), write func(map[K]int, K, int), drop func(map[K]int, K), key func(i int) K) {
	for _, n := range []int{3, 8, 40} {
		direct, generic, reflected := map[K]int{}, map[K]int{}, reflect.MakeMap(reflect.MapOf(reflect.TypeFor[K](), reflect.TypeFor[int]()))
		for i := range n {
			k := key(i)
			write(direct, k, i)
			generic[k] = i
			reflected.SetMapIndex(reflect.ValueOf(&k).Elem(), reflect.ValueOf(i))
		}
		found := 0
		for _, m := range []map[K]int{direct, generic, reflected.Interface().(map[K]int), maps.Clone(direct)} {
			v := reflect.ValueOf(m)
			for i := range n {
				k := key(i)
				if x, ok := read(m, k); ok && x == i {
					found++
				}
				if x, ok := m[k]; ok && x == i {
					found++
				}
				if x := v.MapIndex(reflect.ValueOf(&k).Elem()); x.IsValid() && x.Int() == int64(i) {
					found++
				}
			}
			// Half of them go, in two ways.
			for i := range n {
				k := key(i)
				switch i % 4 {
				case 0:
					drop(m, k)
				case 1:
					v.SetMapIndex(reflect.ValueOf(&k).Elem(), reflect.Value{})
				}
			}
			for i := range n {
				k := key(i)
				_, ok := read(m, k)
				if ok != (i%4 > 1) || ok != v.MapIndex(reflect.ValueOf(&k).Elem()).IsValid() {
					found = -1000
				}
			}
		}
		if found != 12*n || !maps.Equal(direct, generic) {
			fmt.Println(name, n, found)
		}
	}
	// Equal keys have equal hashes, and others have not.
	seed := maphash.MakeSeed()
	hashes := map[uint64]bool{}
	for i := range 40 {
		h := maphash.Comparable(seed, key(i))
		var wide maphash.Hash
		wide.SetSeed(seed)
		maphash.WriteComparable(&wide, key(i))
		if h != maphash.Comparable(seed, key(i)) || wide.Sum64() != h {
			fmt.Println(name, "hash", i)
		}
		hashes[h] = true
	}
	fmt.Println(name, len(hashes))
}

func main() {
	// Operations on maps of known types are what the compiler makes functions of.
	all("int32", func(m map[int32]int, k int32) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[int32]int, k int32, i int) { m[k] = i },
		func(m map[int32]int, k int32) { delete(m, k) }, func(i int) int32 { return int32(i) * -77777 })
	all("number", func(m map[number]int, k number) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[number]int, k number, i int) { m[k] = i },
		func(m map[number]int, k number) { delete(m, k) }, func(i int) number { return number(i) << 26 })
	all("int64", func(m map[int64]int, k int64) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[int64]int, k int64, i int) { m[k] = i },
		func(m map[int64]int, k int64) { delete(m, k) }, func(i int) int64 { return int64(i) << 58 })
	all("int16", func(m map[int16]int, k int16) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[int16]int, k int16, i int) { m[k] = i },
		func(m map[int16]int, k int16) { delete(m, k) }, func(i int) int16 { return int16(i) - 20 })
	all("pointer", func(m map[*int]int, k *int) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[*int]int, k *int, i int) { m[k] = i },
		func(m map[*int]int, k *int) { delete(m, k) }, func(i int) *int { return &targets[i] })
	all("ptr", func(m map[ptr]int, k ptr) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[ptr]int, k ptr, i int) { m[k] = i },
		func(m map[ptr]int, k ptr) { delete(m, k) }, func(i int) ptr { return &targets[i] })
	for i := range chans {
		chans[i] = make(chan int)
	}
	all("chan", func(m map[chan int]int, k chan int) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[chan int]int, k chan int, i int) { m[k] = i },
		func(m map[chan int]int, k chan int) { delete(m, k) }, func(i int) chan int { return chans[i] })
	all("string", func(m map[string]int, k string) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[string]int, k string, i int) { m[k] = i },
		func(m map[string]int, k string) { delete(m, k) }, func(i int) string { return strings.Repeat("k", i) })
	all("word", func(m map[word]int, k word) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[word]int, k word, i int) { m[k] = i },
		func(m map[word]int, k word) { delete(m, k) }, func(i int) word { return word(strings.Repeat("k", 90) + fmt.Sprint(i)) })
	all("any", func(m map[any]int, k any) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[any]int, k any, i int) { m[k] = i },
		func(m map[any]int, k any) { delete(m, k) }, func(i int) any {
			return []any{int32(i), int64(i), fmt.Sprint(i), &targets[i], pair{int32(i), 1}, [2]string{"a", fmt.Sprint(i)}, float64(i), uint8(i), word(fmt.Sprint(i)), square(i)}[i%10]
		})
	all("shape", func(m map[shape]int, k shape) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[shape]int, k shape, i int) { m[k] = i },
		func(m map[shape]int, k shape) { delete(m, k) }, func(i int) shape { return []shape{square(i), &oblongs[i]}[i%2] })
	all("pair", func(m map[pair]int, k pair) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[pair]int, k pair, i int) { m[k] = i },
		func(m map[pair]int, k pair) { delete(m, k) }, func(i int) pair { return pair{1, int32(i)} })
	all("mixed", func(m map[mixed]int, k mixed) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[mixed]int, k mixed, i int) { m[k] = i },
		func(m map[mixed]int, k mixed) { delete(m, k) }, func(i int) mixed { return mixed{a: uint8(i), s: "s", f: math.Copysign(0, float64(i-20)), i: i} })
	all("array", func(m map[[3]int16]int, k [3]int16) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[[3]int16]int, k [3]int16, i int) { m[k] = i },
		func(m map[[3]int16]int, k [3]int16) { delete(m, k) }, func(i int) [3]int16 { return [3]int16{2: int16(i)} })
	all("strings", func(m map[[2]string]int, k [2]string) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[[2]string]int, k [2]string, i int) { m[k] = i },
		func(m map[[2]string]int, k [2]string) { delete(m, k) }, func(i int) [2]string { return [2]string{fmt.Sprint(i), "x"} })
	all("wide", func(m map[[40]int]int, k [40]int) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[[40]int]int, k [40]int, i int) { m[k] = i },
		func(m map[[40]int]int, k [40]int) { delete(m, k) }, func(i int) (k [40]int) { k[39-i] = 1; return k })
	all("float", func(m map[float64]int, k float64) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[float64]int, k float64, i int) { m[k] = i },
		func(m map[float64]int, k float64) { delete(m, k) }, func(i int) float64 { return float64(i) / 3 })
	all("complex", func(m map[complex64]int, k complex64) (int, bool) { x, ok := m[k]; return x, ok }, func(m map[complex64]int, k complex64, i int) { m[k] = i },
		func(m map[complex64]int, k complex64) { delete(m, k) }, func(i int) complex64 { return complex(float32(i), -1) })

	// However bytes come to package maphash, they have one hash, and it has all bits.
	seed := maphash.MakeSeed()
	var set, unset uint64
	for n := range 400 {
		s := strings.Repeat("x", n)
		want := maphash.String(seed, s)
		var pieces maphash.Hash
		pieces.SetSeed(seed)
		for i := 0; i < n; i += 7 {
			pieces.WriteString(s[i:min(i+7, n)])
		}
		if maphash.Bytes(seed, []byte(s)) != want || pieces.Sum64() != want {
			fmt.Println("maphash", n)
		}
		set, unset = set|want, unset|^want
	}
	fmt.Println(set == math.MaxUint64, unset == math.MaxUint64)
}

// Output:
// int32 40
// number 40
// int64 40
// int16 40
// pointer 40
// ptr 40
// chan 40
// string 40
// word 40
// any 40
// shape 40
// pair 40
// mixed 40
// array 40
// strings 40
// wide 40
// float 40
// complex 40
// true true

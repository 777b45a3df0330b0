// Guests with types, values and documents deeper or more than anybody needs.
package main

import (
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"go/parser"
	"os"
	"reflect"
	"strings"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"pointers without end": func() {
		for t := reflect.TypeFor[int](); ; {
			t = reflect.PointerTo(t)
		}
	},
	"slices without end": func() {
		for t := reflect.TypeFor[int](); ; {
			t = reflect.SliceOf(t)
			keep = reflect.New(t).Interface()
		}
	},
	"maps without end": func() {
		for t := reflect.TypeFor[int](); ; {
			t = reflect.MapOf(reflect.TypeFor[int](), t)
		}
	},
	"functions without end": func() {
		for t := reflect.TypeFor[int](); ; {
			t = reflect.FuncOf([]reflect.Type{t}, []reflect.Type{t}, false)
		}
	},
	"channels without end": func() {
		for t := reflect.TypeFor[int](); ; {
			t = reflect.ChanOf(reflect.BothDir, t)
		}
	},
	"arrays without end": func() {
		for i := 1; ; i++ {
			keep = reflect.Zero(reflect.ArrayOf(i, reflect.TypeFor[*int]())).Interface()
		}
	},
	"array beyond memory": func() { keep = reflect.New(reflect.ArrayOf(1<<50, reflect.TypeFor[int]())).Interface() },
	"array overflows":     func() { reflect.ArrayOf(1<<62, reflect.TypeFor[int]()) },
	"array of arrays": func() {
		t := reflect.TypeFor[*int]()
		for range 20 {
			t = reflect.ArrayOf(2, t)
		}
		for {
			keep = reflect.New(t).Interface()
		}
	},
	"structs without end": func() {
		t := reflect.TypeFor[int]()
		for i := 0; ; i++ {
			t = reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.PointerTo(t)}, {Name: "B", Type: reflect.ArrayOf(i, reflect.TypeFor[*int]())}})
			keep = reflect.New(t).Interface()
		}
	},
	"struct of many": func() {
		var f []reflect.StructField
		for i := range 10_000 {
			f = append(f, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[*int]()})
		}
		println(reflect.New(reflect.StructOf(f)).Elem().NumField())
	},
	"struct with double fields": func() {
		reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int]()}, {Name: "A", Type: reflect.TypeFor[int]()}})
	},
	"comparison of made types": func() {
		t := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[[]int]()}})
		println(reflect.Zero(t).Interface() == reflect.Zero(t).Interface())
	},
	"generic of generics": func() { wrap[int](1, 30) },
	"deep document": func() {
		var x any
		err := json.Unmarshal([]byte(strings.Repeat("[", 1_000_000)), &x)
		println(err.Error())
	},
	"deep objects": func() {
		var x any
		println(json.Unmarshal([]byte(strings.Repeat(`{"a":`, 9999)+"1"+strings.Repeat("}", 9999)), &x) == nil)
	},
	"circle as document": func() {
		type node struct{ Next *node }
		n := new(node)
		n.Next = n
		_, err := json.Marshal(n)
		println(err.Error()[:40])
	},
	"deep markup": func() {
		var x struct{ A any }
		println(xml.Unmarshal([]byte(strings.Repeat("<a>", 100_000)), &x) != nil)
	},
	"forged gob": func() {
		var x any
		for i := range 256 {
			err := gob.NewDecoder(strings.NewReader(strings.Repeat(string([]byte{byte(i), 0xf8, 0x7f, 0xff}), 100))).Decode(&x)
			if err == nil {
				println(i)
			}
		}
	},
	"deep source": func() {
		_, err := parser.ParseExpr(strings.Repeat("(", 1_000_000))
		println(err.Error() != "")
	},
	"deep equal of circles": func() {
		a, b := []any{nil}, []any{nil}
		a[0], b[0] = a, b
		println(reflect.DeepEqual(a, b))
	},
	"deep equal of a dag": func() {
		var a, b any = 1, 1
		for range 50 {
			a, b = [2]any{a, a}, [2]any{b, b}
		}
		println(reflect.DeepEqual(a, b))
	},
}

var keep any

type box[T any] struct{ a T }

func wrap[T any](x T, n int) {
	if n == 0 {
		fmt.Printf("%T\n", x)
		return
	}
	keep = box[T]{x}
	wrap(x, n-1)
}

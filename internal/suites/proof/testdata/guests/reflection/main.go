// Command reflection calls methods and makes functions by reflection. Package
// reflect makes types at run time and keeps them in maps by address, so its gas
// depends on where they lie.
package main

import (
	"bytes"
	"fmt"
	"reflect"
	"text/template"
)

type item struct {
	Name  string
	Price float64
	Tags  []string
}

func (i item) Total(n int) float64 { return i.Price * float64(n) }

func main() {
	it := item{"a", 1.5, []string{"x", "y"}}
	v := reflect.ValueOf(it).MethodByName("Total").Call([]reflect.Value{reflect.ValueOf(3)})
	swap := reflect.MakeFunc(reflect.TypeFor[func(int, string) (string, int)](), func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{a[1], a[0]}
	}).Interface().(func(int, string) (string, int))
	s, n := swap(1, "one")
	fmt.Println(v[0], s, n)
	var buf bytes.Buffer
	template.Must(template.New("t").Parse("{{range .Tags}}<{{.}}>{{end}} {{.Total 2 | printf \"%.1f\"}}\n")).Execute(&buf, it)
	fmt.Print(buf.String())
	t := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"a"`}, {Name: "B", Type: reflect.SliceOf(reflect.TypeFor[item]())}})
	x := reflect.New(t).Elem()
	x.Field(0).SetInt(3)
	x.Field(1).Set(reflect.Append(x.Field(1), reflect.ValueOf(it)))
	fmt.Printf("%T %+v\n", x.Interface(), x)
	m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), t))
	m.SetMapIndex(reflect.ValueOf("k"), x)
	fmt.Println(m.Len(), m.MapIndex(reflect.ValueOf("k")))
}

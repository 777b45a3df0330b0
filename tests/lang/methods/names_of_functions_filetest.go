//go:build ignore && go1.27

// runtime.FuncForPC of instantiated method values and expressions.
package main

import (
	"fmt"
	"reflect"
	"runtime"
)

func name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

type T struct{ n int }

func (t T) Val[P any](P) int  { return t.n }
func (t *T) Ptr[P any](P) int { return t.n }
func (t T) Lit[P any]() any   { return func(P) T { return t } }
func (t T) Here[P any]() string {
	pc, _, _, _ := runtime.Caller(0)
	return runtime.FuncForPC(pc).Name()
}

type G[E any] struct{}

func (*G[E]) Here[P any]() string {
	pc, _, _, _ := runtime.Caller(0)
	return runtime.FuncForPC(pc).Name()
}

func main() {
	var t T
	fmt.Println(t.Here[int](), (*T).Here[string](&t), (&G[int]{}).Here[bool]())
	fmt.Println(name(t.Lit[int]()))
	fmt.Println(func() string { return T{}.Here[any]() }())
}

// Output:
// main.T.Here[...] main.T.Here[...] main.(*G[...]).Here[...]
// main.T.Lit[...].func1
// main.T.Here[...]

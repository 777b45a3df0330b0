//go:build ignore && go1.27

// Keys of embedded interfaces, functions and other named types that are no structs.
package main

import (
	"errors"
	"fmt"
)

type Num int

type Fn func() string

type List []int

type Base struct {
	error
	Num
	Fn
	List
	fmt.Stringer
}

type T struct {
	Base
	n int
}

type name string

func (n name) String() string { return "name " + string(n) }

func main() {
	t := T{error: errors.New("err"), Num: 3, Fn: func() string { return "fn" }, List: List{1, 2}, Stringer: name("s"), n: 1}
	fmt.Println(t.Error(), t.Num, t.Fn(), t.List[1], t.String(), t.n)
	var e error = T{error: t.error}
	fmt.Println(errors.Is(e.(T).error, t.error), T{Num: 4}.Num+1, T{}.error == nil)
	u := struct {
		T
		*List
	}{Num: 5, List: &List{9}}
	fmt.Println(u.Num, *u.List, len(u.Base.List))
}

// Output:
// err 3 fn 2 name s 1
// true 5 true
// 5 [9] 0

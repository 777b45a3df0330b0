//go:build ignore && go1.27

// Panics pass through generic methods, whose deferred functions see and change results.
package main

import (
	"errors"
	"fmt"
)

type Safe[E error] struct{ log []string }

func (s *Safe[E]) Try[R any](f func() R) (r R, err E, ok bool) {
	defer s.note[R]("try")
	defer func() {
		switch x := recover().(type) {
		case nil:
			ok = true
		case E:
			err = x
		default:
			panic(x)
		}
	}()
	return f(), err, false
}

func (s *Safe[E]) note[R any](what string) {
	s.log = append(s.log, fmt.Sprintf("%s %T %v", what, *new(R), recover()))
}

type my struct{ n int }

func (m my) Error() string { return fmt.Sprint("my ", m.n) }

func (m my) Raise[P any](p P) P { panic(m) }

func main() {
	var s Safe[my]
	fmt.Println(s.Try(func() int { return 5 }))
	fmt.Println(s.Try(func() string { return my{3}.Raise("x") }))
	fmt.Println(s.Try(func() []int { panic(errors.New("other")) }))
	var e Safe[error]
	fmt.Println(e.Try(func() int { var p *int; return *p }))
	fmt.Println(s.log, e.log)
}

// Output:
// 5 my 0 true
//  my 3 false
// [] my 0 false
// 0 runtime error: invalid memory address or nil pointer dereference false
// [try int <nil> try string <nil> try []int other] [try int <nil>]

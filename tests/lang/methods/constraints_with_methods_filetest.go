//go:build ignore && go1.27

// Constraints with methods: calls go to the argument's method, through pointers and promotion.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

type Sorter struct{ log []string }

func (s *Sorter) Sort[E interface{ Less(E) bool }](list []E) []E {
	slices.SortFunc(list, func(a, b E) int {
		switch {
		case a.Less(b):
			return -1
		case b.Less(a):
			return 1
		}
		return 0
	})
	s.log = append(s.log, fmt.Sprintf("%T", list))
	return list
}

func (s *Sorter) By[E any, K cmp.Ordered](list []E, key func(E) K) []E {
	slices.SortFunc(list, func(a, b E) int { return cmp.Compare(key(a), key(b)) })
	return list
}

func (s *Sorter) New[E any, P interface {
	*E
	Set(string) error
}](texts ...string) (list []E, err error) {
	for _, t := range texts {
		var e E
		err = errors.Join(err, P(&e).Set(t))
		list = append(list, e)
	}
	return
}

func (s *Sorter) Strings[S fmt.Stringer](list ...S) (r []string) {
	for _, x := range list {
		r = append(r, x.String())
		f := x.String
		r = append(r, f(), S.String(x))
	}
	return
}

type item struct{ n int }

func (i item) Less(j item) bool { return i.n < j.n }
func (i *item) Set(s string) error {
	_, err := fmt.Sscan(s, &i.n)
	return err
}
func (i item) String() string { return fmt.Sprint("#", i.n) }

type wrapped struct{ item }

type other interface{ Less(other) bool }

func main() {
	var s Sorter
	fmt.Println(s.Sort([]item{{3}, {1}, {2}}))
	fmt.Println(s.Sort([]other{}), s.log)
	fmt.Println(s.By([]string{"ccc", "a", "bb"}, func(s string) int { return -len(s) }))
	fmt.Println(s.New[item]("5", "6"))
	_, err := s.New[item]("x")
	fmt.Println(err != nil)
	fmt.Println(s.Strings(item{1}), s.Strings(wrapped{item{2}}), s.Strings(&item{3}), s.Strings[fmt.Stringer](item{4}, &wrapped{}))
}

// Output:
// [#1 #2 #3]
// [] [[]main.item []main.other]
// [ccc bb a]
// [#5 #6] <nil>
// true
// [#1 #1 #1] [#2 #2 #2] [#3 #3 #3] [#4 #4 #4 #0 #0 #0]

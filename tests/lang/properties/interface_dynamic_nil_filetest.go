//go:build ignore

package main

type E struct{}

func (*E) Error() string { return "E" }

func find(fail bool) error {
	var e *E
	if fail {
		e = &E{}
	}
	return e
}

func main() { println(find(true) == nil, find(false) == nil, find(false) == error((*E)(nil))) }

// Stderr:
// false false true

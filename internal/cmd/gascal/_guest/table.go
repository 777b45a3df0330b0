// Package guest is the program that gascal measures primitives with: what is no operation of the IR and no statement, but costs
// what a guest can make it cost. Each row of the table is a loop around one of them.
//
// The host calls [Rows] for the names, and for each row, in an instance of its own, [Set] once, and [Do] and [Plain] in turn. A loop may
// be called again and again: it leaves memory, goroutines and maps as large as it found them.
package guest

import "slices"

// A row is a primitive. set makes what the loop needs, do executes it n times.
type row struct {
	name string
	set  func()
	do   func(n int)
	bare bool // do is a loop of its own, whose cost belongs to the row
}

// rows are those of all files of the package, in the order in which they are printed.
func rows() []row {
	return slices.Concat(missRows(), pageRows(), bulkRows(), stackRows(), walkRows(), collectRows(), syncRows(), goRows(),
		kernelRows(), mathRows(), hostRows(), textRows(), dataRows())
}

// Rows are the names of the rows.
func Rows() []string {
	var names []string
	for _, r := range rows() {
		names = append(names, r.name)
	}
	return names
}

var chosen row

// Set chooses a row and prepares it. It reports whether there is one of that name.
func Set(name string) bool {
	for _, r := range rows() {
		if r.name == name {
			if chosen = r; r.set != nil {
				r.set()
			}
			return true
		}
	}
	return false
}

// Do executes the primitive of the chosen row n times.
func Do(n int) { chosen.do(n) }

// Base is what Do(n) costs besides: the loop of [each], and what it calls.
func Base(n int) {
	if !chosen.bare {
		empty.do(n)
	}
}

var empty = each("", nil, func(int) {})

// Plain is the loop that is the unit.
func Plain(n int) {
	x := num
	for i := range n {
		x = x*3 + i
	}
	num = x
}

// What rows leave their results in, so that no compiler drops the work.
var (
	num   int
	fl    float64
	str   string
	raw   []byte
	thing any
)

// loop is a row whose primitive stands in a loop of its own.
func loop(name string, set func(), do func(n int)) row { return row{name, set, do, true} }

// each is a row whose primitive is a function.
func each(name string, set func(), one func(i int)) row {
	return row{name, set, func(n int) {
		for i := range n {
			one(i)
		}
	}, false}
}

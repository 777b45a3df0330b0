// The line about a signal stands in the report of a panic when a nil dereference
// is among the panics in progress, or was and has been replaced.
//
//gyr:cases 16
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
)

var np *int

type bad struct{}

func (bad) Error() string { println(*np); return "" }

func recovered() {
	defer func() { recover() }()
	println(*np)
}

var cases = []func(){
	func() { println(*np) },
	func() { defer func() { panic("second") }(); println(*np) },
	func() { defer func() { recover(); panic("second") }(); println(*np) },
	func() {
		defer func() { panic("third") }()
		defer func() { defer func() { recover() }(); panic("second") }()
		println(*np)
	},
	func() { defer recovered(); panic("first") },
	func() { recovered(); panic("first") },
	func() { defer func() { recovered(); panic("x") }(); panic("first") },
	func() {
		defer func() { func() { defer func() { recover() }(); panic("y") }(); panic("x") }()
		println(*np)
	},
	func() { defer func() { r := recover(); panic(r) }(); println(*np) },
	func() {
		defer func() { r := recover(); defer func() { panic(r) }(); panic("in between") }()
		println(*np)
	},
	func() { defer func() { defer func() { panic("third") }(); panic("second") }(); println(*np) },
	func() { panic(bad{}) },
	func() {
		f := func() { defer func() { recover() }(); defer func() { panic("a") }(); println(*np) }
		defer func() { f(); panic("b") }()
		panic("c")
	},
	func() {
		defer func() { recover(); panic("b") }()
		defer func() { println(*np) }()
		panic("a")
	},
	func() { defer func() { var c chan int; close(c) }(); println(*np) },
	func() {
		done := make(chan bool)
		go func() { defer close(done); defer recovered(); runtime.Goexit() }()
		<-done
		panic("another goroutine")
	},
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	fmt.Println("case", n)
	cases[n]()
}

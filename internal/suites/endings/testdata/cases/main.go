// The program of package endings: it runs the case that its argument names.
package main

import (
	"os"
	"runtime"
	"strings"
)

// Cases that end the program before main.
func init() {
	switch os.Args[1] {
	case "caseInitPanics":
		panic("in init")
	case "caseInitGoexit":
		runtime.Goexit()
	case "caseInitSleeps":
		select {}
	case "caseInitFatal":
		caseUnlock()
	case "caseInitStacks":
		runtime.LockOSThread()
		stacks()
	}
}

func caseInitPanics() {}
func caseInitGoexit() {}
func caseInitSleeps() {}
func caseInitFatal()  {}
func caseInitStacks() { stacks(); runtime.UnlockOSThread(); stacks() }

func main() {
	f := cases[os.Args[1]]
	if f == nil {
		println("no case", os.Args[1])
		os.Exit(99)
	}
	f()
	println("returned")
}

// told prints n and returns a text of its own.
func told(n int) string {
	println("told", n)
	return text[:1+n%3]
}

// settle lets other goroutines run until they are all blocked.
func settle() {
	buf := make([]byte, 1<<16)
	for {
		runtime.Gosched()
		text := string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(text, " [runnable") && strings.Count(text, " [running") == 1 {
			return
		}
	}
}

// stacks prints the states and frames of all goroutines.
func stacks() {
	buf := make([]byte, 1<<16)
	print(string(buf[:runtime.Stack(buf, true)]), "\n")
}

// caught calls f and prints what it panics with.
func caught(name string, f func()) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			println(name, "returned, or panicked with nil")
		case runtime.Error:
			println(name, "runtime.Error:", r.Error())
		case error:
			println(name, "error:", r.Error())
		case string:
			println(name, "string:", r)
		default:
			println(name, "another:", r)
		}
	}()
	f()
}

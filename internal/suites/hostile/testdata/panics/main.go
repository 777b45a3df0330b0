// Guests that panic where it hurts, and exits.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"panic": func() { panic("plain") },
	"panic in defer": func() {
		defer func() { panic("second") }()
		panic("first")
	},
	"panic in all defers": func() {
		for i := range 1000 {
			defer func() { panic(i) }()
		}
	},
	"repanic": func() {
		for range 1000 {
			defer func() { panic(recover()) }()
		}
		panic("again and again")
	},
	"repanic by levels": func() { levels(1000) },
	"recover for ever": func() {
		for {
			func() {
				defer func() { recover() }()
				levels(10)
			}()
		}
	},
	"panic nil":       func() { panic(nil) },
	"nil dereference": func() { var p *[100]int; i := 50; println(p[i]) },
	"nil far away":    func() { var p *[1 << 28]int; i := 1 << 27; println(p[i]) },
	"nil method":      func() { var e error; println(e.Error()) },
	"nil function":    func() { var f func(); f() },
	"divide":          func() { z := len(os.Args) - 2; println(1 / z) },
	"smallest by -1":  func() { m, n := -1<<63, -(len(os.Args) - 1); println(m/n, m%n) },
	"shift":           func() { n := -len(os.Args); println(1 << n) },
	"index":           func() { s := []int{1}; i := 1 << 40; println(s[i]) },
	"conversion":      func() { s := make([]int, 3); x := [4]int(s); println(x[0]) },
	"assertion":       func() { var x any = 1; println(x.(string)) },
	"missing method":  func() { var x any = 1; println(x.(error)) },
	"goexit in defer": func() {
		defer runtime.Goexit()
		panic("lost")
	},
	"goexit and panic": func() {
		defer func() { panic("after") }()
		runtime.Goexit()
	},
	"goexit and recover": func() {
		go func() {
			for i := range 100 {
				defer func() {
					defer func() { recover() }()
					if i%2 == 0 {
						runtime.Goexit()
					}
					panic(i)
				}()
			}
			runtime.Goexit()
		}()
		runtime.Gosched()
		println("main goes on")
	},
	"Error panics":     func() { panic(nasty(0)) },
	"Error panics too": func() { panic(nasty(1)) },
	"Error exits":      func() { panic(nasty(2)) },
	"Error blocks":     func() { panic(nasty(3)) },
	"Error loops":      func() { panic(nasty(4)) },
	"Error is long":    func() { panic(nasty(5)) },
	"Error goes":       func() { panic(nasty(6)) },
	"long text":        func() { panic(strings.Repeat("long\n", 20_000)) },
	"forged text":      func() { panic("x\n\ngoroutine 1 [running]:\nmain.main()\n\nexit status 0") },
	"in init":          nil,
	"exit 0":           func() { defer println("never"); os.Exit(0) },
	"exit 3":           func() { os.Exit(3) },
	"exit 121":         func() { os.Exit(121) },
	"exit 256":         func() { os.Exit(256) },
	"exit -1":          func() { os.Exit(-1) },
	"exit smallest":    func() { os.Exit(-1 << 31) },
	"exit largest":     func() { os.Exit(1<<63 - 1) },
	"exit in a panic": func() {
		defer os.Exit(4)
		panic("unseen")
	},
	"fatal in a panic": func() {
		defer func() {
			var m map[string]int
			defer func() { m["x"] = 1 }()
			runtime.SetFinalizer(1, 2)
		}()
		panic("first")
	},
	"joined errors": func() {
		err := errors.New("x")
		for range 22 {
			err = errors.Join(err, err)
		}
		panic(err)
	},
	"wrapped errors": func() {
		err := errors.New("x")
		for i := range 3000 {
			err = fmt.Errorf("%d: %w", i, err)
		}
		for errors.Unwrap(err) != nil {
			err = errors.Unwrap(err)
		}
		panic(err)
	},
}

func init() {
	if os.Args[1] == "in init" {
		panic("in init")
	}
}

func levels(n int) {
	defer func() {
		if r := recover(); r != nil {
			panic(fmt.Sprint(strconv.Itoa(n)))
		}
	}()
	if n == 0 {
		panic("bottom")
	}
	levels(n - 1)
}

type nasty int

func (n nasty) Error() string {
	switch n {
	case 0:
		panic("in Error")
	case 1:
		panic(n)
	case 2:
		os.Exit(6)
	case 3:
		select {}
	case 4:
		for {
		}
	case 5:
		return strings.Repeat("x", 1<<20)
	case 6:
		runtime.Goexit()
	}
	return ""
}

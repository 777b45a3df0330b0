package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime/pprof"
	"strings"
	"time"
)

// The text of profiles has the stacks that are in them, with debug 1.
func main() {
	block, ready := make(chan int), make(chan int)
	for range 3 {
		go wait(ready, block)
	}
	go func() { other(ready, block) }()
	for range 4 {
		<-ready
	}
	time.Sleep(10 * time.Millisecond)
	own := pprof.NewProfile("own")
	for i := range 5 {
		enter(own, i)
	}
	own.Add("one", 0)
	for _, name := range []string{"goroutine", "own"} {
		var b bytes.Buffer
		pprof.Lookup(name).WriteTo(&b, 1)
		print(b.String())
	}
}

func wait(ready, c chan int)            { ready <- 1; <-c }
func other(ready, c chan int)           { ready <- 1; <-c }
func enter(p *pprof.Profile, value int) { p.Add(value, 0) }

var line = regexp.MustCompile(`^#\s+0x[0-9a-f]+\s+main\.(\S+)\+0x[0-9a-f]+\s+\S+/stackprofile\.go:(\d+)$`)
var head = regexp.MustCompile(`^(\d+) @( 0x[0-9a-f]+)+$`)

// print prints what is the same everywhere.
func print(text string) {
	var one []string
	single := map[string]bool{}
	for _, s := range strings.Split(text, "\n") {
		switch m := head.FindStringSubmatch(s); {
		case m != nil:
			one = []string{m[1]}
		case strings.Contains(s, "profile: total"):
			fmt.Println(s)
		case s == "" && len(one) > 1:
			if one[0] == "1" {
				single[strings.Join(one, " ")] = true // in the order of addresses
			} else {
				fmt.Println(strings.Join(one, " "))
			}
			one = nil
		default:
			if m := line.FindStringSubmatch(s); m != nil {
				one = append(one, m[1]+":"+m[2])
			}
		}
	}
	fmt.Println(len(single))
	for s := range single {
		if strings.Contains(s, "other") {
			fmt.Println(s)
		}
	}
}

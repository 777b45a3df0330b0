//go:build ignore && go1.27

// Tracebacks show labels of goroutines behind the brackets, quoted where they have to be.

//go:debug default=go1.27
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
)

func header(all bool) {
	buf := make([]byte, 1<<16)
	buf = buf[:runtime.Stack(buf, all)]
	for _, l := range strings.Split(string(buf), "\n") {
		if strings.HasPrefix(l, "goroutine ") {
			_, l, _ = strings.Cut(l, "[")
			fmt.Println("[" + l)
		}
	}
}

func with(f func(), labels ...string) {
	pprof.Do(context.Background(), pprof.Labels(labels...), func(context.Context) { f() })
}

func show(labels ...string) { with(func() { header(false) }, labels...) }

func main() {
	header(false)
	show()
	show("key", "value")
	show("b", "2", "a", "1", "b", "3")
	show("a/b.c_D", "ZAz09")
	show("", "", "-", "a b")
	show("k", "\n\r\t\\\"`'\x00\x1f\x7f~\u00a0\u00e9\u4e16\U0001f600\xff\xc3\ufffd")
	show("\u4e16", "x", "x", "\u4e16")
	pprof.Do(context.Background(), pprof.Labels("outer", "1", "k", "o"), func(ctx context.Context) {
		pprof.Do(ctx, pprof.Labels("k", "i"), func(context.Context) {
			header(false)
			var wg sync.WaitGroup
			wg.Add(1)
			go func() { header(false); wg.Done() }() // inherits them
			wg.Wait()
		})
		header(false)
	})
	c := make(chan int)
	with(func() { go func() { <-c }() }, "waits", "for c")
	runtime.Gosched()
	header(true)
	for _, v := range []string{"tracebacklabels=0", "tracebacklabels=1", "", "panicnil=0", "tracebacklabels=0,tracebacklabels=1", "tracebacklabels=-1", "tracebacklabels=+1", "tracebacklabels=2"} {
		os.Setenv("GODEBUG", v)
		fmt.Printf("%q: ", v)
		show("a", "b")
	}
	os.Unsetenv("GODEBUG")
	show("a", "b")
}

// Output:
// [running]:
// [running]:
// [running] {key: value}:
// [running] {a: 1, b: 3}:
// [running] {a/b.c_D: ZAz09}:
// [running] {: , "-": "a b"}:
// [running] {k: "\n\r\t\\\"`'\x00\x1f\u007f~\u00a0\u00e9\u4e16\U0001f600\xff\xc3\ufffd"}:
// [running] {x: "\u4e16", "\u4e16": x}:
// [running] {k: i, outer: 1}:
// [running] {k: i, outer: 1}:
// [running] {k: o, outer: 1}:
// [running]:
// [chan receive] {waits: "for c"}:
// "tracebacklabels=0": [running]:
// "tracebacklabels=1": [running] {a: b}:
// "": [running]:
// "panicnil=0": [running]:
// "tracebacklabels=0,tracebacklabels=1": [running] {a: b}:
// "tracebacklabels=-1": [running]:
// "tracebacklabels=+1": [running] {a: b}:
// "tracebacklabels=2": [running]:
// [running]:

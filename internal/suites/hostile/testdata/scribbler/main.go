// Scribbler reads a script of four-byte commands from standard input and writes over
// its own memory, then uses what is left.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sync"
	"time"
	"unsafe"
	"weak"
)

type shape interface{ area() int }

type square struct{ side int }

func (s *square) area() int { return s.side * s.side }

var (
	texts  = []string{"one", "two", "three"}
	table  = map[string]int{"a": 1, "b": 2}
	things []any
	shapes []shape
	queue  = make(chan int, 4)
	mu     sync.Mutex
	list   *cell
)

type cell struct {
	next *cell
	data [4]int
}

func main() {
	script := make([]byte, 4096)
	n, _ := os.Stdin.Read(script)
	for i := range 50 {
		list = &cell{next: list}
		table[fmt.Sprint(i)] = i
		shapes = append(shapes, &square{i})
		things = append(things, list, i, texts)
	}
	for range 3 {
		go func() {
			for v := range queue {
				mu.Lock()
				things = append(things, v)
				mu.Unlock()
			}
		}()
	}
	timer := time.AfterFunc(100, func() { things = nil })
	runtime.Gosched()
	f := func(n int) int { return n + len(texts) }
	// What a command may aim at: objects of all kinds, and memory at large.
	targets := []uintptr{
		0x10000, addr(&texts), addr(&table), addr(&things), addr(&shapes), addr(&queue), addr(&list), addr(&f), addr(timer), addr(&mu),
		*(*uintptr)(unsafe.Pointer(&table)), *(*uintptr)(unsafe.Pointer(&queue)), *(*uintptr)(unsafe.Pointer(&f)),
		addr(list), addr(&things[0]), addr(&shapes[0]), *(*uintptr)(unsafe.Pointer(&shapes[0])),
	}
	top := addr(new([1000]int))
	for s := script[:n]; len(s) >= 4; s = s[4:] {
		base := targets[int(s[1])%len(targets)]
		p := base + uintptr(s[2])*8
		if s[0]&0x40 != 0 {
			p = 0x10000 + (uintptr(s[1])<<16+uintptr(s[2])<<8+uintptr(s[3]))%(top-0x10000)
		}
		word := (*uint64)(unsafe.Pointer(p &^ 7))
		switch s[0] & 15 {
		case 0, 1:
			*word = uint64(s[3])
		case 2:
			*word = uint64(targets[int(s[3])%len(targets)])
		case 3:
			*word ^= 1 << (s[3] % 64)
		case 4:
			*word = -uint64(s[3])
		case 5:
			*(*byte)(unsafe.Pointer(p)) = s[3]
		case 6:
			*word = uint64(p) + uint64(s[3]) - 128
		case 7:
			*(*uint64)(unsafe.Pointer(targets[int(s[3])%len(targets)])) = *word
		default:
			use(s[0]&15, int(s[3]), f)
		}
	}
	close(queue)
	runtime.GC()
	fmt.Println(len(things), len(table), texts)
}

func addr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

func use(what byte, n int, f func(int) int) {
	defer func() { recover() }()
	switch what {
	case 8:
		runtime.GC()
	case 9:
		for k, v := range table {
			table[k+"x"] = v + n
			if len(table) > 200 {
				clear(table)
			}
		}
	case 10:
		fmt.Fprintln(os.Stderr, things[n%len(things)], texts)
	case 11:
		println(shapes[n%len(shapes)].area(), f(n))
	case 12:
		select {
		case queue <- n:
		default:
			runtime.Gosched()
		}
	case 13:
		time.Sleep(time.Duration(n))
	case 14:
		v := reflect.ValueOf(things[n%len(things)])
		things = append(things, v.Interface(), reflect.New(v.Type()).Interface(), weak.Make(list))
	case 15:
		for c := list; c != nil; c = c.next {
			c.data[n%4]++
		}
		panic(things[n%len(things)])
	}
}

package guest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"weak"
)

// A next is an element of a list whose elements follow each other at random places.
type next struct {
	to   *next
	_, _ int
}

type leaf struct {
	left, right *leaf
	key         uint64
}

var (
	index []uint32
	words []uint64
	link  *next
	tree  *leaf
)

// cycle makes index one cycle through n MiB that visits no neighbours.
func cycle(mib int) {
	index = make([]uint32, mib<<18)
	n := uint64(len(index))
	for i := range index {
		index[i] = uint32((uint64(i) + 25165843) % n)
	}
}

// random is a generator whose numbers are addresses, and whose cost is that of a multiplication.
func random(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

// list links n elements in an order of their addresses that no prefetcher knows.
func list(n int) {
	all := make([]next, n)
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	x := uint64(1)
	for i := n - 1; i > 0; i-- {
		x = random(x)
		j := int((x >> 33) % uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
	for i := range order {
		all[order[i]].to = &all[order[(i+1)%n]]
	}
	link = &all[0]
}

func insert(key uint64) {
	p := &tree
	for *p != nil {
		if key < (*p).key {
			p = &(*p).left
		} else {
			p = &(*p).right
		}
	}
	*p = &leaf{key: key}
}

// missRows are loads and stores that find neither cache nor TLB ready.
func missRows() []row {
	var list1 []row
	for _, mib := range []int{1, 16, 64, 160} {
		list1 = append(list1,
			loop(fmt.Sprintf("misses: chase indices in %d MiB", mib), func() { cycle(mib) }, func(n int) {
				p := uint32(num) % uint32(len(index))
				for range n {
					p = index[p]
				}
				num = int(p)
			}),
			loop(fmt.Sprintf("misses: list in random order, %d MiB", mib), func() { list(mib << 20 / 24) }, func(n int) {
				p := link
				for range n {
					p = p.to
				}
				link = p
			}))
	}
	for _, mib := range []int{16, 128} {
		set := func() {
			words = make([]uint64, mib<<17)
			for i := range words {
				words[i] = uint64(i)
			}
		}
		list1 = append(list1,
			loop(fmt.Sprintf("misses: read at random in %d MiB", mib), set, func(n int) {
				x, sum, mask := uint64(num)|1, uint64(0), uint64(len(words)-1)
				for range n {
					x = random(x)
					sum += words[x>>20&mask]
				}
				num = int(sum)
			}),
			loop(fmt.Sprintf("misses: write at random in %d MiB", mib), set, func(n int) {
				x, mask := uint64(num)|1, uint64(len(words)-1)
				for range n {
					x = random(x)
					words[x>>20&mask]++
				}
				num = int(x)
			}),
			loop(fmt.Sprintf("misses: read each page of %d MiB", mib), set, func(n int) {
				sum, mask := uint64(0), len(words)-1
				for i := range n {
					sum += words[i*(512+8)&mask]
				}
				num = int(sum)
			}),
			loop(fmt.Sprintf("misses: read %d MiB in order", mib), set, func(n int) {
				sum, mask := uint64(0), len(words)-1
				for i := range n {
					sum += words[i&mask]
				}
				num = int(sum)
			}))
	}
	return append(list1,
		loop("misses: search in a tree of 200,000", func() {
			for x, i := uint64(1), 0; i < 200_000; i++ {
				x = random(x)
				insert(x)
			}
		}, func(n int) {
			x := uint64(num) | 1
			for range n {
				x = random(x)
				for p := tree; p != nil; {
					if x < p.key {
						p = p.left
					} else {
						p = p.right
					}
				}
			}
			num = int(x)
		}),
		each("misses: map of 1,000,000 read", func() {
			for i := range 1_000_000 {
				numbers[random(uint64(i))] = i
			}
		}, func(i int) { num += numbers[random(uint64(i*7919%1_000_000))] }))
}

var numbers = map[uint64]int{}

type page [4096]byte

// pageRows are new memory: pages that nobody has touched, and such as have to be made zero again.
func pageRows() []row {
	var list []row
	for _, k := range []int{16, 64, 1 << 10, 16 << 10} {
		list = append(list, each(fmt.Sprintf("memory: make %d KiB", k), nil, func(int) { raw = nil; raw = make([]byte, k<<10) }))
	}
	for _, mib := range []int{16, 64, 128} {
		list = append(list, each(fmt.Sprintf("memory: make %d MiB, a store in each page", mib), nil, func(int) {
			raw = nil
			raw = make([]byte, mib<<20)
			for j := 0; j < len(raw); j += 4096 {
				raw[j] = 1
			}
		}))
	}
	return append(list,
		each("memory: new of 4 KiB", nil, func(int) { thing = new(page) }),
		each("memory: new of 16 bytes", nil, func(i int) { thing = &[2]int{i} }),
		each("memory: new of 24 bytes that live on, of a list of 1000", nil, func(i int) {
			if link = (&next{to: link}); i%1000 == 0 {
				link = nil
			}
		}),
		each("memory: channel of pages", nil, func(int) { thing = make(chan page, 10) }),
		each("memory: append to 1 MiB", nil, func(int) {
			var b []byte
			for len(b) < 1<<20 {
				b = append(b, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"...)
			}
			raw = b
		}),
		each("memory: map grows to 100,000", nil, func(int) {
			m := map[int]int{}
			for i := range 100_000 {
				m[i] = i
			}
			thing = m
		}),
		each("memory: map with room for 1,000,000", nil, func(int) { thing = make(map[int]int, 1_000_000) }))
}

// objects makes n objects of 56 bytes that refer to each other.
func objects(n int) {
	alive = nil
	for range n {
		alive = &object{next: alive}
	}
}

type object struct {
	next *object
	_    [6]int
}

var (
	alive *object
	weaks []weak.Pointer[object]
	kept  []*object
)

// collectRows are collections, and what makes them dear.
func collectRows() []row {
	list := []row{
		each("collect: runtime.GC, nothing alive", nil, func(int) { runtime.GC() }),
		each("collect: runtime.GC, 3,000,000 objects", func() { objects(3_000_000) }, func(int) { runtime.GC() }),
		each("collect: runtime.GC, 128 MiB without pointers", func() { raw = make([]byte, 128<<20) }, func(int) { runtime.GC() }),
		each("collect: debug.FreeOSMemory, nothing alive", nil, func(int) { debug.FreeOSMemory() }),
		each("collect: debug.FreeOSMemory, 3,000,000 objects", func() { objects(3_000_000) }, func(int) { debug.FreeOSMemory() }),
		each("collect: ReadMemStats", func() { objects(100_000) }, func(int) { runtime.ReadMemStats(&stats) }),
		each("collect: 10,000 stacks", func() {
			for range 10_000 {
				go func() { <-never }()
			}
			runtime.Gosched()
		}, func(int) { runtime.GC() }),
		each("collect: a stack of 100,000 frames", nil, func(int) { deep(100_000, runtime.GC) }),
		each("collect: garbage of 1 KiB beside 300,000 objects", func() { objects(300_000) }, func(int) { thing = new([1024]byte) }),
		each("weak: make of a new object", nil, func(int) { pointer = weak.Make(new(object)) }),
		each("weak: Value", func() { alive = new(object); pointer = weak.Make(alive) }, func(int) {
			if pointer.Value() != nil {
				num++
			}
		}),
		each("weak: collection with 100,000 alive", func() { pointers(100_000, true) }, func(int) { runtime.GC() }),
		each("weak: 100,000 made and collected", nil, func(int) { pointers(100_000, false); runtime.GC() }),
		each("cleanups: add to a new object", nil, func(i int) { runtime.AddCleanup(new(object), func(int) { num++ }, i) }),
		each("cleanups: 100,000 added and run", nil, func(int) {
			for i := range 100_000 {
				runtime.AddCleanup(new(object), func(int) { num++ }, i)
			}
			runtime.GC()
		}),
		each("cleanups: add and stop", func() { alive = new(object) }, func(i int) {
			runtime.AddCleanup(alive, func(int) { num++ }, i).Stop()
		}),
		each("finalizers: set on a new object", nil, func(int) { runtime.SetFinalizer(new(object), func(*object) { num++ }) }),
		each("finalizers: 100,000 set and run", nil, func(int) {
			for range 100_000 {
				runtime.SetFinalizer(new(object), func(*object) { num++ })
			}
			runtime.GC()
		}),
		each("finalizers: collection with 100,000 alive", func() {
			for range 100_000 {
				o := new(object)
				runtime.SetFinalizer(o, func(*object) { num++ })
				kept = append(kept, o)
			}
		}, func(int) { runtime.GC() }),
	}
	return list
}

var (
	pointer weak.Pointer[object]
	stats   runtime.MemStats
	never   = make(chan int)
)

// pointers makes weak pointers to n objects, which stay alive or do not.
func pointers(n int, live bool) {
	weaks, kept = weaks[:0], kept[:0]
	for range n {
		o := new(object)
		weaks = append(weaks, weak.Make(o))
		if live {
			kept = append(kept, o)
		}
	}
}

package main

import (
	"math"
	"runtime"
	"weak"
)

// Guests that make collections expensive for what they pay. They run until
// their gas is used up.

func init() {
	for name, f := range costs {
		if guests[name] != nil {
			panic("two guests are named " + name)
		}
		guests[name] = f
	}
}

var (
	sink []byte
	kept any // what stays live behind the guest's last use of it
)

// churn makes garbage that is cheap by the byte: large objects without pointers.
func churn() {
	for {
		sink = make([]byte, 64<<10)
	}
}

var costs = map[string]func(int){
	"nbody": func(int) { nbody() },
	"trees": func(int) {
		long := tree(14)
		for {
			tree(10)
			runtime.KeepAlive(long)
		}
	},

	// n is the live data in MiB where it matters.
	"list":        func(n int) { kept = list(n << 20 / 24); churn() },
	"random list": func(n int) { kept = randomList(n << 20 / 32); churn() },
	"random pointers": func(n int) {
		ps := make([]*cell, n<<20/32)
		for i := range ps {
			ps[i] = new(cell)
		}
		shuffle(ps)
		kept = ps
		churn()
	},
	"tiny objects": func(n int) {
		all := make([]*byte, n<<20/24)
		for i := range all {
			all[i] = new(byte)
		}
		for {
			sink = make([]byte, 64<<10)
			all[0] = &sink[0]
		}
	},
	"list, small garbage": func(n int) {
		l := list(n << 20 / 24)
		for {
			list(1000)
			runtime.KeepAlive(l)
		}
	},
	"interior pointers": func(n int) {
		// Each pointer leads to the end of the one object of its block.
		blocks := make([]*[15 << 10]byte, n<<20/(15<<10))
		for i := range blocks {
			blocks[i] = new([15 << 10]byte)
		}
		ps := make([]*byte, 1<<18)
		for i := range ps {
			ps[i] = &blocks[i*7919%len(blocks)][15<<10-1]
		}
		kept = ps
		churn()
	},
	"interior pointers into large objects": func(n int) {
		b := make([]byte, n<<20)
		ps := make([]*byte, 1<<19)
		for i := range ps {
			ps[i] = &b[i*1009%len(b)]
		}
		kept = ps
		churn()
	},
	"sparse blocks": func(n int) {
		var all []*[2]int
		for range n << 20 / (32 << 10) {
			all = append(all, new([2]int))
			sink = make([]byte, 12<<10)
			sink = make([]byte, 12<<10)
			sink = make([]byte, 6<<10)
		}
		for {
			sink = make([]byte, 100)
			runtime.KeepAlive(all)
		}
	},
	"sparse lines": func(n int) {
		var all []*[2]int
		for range n << 20 / 512 {
			all = append(all, new([2]int))
			sink = make([]byte, 460)
		}
		for {
			sink = make([]byte, 300)
			runtime.KeepAlive(all)
		}
	},
	"globals":            func(int) { table[0], table2[0], table3[0], table4[0] = &i, &i, &i, &i; churn() },
	"deep stack":         func(n int) { down(n<<20/64, churn) },
	"deep locals":        func(n int) { deepLocals(nil, n<<20/200) },
	"wide stacks":        func(n int) { manyStacks(n<<20/4000, 10) },
	"many stacks":        func(n int) { manyStacks(n<<20/2500, 0) },
	"many finalizers":    func(n int) { specials(n<<20/300, func(p *[2]int) { runtime.SetFinalizer(p, func(*[2]int) {}) }) },
	"many cleanups":      func(n int) { specials(n<<20/300, func(p *[2]int) { runtime.AddCleanup(p, func(int) {}, 1) }) },
	"many weak pointers": func(n int) { specials(n<<20/300, func(p *[2]int) { weak.Make(p) }) },
	"finalizers that die": func(int) {
		for {
			p := new([2]int)
			runtime.SetFinalizer(p, func(*[2]int) {})
		}
	},
	"explicit": func(n int) {
		l := randomList(n << 20 / 32)
		for {
			runtime.GC()
			runtime.KeepAlive(l)
		}
	},
	"explicit, empty": func(int) {
		for {
			runtime.GC()
		}
	},
	"explicit, deep stack": func(n int) {
		down(n<<20/64, func() {
			for {
				runtime.GC()
			}
		})
	},
	"large objects, touched": func(n int) {
		for {
			sink = make([]byte, n<<20/4)
			touch(sink)
		}
	},
	"large objects, not touched": func(n int) {
		for {
			sink = make([]byte, n<<20/4)
		}
	},
	"large slices of pointers": func(n int) {
		kept = make([]*int, n<<20/16)
		churn()
	},
	"full": func(n int) {
		// Nearly all memory is live; what is left is garbage again and again.
		l := randomList(n << 20 * 9 / 10 / 32)
		for {
			sink = make([]byte, 100)
			runtime.KeepAlive(l)
		}
	},
	"full, large garbage": func(n int) {
		l := randomList(n << 20 * 8 / 10 / 32)
		for {
			sink = make([]byte, n<<20/16)
			runtime.KeepAlive(l)
		}
	},
	"fragments": func(n int) {
		// Holes of one line below, of two above: medium objects look for the latter.
		size := n << 20 / 3
		keep := make([]*[30]int, 0, size/256)
		for range size / 256 {
			keep = append(keep, new([30]int))
		}
		for i := range keep {
			if i%2 == 0 && i < len(keep)/2 || i%4 < 2 && i >= len(keep)/2 {
				keep[i] = nil
			}
		}
		runtime.GC()
		for {
			sink = make([]byte, 400)
			runtime.KeepAlive(keep)
		}
	},
}

// Roots of many words. A variable of 1 MiB or more would lie apart, behind a gap
// that counts against the limit.
var table, table2, table3, table4 [1 << 16]*int

func manyStacks(n, depth int) {
	c := make(chan int)
	for range n {
		go func() { down(depth, func() { <-c }) }()
	}
	runtime.Gosched()
	churn()
}

func specials(n int, add func(*[2]int)) {
	all := make([]*[2]int, n)
	for i := range all {
		all[i] = new([2]int)
		add(all[i])
	}
	kept = all
	churn()
}

func deepLocals(up *[8]*int, n int) {
	var x [8]*int
	if up != nil {
		x[1] = up[0]
	}
	if n == 0 {
		churn()
	}
	deepLocals(&x, n-1)
	if x[0] != nil {
		i++
	}
}

// randomList makes a list of n cells that lie in memory at random.
func randomList(n int) *cell {
	all := make([]*cell, n)
	for i := range all {
		all[i] = new(cell)
	}
	shuffle(all)
	for i := range all[1:] {
		all[i].next = all[i+1]
	}
	return all[0]
}

func shuffle(all []*cell) {
	x := uint64(1)
	for i := len(all) - 1; i > 0; i-- {
		x = x*6364136223846793005 + 1442695040888963407
		j := int(x>>33) % (i + 1)
		all[i], all[j] = all[j], all[i]
	}
}

type node struct{ l, r *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

// nbody is what costs are compared with: five bodies and their forces.
func nbody() {
	type body struct{ x, y, z, vx, vy, vz, m float64 }
	var bs [5]body
	for i := range bs {
		f := float64(i)
		bs[i] = body{f, f * f, 1 - f, 1 / (f + 1), f / 7, f / 3, 1 + f}
	}
	for {
		for i := range bs {
			b := &bs[i]
			for j := i + 1; j < len(bs); j++ {
				c := &bs[j]
				dx, dy, dz := b.x-c.x, b.y-c.y, b.z-c.z
				d := dx*dx + dy*dy + dz*dz + 1e-3
				m := 0.01 / (d * math.Sqrt(d))
				b.vx -= dx * c.m * m
				b.vy -= dy * c.m * m
				b.vz -= dz * c.m * m
				c.vx += dx * b.m * m
				c.vy += dy * b.m * m
				c.vz += dz * b.m * m
			}
		}
		for i := range bs {
			b := &bs[i]
			b.x += 0.01 * b.vx
			b.y += 0.01 * b.vy
			b.z += 0.01 * b.vz
		}
	}
}

// Cache keeps small objects of random sizes in caches of golang-lru, in an order that scatters them.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	lru "github.com/hashicorp/golang-lru/v2"
)

// An entry is what a cache holds: a name, a body, and the entry that was found before it.
type entry struct {
	name  string
	body  []byte
	hits  int
	other *entry
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	c, err := lru.New[uint64, *entry](min(100_000, n+1))
	if err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	keys := rand.NewZipf(rng, 1.1, 20, uint64(4*min(100_000, n+1)))
	var last *entry
	hits, sum := 0, 0
	for i := range n {
		k := keys.Uint64()
		e, ok := c.Get(k)
		if ok {
			hits++
			e.hits++
		} else {
			e = &entry{name: "key" + strconv.FormatUint(k, 36), body: make([]byte, 16+rng.IntN(285))}
			e.body[len(e.body)-1] = byte(i)
			c.Add(k, e)
		}
		if last != nil && i%8 == 0 {
			e.other = last
		}
		last = e
		if o := e.other; o != nil {
			sum += len(o.name) + int(o.body[len(o.body)-1]) + o.hits
			e.other = nil
		}
	}
	fmt.Println(c.Len(), hits, sum)
}

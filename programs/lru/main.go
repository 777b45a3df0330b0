// Command lru keeps a cache that drops what was used longest ago, a map over a
// doubly linked list, for requests of which few keys make up most. The size is the
// number of thousand requests.
//
// Usage: lru [size]
package main

import (
	"container/list"
	"fmt"
	"os"
	"strconv"
)

type entry struct {
	key   string
	value int
}

type cache struct {
	limit  int
	byKey  map[string]*list.Element
	byUse  *list.List
	hits   int
	misses int
}

func newCache(limit int) *cache {
	return &cache{limit: limit, byKey: make(map[string]*list.Element), byUse: list.New()}
}

func (c *cache) get(key string, load func(string) int) int {
	if e, ok := c.byKey[key]; ok {
		c.hits++
		c.byUse.MoveToFront(e)
		return e.Value.(*entry).value
	}
	c.misses++
	if c.byUse.Len() >= c.limit {
		last := c.byUse.Back()
		delete(c.byKey, last.Value.(*entry).key)
		c.byUse.Remove(last)
	}
	v := load(key)
	c.byKey[key] = c.byUse.PushFront(&entry{key, v})
	return v
}

func main() {
	n := size(2000)
	keys := make([]string, 1<<14)
	for i := range keys {
		keys[i] = "user/" + strconv.Itoa(i*2654435761%1000003)
	}
	c := newCache(2000)
	x := uint64(88172645463325252)
	sum := 0
	for range n * 1000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		// The product of two numbers is more often small than great.
		k := (x & 127) * (x >> 20 & 127)
		sum += c.get(keys[k], func(key string) int { return len(key) + int(k) })
	}
	fmt.Println(c.hits, c.misses, c.byUse.Len(), sum)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}

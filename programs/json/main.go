// Command json writes orders as JSON and reads them back, into structures and
// into interfaces, and prints a checksum of the texts. The size is the number of orders.
//
// Usage: json [size]
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

type order struct {
	ID       int64             `json:"id"`
	Customer customer          `json:"customer"`
	Lines    []line            `json:"lines"`
	Labels   map[string]string `json:"labels,omitempty"`
	Total    float64           `json:"total"`
	Paid     bool              `json:"paid"`
	Note     *string           `json:"note"`
}

type customer struct {
	Name    string `json:"name"`
	Email   string `json:"email"`
	Country string `json:"country,omitempty"`
}

type line struct {
	SKU      string  `json:"sku"`
	Quantity int     `json:"quantity"`
	Price    float64 `json:"price"`
}

type random uint64

func (r *random) next(n int) int {
	x := uint64(*r)
	x ^= x << 13
	x ^= x >> 7
	x ^= x << 17
	*r = random(x)
	return int(x>>1) % n
}

var names = []string{"Ada", "Grace", "Zoë", "Edsger", "Barbara \"B\"", "Łukasz", "Tony & Co", "Niklaus"}

func make1(r *random, id int64) order {
	name := names[r.next(len(names))]
	o := order{ID: id, Customer: customer{Name: name, Email: fmt.Sprintf("u%d@example.org", r.next(100000))}, Paid: r.next(2) == 0}
	if r.next(3) == 0 {
		o.Customer.Country = "NL"
		note := "leave at the door\n" + strconv.Itoa(r.next(1000))
		o.Note = &note
	}
	for range 1 + r.next(6) {
		l := line{fmt.Sprintf("sku-%05d", r.next(20000)), 1 + r.next(9), float64(r.next(100000)) / 100}
		o.Total += float64(l.Quantity) * l.Price
		o.Lines = append(o.Lines, l)
	}
	if r.next(4) == 0 {
		o.Labels = map[string]string{"channel": "web", "batch": strconv.Itoa(r.next(50)), "gift": "yes"}
	}
	return o
}

// count returns the number of values in a decoded document.
func count(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += count(e)
		}
	case []any:
		for _, e := range v {
			n += count(e)
		}
	}
	return n
}

func main() {
	n := size(20000)
	r := random(88172645463325252)
	h := uint64(14695981039346656037)
	bytes, values, cents := 0, 0, 0.0
	for i := range n {
		text, err := json.Marshal(make1(&r, int64(i)))
		if err != nil {
			panic(err)
		}
		for _, b := range text {
			h = (h ^ uint64(b)) * 1099511628211
		}
		bytes += len(text)
		var back order
		if err := json.Unmarshal(text, &back); err != nil {
			panic(err)
		}
		for _, l := range back.Lines {
			cents += float64(l.Quantity) * l.Price * 100
		}
		if i%4 == 0 {
			var doc any
			if err := json.Unmarshal(text, &doc); err != nil {
				panic(err)
			}
			values += count(doc)
		}
	}
	fmt.Printf("%d %d %.0f %016x\n", bytes, values, cents, h)
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

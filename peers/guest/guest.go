// Package guest has the work of the comparison of calls, for all engines that run Go. It does not
// use loops over integers or min, which yaegi does not know.
package guest

import (
	"encoding/json"

	"github.com/gyrvm/gyr/peers/host"
)

var text, data = makeText(), []byte(makeText())

func makeText() string {
	b := make([]byte, 100)
	for i := range b {
		b[i] = byte('a' + i%26)
	}
	return string(b)
}

// CallAdd calls the host n times with two numbers.
func CallAdd(n int64) (s int64) {
	for i := int64(0); i < n; i++ {
		s = host.Add(s, i)
	}
	return s
}

// CallText calls the host n times with a string and a slice of 100 bytes.
func CallText(n int64) (s int64) {
	for i := int64(0); i < n; i++ {
		s += host.Text(text, data)
	}
	return s
}

// CallBack calls, n times, a function of the host that calls back.
func CallBack(n int64) (s int64) {
	for i := int64(0); i < n; i++ {
		s += host.Back(func(x int64) int64 { return x + i })
	}
	return s
}

// Add adds.
func Add(a, b int64) int64 { return a + b }

// Empty does nothing.
func Empty() {}

// An Order is the argument of Describe.
type Order struct {
	Item        string
	Count, Each int64
}

// Describe returns a text and a number for an order.
func Describe(o Order) (string, int64) { return o.Item + " ordered", o.Count * o.Each }

type request struct {
	User  string `json:"user"`
	Items []item `json:"items"`
}

type item struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
	Each  int    `json:"each"`
}

type answer struct {
	User  string   `json:"user"`
	Total int      `json:"total"`
	Names []string `json:"names"`
}

// Handle answers a request: JSON in, JSON out.
func Handle(text string) string {
	var q request
	if err := json.Unmarshal([]byte(text), &q); err != nil {
		return err.Error()
	}
	a := answer{User: q.User}
	for _, it := range q.Items {
		a.Total += it.Count * it.Each
		a.Names = append(a.Names, it.Name)
	}
	out, err := json.Marshal(&a)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

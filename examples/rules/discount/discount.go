// Package discount is a rule by another author.
package discount

import "errors"

type Item struct {
	Name  string
	Cents int
	Count int
}

type Order struct {
	Customer string
	Items    []Item
}

// Discount returns the cents to take off an order.
func Discount(o Order) (int, error) {
	if len(o.Items) == 0 {
		return 0, errors.New("the order of " + o.Customer + " is empty")
	}
	total, off := 0, 0
	for _, it := range o.Items {
		total += it.Cents * it.Count
		if it.Count >= 10 {
			off += it.Cents
		}
	}
	if total > 10000 {
		off += total / 20
	}
	return off, nil
}

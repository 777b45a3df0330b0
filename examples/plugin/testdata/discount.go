// Package rule gives old customers a discount.
package rule

import (
	"errors"
	"time"

	"shop.example/shop"
)

type Order struct {
	Customer string
	Total    int
}

type Decision struct {
	Discount int
	Reason   string
}

// Decide is what the shop calls.
func Decide(o Order) (Decision, error) {
	c, err := shop.Lookup(o.Customer)
	if errors.Is(err, shop.ErrUnknown) {
		return Decision{Reason: "new here"}, nil
	}
	if err != nil {
		return Decision{}, err
	}
	if o.Total < 0 {
		return Decision{}, errors.New("a negative total")
	}
	if c.Since.Before(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)) {
		d := Decision{Discount: o.Total / 10, Reason: "with us since " + c.Since.Format("2006")}
		shop.Log("discount", map[string]any{"customer": c.Name, "cents": d.Discount})
		return d, nil
	}
	return Decision{Reason: "not yet"}, nil
}

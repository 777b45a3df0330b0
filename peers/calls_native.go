package main

import "github.com/gyrvm/gyr/peers/guest"

// nativeGo calls package guest like any Go program, through function values.
func nativeGo() (*embedder, error) {
	add, describe, payment := guest.Add, guest.Describe, guest.Payment
	return &embedder{
		name:  "native Go",
		close: func() {},
		doers: map[string]doer{
			hostNumbers:  numbered(func(n int64) (int64, error) { return guest.CallAdd(n), nil }),
			hostText:     numbered(func(n int64) (int64, error) { return guest.CallText(n), nil }),
			hostBack:     numbered(func(n int64) (int64, error) { return guest.CallBack(n), nil }),
			guestNumbers: eachPair(func(a, b int64) (int64, error) { return add(a, b), nil }),
			guestStruct: eachOrder(func(item string, count, each int64) (string, int64, error) {
				text, total := describe(guest.Order{Item: item, Count: count, Each: each})
				return text, total, nil
			}),
			warmHandler: eachRequest(func(text string) (string, error) { return guest.Handle(text), nil }),
			rowByRow: eachRow(func(amount float64, items int32, country, hour uint8) (float64, error) {
				return payment(amount, items, country, hour), nil
			}),
			inBatches: eachBatch(func(c columns) ([]float64, error) {
				return guest.Payments(c.amount, c.items, c.country, c.hour), nil
			}),
		},
		gaps: map[string]string{freshHandler: "native Go has no state to make anew", newEmpty: "native Go has no state to make anew"},
	}, nil
}

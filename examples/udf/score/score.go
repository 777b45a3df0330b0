// Package score is a user-defined function, as a user of a database would write it: how likely a
// payment is fraud.
package score

import "math"

// risk is the known risk of each country, by number.
var risk = func() (t [64]float64) {
	for i := range t {
		t[i] = float64(i*37%64)/32 - 1
	}
	return t
}()

// Payment is the score of one row, between 0 and 1.
func Payment(amount float64, items int32, country, hour uint8) float64 {
	x := 0.004*amount - 4.2 + risk[country%64]
	if items > 20 {
		x += 0.3 * float64(items-20)
	}
	if hour < 6 || hour > 22 {
		x += 1.1
	}
	switch each := amount / float64(max(items, 1)); {
	case each > 500:
		x += 1.5
	case each > 100:
		x += 0.6 + math.Sqrt(each-100)/40
	}
	return 0.5 + 0.5*x/(1+math.Abs(x))
}

// out is the column that Payments returns; the caller copies it.
var out []float64

// Payments returns the scores of a batch of rows: it gets the columns and returns one. The result
// is valid until the next call.
func Payments(amount []float64, items []int32, country, hour []uint8) []float64 {
	if cap(out) < len(amount) {
		out = make([]float64, len(amount))
	}
	out := out[:len(amount)]
	items, country, hour = items[:len(out)], country[:len(out)], hour[:len(out)]
	for i, a := range amount {
		out[i] = Payment(a, items[i], country[i], hour[i])
	}
	return out
}

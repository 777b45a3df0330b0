package guest

import "github.com/gyrvm/gyr/examples/udf/score"

// Payment is the user-defined function for a row.
func Payment(amount float64, items int32, country, hour uint8) float64 {
	return score.Payment(amount, items, country, hour)
}

// Payments is Payment for a batch of rows.
func Payments(amount []float64, items []int32, country, hour []uint8) []float64 {
	return score.Payments(amount, items, country, hour)
}

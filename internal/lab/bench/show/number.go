package show

import (
	"math"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/markup"
)

// none stands for a missing figure.
const none = "–"

// timeUnits are the units of times, in nanoseconds, the smallest first.
var timeUnits = []struct {
	name string
	ns   float64
}{{"ps", 1e-3}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}

// Duration prints nanoseconds in four digits and a suitable unit: 131.6 ns.
func Duration(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return none
	}
	if ns == 0 {
		return "0 ns"
	}
	for i, u := range timeUnits {
		v := ns / u.ns
		// 999.96 would be rounded to 1000, which reads better in the next unit.
		if last := i == len(timeUnits)-1; last || math.Abs(v) < 999.95 {
			return significant(v) + " " + u.name
		}
	}
	panic("unreachable")
}

// Nominal is Duration without trailing zeros, for values that were chosen and not measured.
func Nominal(ns float64) string {
	v, unit, _ := strings.Cut(Duration(ns), " ")
	if strings.Contains(v, ".") {
		v = strings.TrimRight(strings.TrimRight(v, "0"), ".")
	}
	return strings.TrimSpace(v + " " + unit)
}

// significant prints a value in four digits. Whole parts are never rounded to zeros: 12345 stays
// 12345.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	// A value rounded up to the next power of ten has one digit more before the point.
	if scale := math.Pow(10, float64(digits)); math.Abs(math.Round(v*scale)) >= 1e4 {
		digits--
	}
	return strconv.FormatFloat(v, 'f', max(0, min(digits, 12)), 64)
}

// Number prints a metric: counts in full, with commas between thousands, other values in four
// digits.
func Number(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return none
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return markup.Thousands(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return markup.Thousands(significant(v))
}

// Percent prints a part of one: 0.6 %, 12 %.
func Percent(part float64) string {
	p := math.Abs(100 * part)
	switch {
	case math.IsNaN(p) || math.IsInf(p, 0):
		return none
	case p == 0 || p >= 9.95:
		return strconv.FormatFloat(100*part, 'f', 0, 64) + " %"
	case p >= 0.095:
		return strconv.FormatFloat(100*part, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(100*part, 'f', 2, 64) + " %"
}

// Bytes prints a size of memory in bytes, or in KiB and larger units where that reads better.
func Bytes(n int64) string {
	v, unit := float64(n), " B"
	for _, u := range []string{" KiB", " MiB", " GiB"} {
		if math.Abs(v) < 10000 {
			break
		}
		v, unit = v/1024, u
	}
	return Number(v) + unit
}

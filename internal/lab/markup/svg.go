package markup

import (
	"math"
)

// An SVG is a drawing under construction.
type SVG struct{ Writer }

// Add draws an element. Text in it is escaped.
func (s *SVG) Add(format string, args ...any) { s.Writer.Add(format+"\n", args...) }

// Text draws words. attributes is markup.
func (s *SVG) Text(class string, x, y float64, attributes Markup, words string) {
	s.Add(`<text class="%s" x="%.1f" y="%.1f" %s>%s</text>`, class, x, y, attributes, words)
}

// A Scale maps values to coordinates.
type Scale struct{ Lo, Hi, from, to float64 }

// NewScale maps lo to from, and hi to to.
func NewScale(lo, hi, from, to float64) Scale { return Scale{lo, hi, from, to} }

// At is the coordinate of a value.
func (s Scale) At(v float64) float64 {
	return s.from + (v-s.Lo)/(s.Hi-s.Lo)*(s.to-s.from)
}

// Inside is the coordinate of a value, or of the end of the scale that the value lies beyond.
func (s Scale) Inside(v float64) float64 { return s.At(min(max(v, s.Lo), s.Hi)) }

// From and To are the coordinates of the scale's ends.
func (s Scale) From() float64 { return s.from }
func (s Scale) To() float64   { return s.to }

// Ticks are about n round values within the scale.
func (s Scale) Ticks(n int) []float64 {
	raw := (s.Hi - s.Lo) / float64(n)
	unit := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5, 10} {
		if unit*m >= raw {
			unit *= m
			break
		}
	}
	var list []float64
	for k := math.Ceil(s.Lo / unit); k*unit <= s.Hi+unit*1e-9; k++ {
		list = append(list, k*unit)
	}
	return list
}

package runtime

import "unsafe"

// Float and complex operations that lowered code calls because they are longer
// than a few operations.

const (
	floatSign = 1 << 63
	floatInf  = 0x7ff << 52
)

func floatBits(x float64) uint64     { return *(*uint64)(unsafe.Pointer(&x)) }
func floatFromBits(b uint64) float64 { return *(*float64)(unsafe.Pointer(&b)) }

func floatIsNaN(x float64) bool    { return x != x }
func floatIsInf(x float64) bool    { return floatBits(x)&^floatSign == floatInf }
func floatIsFinite(x float64) bool { return floatBits(x)&floatInf != floatInf }
func floatAbs(x float64) float64   { return floatFromBits(floatBits(x) &^ floatSign) }

func floatCopysign(x, sign float64) float64 {
	return floatFromBits(floatBits(x)&^floatSign | floatBits(sign)&floatSign)
}

// infToOne maps an infinity to one and the rest to zero, keeping the sign.
func infToOne(x float64) float64 {
	if floatIsInf(x) {
		return floatCopysign(1, x)
	}
	return floatCopysign(0, x)
}

// complex128div divides by Smith's method; results that are NaN only because an
// operand was infinite or zero are corrected as Annex G.5.1 of C99 says.
func complex128div(n, m complex128) complex128 {
	a, b, c, d := real(n), imag(n), real(m), imag(m)
	var re, im float64
	if floatAbs(c) >= floatAbs(d) {
		r := d / c
		den := c + r*d
		re, im = (a+b*r)/den, (b-a*r)/den
	} else {
		r := c / d
		den := d + r*c
		re, im = (a*r+b)/den, (b*r-a)/den
	}
	if !floatIsNaN(re) || !floatIsNaN(im) {
		return complex(re, im)
	}
	inf := floatFromBits(floatInf)
	switch {
	case c == 0 && d == 0 && (!floatIsNaN(a) || !floatIsNaN(b)):
		s := floatCopysign(inf, c)
		re, im = s*a, s*b
	case (floatIsInf(a) || floatIsInf(b)) && floatIsFinite(c) && floatIsFinite(d):
		a, b = infToOne(a), infToOne(b)
		re, im = inf*(a*c+b*d), inf*(b*c-a*d)
	case (floatIsInf(c) || floatIsInf(d)) && floatIsFinite(a) && floatIsFinite(b):
		c, d = infToOne(c), infToOne(d)
		re, im = 0*(a*c+b*d), 0*(b*c-a*d)
	}
	return complex(re, im)
}

// fmin64 and fmax64 are the builtins min and max: a NaN wins, -0 is below +0.
func fmin64(x, y float64) float64 {
	switch {
	case x != x:
		return x
	case y != y:
		return y
	case x < y:
		return x
	case y < x:
		return y
	}
	return floatFromBits(floatBits(x) | floatBits(y))
}

func fmax64(x, y float64) float64 {
	switch {
	case x != x:
		return x
	case y != y:
		return y
	case x > y:
		return x
	case y > x:
		return y
	}
	return floatFromBits(floatBits(x) & floatBits(y))
}

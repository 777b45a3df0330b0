// The program of TestMath: it writes arguments and results of the functions of package math, as many as it is told, 3 times 8 bytes each, function by function. With
// -names it writes their names.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
)

type function struct {
	name string
	f    func(x, y float64) float64
}

func one(name string, f func(float64) float64) function {
	return function{name, func(x, _ float64) float64 { return f(x) }}
}

// small is a small number that follows from y, the same for all that are not numbers.
func small(y float64) int {
	if y != y {
		return 0
	}
	return int(math.Float64bits(y) % 40)
}

var functions = []function{
	one("Abs", math.Abs), one("Acos", math.Acos), one("Acosh", math.Acosh), one("Asin", math.Asin), one("Asinh", math.Asinh), one("Atan", math.Atan),
	one("Atanh", math.Atanh), one("Cbrt", math.Cbrt), one("Ceil", math.Ceil), one("Cos", math.Cos), one("Cosh", math.Cosh), one("Erf", math.Erf),
	one("Erfc", math.Erfc), one("Erfcinv", math.Erfcinv), one("Erfinv", math.Erfinv), one("Exp", math.Exp), one("Exp2", math.Exp2), one("Expm1", math.Expm1),
	one("Floor", math.Floor), one("Gamma", math.Gamma), one("J0", math.J0), one("J1", math.J1), one("Log", math.Log), one("Log10", math.Log10),
	one("Log1p", math.Log1p), one("Log2", math.Log2), one("Logb", math.Logb), one("Round", math.Round), one("RoundToEven", math.RoundToEven),
	one("Sin", math.Sin), one("Sinh", math.Sinh), one("Sqrt", math.Sqrt), one("Tan", math.Tan), one("Tanh", math.Tanh), one("Trunc", math.Trunc),
	one("Y0", math.Y0), one("Y1", math.Y1),
	{"Atan2", math.Atan2}, {"Copysign", math.Copysign}, {"Dim", math.Dim}, {"Hypot", math.Hypot}, {"Max", math.Max}, {"Min", math.Min}, {"Mod", math.Mod},
	{"Nextafter", math.Nextafter}, {"Pow", math.Pow}, {"Remainder", math.Remainder},
	{"FMA", func(x, y float64) float64 { return math.FMA(x, y, x-y) }},
	{"Frexp", func(x, _ float64) float64 { f, e := math.Frexp(x); return f + float64(e) }},
	{"Ilogb", func(x, _ float64) float64 { return float64(math.Ilogb(x)) }},
	{"Jn", func(x, y float64) float64 { return math.Jn(small(y), x) }},
	{"Ldexp", func(x, y float64) float64 { return math.Ldexp(x, small(y)-20) }},
	{"Lgamma", func(x, _ float64) float64 { f, s := math.Lgamma(x); return f * float64(s) }},
	{"Modf", func(x, _ float64) float64 { i, f := math.Modf(x); return i - f }},
	{"Nextafter32", func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }},
	{"Pow10", func(_, y float64) float64 { return math.Pow10(small(y)*20 - 400) }},
	{"Sincos", func(x, _ float64) float64 { s, c := math.Sincos(x); return s + 2*c }},
	{"Yn", func(x, y float64) float64 { return math.Yn(small(y), x) }},
}

var special = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2, 3, 10, 100, -2.5, math.Pi, math.E, math.Ln2, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64,
	math.SmallestNonzeroFloat64, 3e-310, 1 << 52, 1<<53 + 2, 709.7, -745.1, 709.9, -746, 1e-8, 1 - 1e-16, 1 + 1e-15}

// argument draws a number: of a small range mostly, since few functions say much beyond.
func argument(r *rand.Rand) float64 {
	switch r.IntN(10) {
	case 0:
		return special[r.IntN(len(special))]
	case 1:
		return math.Float64frombits(r.Uint64())
	case 2:
		return math.Float64frombits(r.Uint64N(1 << 52)) // a subnormal number
	case 3:
		return float64(r.IntN(2001)-1000) / 4
	case 4, 5:
		return 2*r.Float64() - 1
	case 6:
		return math.Ldexp(r.Float64()-0.5, r.IntN(80)-40)
	case 7:
		return 1400 * (r.Float64() - 0.5)
	}
	return 20 * (r.Float64() - 0.5)
}

func main() {
	if os.Args[1] == "-names" {
		for _, f := range functions {
			fmt.Println(f.name)
		}
		return
	}
	n, _ := strconv.Atoi(os.Args[1])
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for i, f := range functions {
		r := rand.New(rand.NewPCG(uint64(i), 50))
		for range n {
			x, y := argument(r), argument(r)
			for _, v := range []float64{x, y, f.f(x, y)} {
				if v != v {
					v = math.NaN()
				}
				var b [8]byte
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
				w.Write(b[:])
			}
		}
	}
}

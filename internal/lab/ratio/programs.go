package ratio

import (
	"math"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// A Program is one of programs/ with its sizes.
type Program struct {
	Name   string
	Family string
	Size   string // takes native Go a second or two on a machine of 2024
	Small  string // a small part of Size, for slow engines and for trials
	Tiny   string // only starts and ends

	bound func(m *measure.Machine, n float64) float64 // ns for size n; nil: unknown
	real  *real                                       // nil: the program is of programs/
}

// Programs is the table. No family has more than a quarter of the programs.
var Programs = []Program{
	{"nbody", "float", "16000000", "1000000", "1",
		func(m *measure.Machine, n float64) float64 { return n * 10 * (m.FloatDivRate + m.SqrtRate) }, nil},
	{"spectralnorm", "float", "5300", "1200", "1",
		func(m *measure.Machine, n float64) float64 { return 40 * n * n * m.FloatDivRate }, nil},
	{"mandelbrot", "float", "4800", "1200", "1",
		func(m *measure.Machine, n float64) float64 { return mandelbrotIterations * n * n * 3.5 * m.Add }, nil},
	{"matmul", "float", "880", "320", "1", func(m *measure.Machine, n float64) float64 { return n * n * n * m.Add }, nil},
	{"lu", "float", "1350", "400", "4", func(m *measure.Machine, n float64) float64 { return n * n * n / 3 * m.Add }, nil},
	{"fft", "float", "4800", "320", "1", func(m *measure.Machine,
		n float64) float64 {
		return n * 3 * 12 * 2048 * 5 * m.Add
	}, nil},
	{"raytrace", "float", "2500", "600", "1", nil, nil},

	{"fannkuch", "integer", "11", "9", "2", nil, nil},
	{"sieve", "integer", "50000000", "4000000", "10",
		func(m *measure.Machine, n float64) float64 { return n * math.Log(math.Log(n)) * m.StoreRate }, nil},
	{"fib", "integer", "42", "36", "1", func(m *measure.Machine, n float64) float64 {
		return 2 * math.Pow(math.Phi, n+1) / math.Sqrt(5) * m.Call
	}, nil},
	{"quicksort", "integer", "12000000", "900000", "10", nil, nil},
	{"queens", "integer", "15", "12", "4", nil, nil},
	{"life", "integer", "7000", "450", "1", nil, nil},
	{"editdistance", "integer", "3400", "220", "1", nil, nil},
	{"hashes", "integer", "115000", "7500", "1", nil, nil},

	{"binarytrees", "allocation", "17", "13", "1",
		func(m *measure.Machine, n float64) float64 { return math.Exp2(n+5) * math.Floor(n/2-1) * treeNode(m) }, nil},
	{"binary_trees_pair", "allocation", "6000", "400", "1",
		func(m *measure.Machine, n float64) float64 { return n * 8191 * treeNode(m) }, nil},
	{"pair_throughput", "allocation", "45000", "3000", "1",
		func(m *measure.Machine, n float64) float64 { return n * 1000 * (2*m.StoreRate + m.Load) }, nil},
	{"pair_swap", "allocation", "60000", "4000", "1",
		func(m *measure.Machine, n float64) float64 { return n * 1000 * 2 * m.StoreRate }, nil},
	{"pair_walk", "allocation", "45000", "3000", "1",
		func(m *measure.Machine, n float64) float64 { return n * 1000 * (2*m.StoreRate + m.Load) }, nil},

	{"revcomp", "text", "7000000", "500000", "1", nil, nil},
	{"fasta", "text", "9000000", "600000", "1", nil, nil},
	{"regexredux", "text", "220000", "15000", "1", nil, nil},
	{"strbuild", "text", "8000000", "600000", "1", nil, nil},
	{"parser", "text", "60000", "4000", "1", nil, nil},
	{"wordcount", "text", "600000", "40000", "1", nil, nil},

	{"knucleotide", "data", "450000", "30000", "1", nil, nil},
	{"maps", "data", "1500000", "100000", "1", nil, nil},
	{"lru", "data", "7500", "500", "1", nil, nil},
	{"dijkstra", "data", "850", "220", "2", nil, nil},
	{"structsort", "data", "600000", "45000", "1", nil, nil},
	{"generics", "data", "1600", "110", "1", nil, nil},

	{"closures", "calls", "900000", "60000", "1", nil, nil},
	{"ifacecall", "calls", "600000", "40000", "1", nil, nil},
	{"channels", "calls", "5000", "350", "1", nil, nil},
	{"vm", "calls", "170000", "12000", "4", nil, nil},
	{"structs", "calls", "16000", "1000", "1", nil, nil},
	{"ledger", "calls", "1000", "65", "1", nil, nil},

	{"pidigits", "library", "9500", "2300", "1", nil, nil},
	{"json", "library", "80000", "5500", "1", nil, nil},
	{"template", "library", "40000", "2700", "1", nil, nil},
	{"merkle", "library", "750000", "50000", "2", nil, nil},
	{"deflate", "library", "40000", "2600", "1", nil, nil},
}

// maxShare is the largest share of all programs that one family may have.
const maxShare = 0.25

// mandelbrotIterations is the mean number of iterations that a point of the program mandelbrot
// takes.
var mandelbrotIterations = func() float64 {
	const n = 200
	sum := 0
	for y := range n {
		for x := range n {
			ci, cr := 2*float64(y)/n-1, 2*float64(x)/n-1.5
			zr, zi := 0.0, 0.0
			for i := 0; i < 50 && zr*zr+zi*zi <= 4; i++ {
				zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
				sum++
			}
		}
	}
	return float64(sum) / (n * n)
}()

// treeNode is the least time that a node of a binary tree takes: two words are written, one call
// builds it and one counts it.
func treeNode(m *measure.Machine) float64 { return 2*m.StoreRate + 2*m.Call }

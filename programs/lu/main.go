// Command lu solves systems of linear equations: LU decomposition with partial
// pivoting on a matrix in one slice, and substitution. The size is the number of unknowns.
//
// Usage: lu [size]
package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
)

type matrix struct {
	n    int
	data []float64
}

func (m *matrix) at(i, j int) float64     { return m.data[i*m.n+j] }
func (m *matrix) set(i, j int, x float64) { m.data[i*m.n+j] = x }
func (m *matrix) row(i int) []float64     { return m.data[i*m.n : (i+1)*m.n] }

var errSingular = errors.New("the matrix is singular")

// decompose replaces m by its factors and returns the order of the rows.
func (m *matrix) decompose() ([]int, error) {
	order := make([]int, m.n)
	for i := range order {
		order[i] = i
	}
	for k := range m.n {
		p, most := k, 0.0
		for i := k; i < m.n; i++ {
			if a := math.Abs(m.at(i, k)); a > most {
				p, most = i, a
			}
		}
		if most == 0 {
			return nil, errSingular
		}
		if p != k {
			a, b := m.row(p), m.row(k)
			for j := range a {
				a[j], b[j] = b[j], a[j]
			}
			order[p], order[k] = order[k], order[p]
		}
		pivot := m.row(k)
		for i := k + 1; i < m.n; i++ {
			row := m.row(i)
			f := row[k] / pivot[k]
			row[k] = f
			for j := k + 1; j < m.n; j++ {
				row[j] -= f * pivot[j]
			}
		}
	}
	return order, nil
}

// solve solves for one right-hand side.
func (m *matrix) solve(order []int, b []float64) []float64 {
	x := make([]float64, m.n)
	for i := range x {
		sum := b[order[i]]
		for j := range i {
			sum -= m.at(i, j) * x[j]
		}
		x[i] = sum
	}
	for i := m.n - 1; i >= 0; i-- {
		sum := x[i]
		for j := i + 1; j < m.n; j++ {
			sum -= m.at(i, j) * x[j]
		}
		x[i] = sum / m.at(i, i)
	}
	return x
}

func main() {
	n := size(400)
	m := &matrix{n, make([]float64, n*n)}
	x := uint32(2463534242)
	for i := range m.data {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		m.data[i] = float64(int32(x)) / (1 << 31)
	}
	a := &matrix{n, append([]float64(nil), m.data...)}
	order, err := m.decompose()
	if err != nil {
		panic(err)
	}
	worst, sum := 0.0, 0.0
	for k := range 8 {
		b := make([]float64, n)
		for i := range b {
			b[i] = float64((i*7+k*13)%29) - 14
		}
		x := m.solve(order, b)
		for i := range n {
			r := -b[i]
			for j, c := range a.row(i) {
				r += c * x[j]
			}
			worst = max(worst, math.Abs(r))
		}
		sum += x[k%n]
	}
	if worst > 1e-6 {
		panic(fmt.Sprint("residual ", worst))
	}
	fmt.Printf("%.9f\n", sum)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}

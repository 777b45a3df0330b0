//go:build ignore

package main

func main() {
	var rows [][]int
	for i := range 4 {
		rows = append(rows, make([]int, i))
		for j := range rows[i] {
			rows[i][j] = i * j
		}
	}
	sum := 0
	for _, r := range rows {
		sum += len(r)
		for _, v := range r {
			sum += v
		}
	}
	println(sum)
}

// Gas: 470

// Stderr:
// 17

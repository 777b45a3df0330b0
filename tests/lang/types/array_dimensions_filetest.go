//go:build ignore

package main

func main() {
	var m [2][3][4]int
	for i := range m {
		for j := range m[i] {
			for k := range m[i][j] {
				m[i][j][k] = i*100 + j*10 + k
			}
		}
	}
	n := m[1]
	n[2][3] = -1
	println(m[1][2][3], m[0][1][2], n[2][3], len(m), len(m[0]), len(m[0][0]))
}

// Gas: 573

// Stderr:
// 123 12 -1 2 3 4

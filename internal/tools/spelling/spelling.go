// Package spelling finds the name that a user may have meant.
package spelling

import "strings"

// Nearest returns the name of names that differs least from name, ignoring case, by at most two
// changes, and at most half as many as name has letters. It returns "" if none is that near.
func Nearest(name string, names []string) string {
	best, most := "", min(3, len(name)/2+1)
	for _, k := range names {
		if d := distance(strings.ToLower(k), strings.ToLower(name)); d < most {
			best, most = k, d
		}
	}
	return best
}

// distance is the number of insertions, deletions, changes and exchanges of neighbours that make one
// name of another (the optimal string alignment distance).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		for j := range len(b) {
			change := rows[i][j]
			if a[i] != b[j] {
				change++
			}
			d := min(change, rows[i][j+1]+1, rows[i+1][j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(a)][len(b)]
}

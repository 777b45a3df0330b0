// Package spelling finds the name that a user may have meant.
package spelling

import "strings"

// Nearest returns the name of names that differs least from name, ignoring case, by at most two
// insertions, deletions or changes, and at most half as many as name has letters. It returns "" if
// none is that near.
func Nearest(name string, names []string) string {
	best, most := "", min(3, len(name)/2+1)
	for _, k := range names {
		if d := distance(strings.ToLower(k), strings.ToLower(name)); d < most {
			best, most = k, d
		}
	}
	return best
}

// distance is the Levenshtein distance of two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

//go:build ignore

package main

func main() {
	var ps []*int
	var fs []func()
	for i := 0; i < 4; i++ {
		ps = append(ps, &i)
		fs = append(fs, func() { print(i, " ") })
		if i == 1 {
			i++ // this iteration's; copied to the next
		}
	}
	for _, f := range fs {
		f()
	}
	for _, p := range ps {
		print(*p, " ")
	}
	println()
}

// Gas: 1096

// Stderr:
// \"0 2 3 0 2 3 "

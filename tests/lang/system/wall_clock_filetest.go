//go:build ignore

package main

import (
	"fmt"
	"time"
)

// The wall clock alone: Round takes away what the monotonic clock says.
func wall() time.Time { return time.Now().Round(0) }

func main() {
	for _, d := range []time.Duration{1234567, 98765432, 1} {
		from := wall()
		time.Sleep(d)
		passed := wall().Sub(from)
		fmt.Println(passed >= d, passed < d+10*time.Second)
	}
}

// Output:
// true true
// true true
// true true

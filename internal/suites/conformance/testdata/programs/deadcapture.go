// Closures made in the functions of closures that are made nowhere: the code that
// would make them is known not to run.
package main

import "fmt"

//go:noinline
func small() uint8 { return 3 }

func main() {
	v := uint64(1)
	switch int(small()) {
	case 1 << 40:
		for i := 0; i < 3; i++ {
			defer func() {
				defer func() {
					v = uint64(i)
				}()
			}()
		}
	case 3:
		v = 2
	}
	fmt.Println(v)
}

//go:build ignore && !go1.27

// Timers whose channels have a buffer that shows.

//go:debug asynctimerchan=2
package main

import (
	"fmt"
	"time"
)

func main() {
	t := time.NewTimer(time.Millisecond)
	fmt.Println(len(t.C), cap(t.C))
	time.Sleep(50 * time.Millisecond)
	fmt.Println(len(t.C), cap(t.C))
	fmt.Println(t.Stop(), len(t.C))
	<-t.C
	fmt.Println(t.Reset(time.Hour), t.Stop())
}

// Output:
// 0 1
// 1 1
// false 1
// false true

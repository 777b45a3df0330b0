//go:build ignore && go1.27

package main

import (
	"fmt"
	"os"
	"time"
)

// The setting is removed: only the environment at the start is looked at for old values, and nothing reads them.
func main() {
	for _, v := range []string{"0", "1", "2"} {
		os.Setenv("GODEBUG", "asynctimerchan="+v)
		t := time.NewTimer(time.Nanosecond)
		time.Sleep(time.Millisecond)
		fmt.Println(cap(t.C), len(t.C), t.Stop(), cap(time.NewTicker(time.Hour).C))
	}
}

// Output:
// 0 0 true 0
// 0 0 true 0
// 0 0 true 0

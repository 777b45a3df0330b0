//go:build ignore && !go1.27

package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	fmt.Println(cap(time.NewTimer(time.Hour).C), cap(time.NewTicker(time.Hour).C))
	os.Setenv("GODEBUG", "asynctimerchan=0")
	fmt.Println(cap(time.NewTimer(time.Hour).C), cap(time.NewTicker(time.Hour).C))
	os.Setenv("GODEBUG", "asynctimerchan=1")
	fmt.Println(cap(time.NewTimer(time.Hour).C), cap(time.NewTicker(time.Hour).C))
}

// Env: GODEBUG=asynctimerchan=2

// Output:
// 1 1
// 0 0
// 1 1

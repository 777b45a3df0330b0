// Command selects prints which of several ready cases the runtime chose.
package main

import (
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
)

func main() {
	var chans [5]chan int
	for i := range chans {
		chans[i] = make(chan int, 100)
		for j := range 100 {
			chans[i] <- j
		}
	}
	var count [5]int
	for range 300 {
		select {
		case <-chans[0]:
			count[0]++
			chans[0] <- 1
		case <-chans[1]:
			count[1]++
			chans[1] <- 1
		case <-chans[2]:
			count[2]++
			chans[2] <- 1
		case <-chans[3]:
			count[3]++
			chans[3] <- 1
		case <-chans[4]:
			count[4]++
			chans[4] <- 1
		}
	}
	fmt.Println(count)
	fmt.Println(rand.Int(), rand.Perm(10), randv2.IntN(1000), randv2.Uint64())
	a, b, quit := make(chan int), make(chan int), make(chan bool)
	go func() {
		defer close(quit)
		for i := range 50 {
			select {
			case a <- i:
			case b <- -i:
			}
		}
	}()
	for {
		select {
		case v := <-a:
			fmt.Print(v, " ")
		case v := <-b:
			fmt.Print(v, " ")
		case <-quit:
			fmt.Println()
			return
		}
	}
}

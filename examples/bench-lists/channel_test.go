package lists

import "testing"

// What does it cost to let another goroutine do something, compared with a call?

func double(n int) int { return 2 * n }

// In the naive form the call is inlined and its result dropped, so the goroutine is compared with
// nothing.

func BenchmarkChannelNaiveCall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = double(21)
	}
}

func BenchmarkChannelNaiveGoroutine(b *testing.B) {
	for i := 0; i < b.N; i++ {
		c := make(chan int)
		go func() { c <- double(21) }()
		<-c
	}
}

// In the right form the compiler does not know the number, and the result is used.

//gyr:bench group=channel baseline n=21 inline=never
func channelCall(n int) int { return double(n) }

//gyr:bench group=channel n=21 inline=never
func channelGoroutine(n int) int {
	c := make(chan int)
	go func() { c <- double(n) }()
	return <-c
}

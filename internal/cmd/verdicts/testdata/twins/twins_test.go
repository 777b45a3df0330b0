// Package twins has benchmarks of which it is known how they compare: work(n) takes n times as long as work(1).
package twins

import "testing"

var seed, sink uint64 = 88172645463325252, 0

func work(n int) uint64 {
	x := seed
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func measure(b *testing.B, n int) {
	for b.Loop() {
		sink = work(n)
	}
}

func BenchmarkFirst(b *testing.B)  { measure(b, 200) }
func BenchmarkSecond(b *testing.B) { measure(b, 200) } // the same
func BenchmarkFive(b *testing.B)   { measure(b, 210) } // 5 % slower
func BenchmarkTwenty(b *testing.B) { measure(b, 240) } // 20 % slower

package lists

import "testing"

// What does it cost to append to an empty slice, compared with making a slice of the right length?

// In the naive form nothing reads the slices. The slice of known length is then neither allocated
// nor filled. The one that grows is, so it is compared with an empty loop.

func BenchmarkAppendNaiveGrown(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := make([]int, 0)
		for j := range Size {
			s = append(s, j)
		}
	}
}

func BenchmarkAppendNaiveSized(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := make([]int, Size)
		for j := range s {
			s[j] = j
		}
	}
}

// In the right form the slices are returned, and their length is not constant.

//gyr:bench group=append n=32
func appendGrown(n int) []int {
	s := make([]int, 0)
	for i := range n {
		s = append(s, i)
	}
	return s
}

//gyr:bench group=append baseline n=32
func appendSized(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

package lists

import "testing"

// Stage 2 believes that the clock was the mistake: package testing reads it twice for a million
// iterations. But nothing uses the lists, so no compiler allocates them: the loop measures itself.

func BenchmarkPlainFixed(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = NewFixed()
	}
}

func BenchmarkPlainGrowable(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = NewGrowable()
	}
}

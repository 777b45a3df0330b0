package opt

import "testing"

// TestClosureShape: pointers and other words of closures of any size, in any order.
func TestClosureShape(t *testing.T) {
	const words = 200
	for _, step := range []int{1, 7, 63, 64, 65, 199} {
		var sh closureShape
		at := func(w int) bool { return w/64 < len(sh.ptrs) && sh.ptrs[w/64]>>(w%64)&1 != 0 }
		want := map[int]bool{}
		for i, w := 0, 0; i < words; i, w = i+1, (w+step)%words {
			sh.set(int64(8*w), true)
			want[w] = true
			if i%3 == 0 {
				sh.set(int64(8*w), false)
				want[w] = false
			}
			for w := range words {
				if at(w) != want[w] {
					t.Fatalf("step %d: word %d is %v", step, w, at(w))
				}
			}
		}
	}
}

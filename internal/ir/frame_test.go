package ir

import "testing"

// TestFrame: a frame counts the values alive at once, to the end of the loops that they live
// through, whatever else the function computes. That of a leaf does not.
func TestFrame(t *testing.T) {
	for _, c := range []struct {
		name, sig, text string
		want            int64
	}{
		{"parameters and results", "(i64, i64) -> (i64)", `
b0:
  v0 = arg i64 [0]
  v1 = arg i64 [1]
  v2 = add i64 v0 v1
  ret v2
`, 16 + 3*8 + 8},
		{"one after the other", "(i64) -> (i64)", `
b0:
  v0 = arg i64 [0]
  v1 = add i64 v0 v0
  v2 = add i64 v1 v1
  v3 = add i64 v2 v2
  v4 = add i64 v3 v3
  ret v4
`, 16 + 2*8 + 8},
		{"at once", "(i64) -> (i64)", `
b0:
  v0 = arg i64 [0]
  v1 = add i64 v0 v0
  v2 = mul i64 v0 v0
  v3 = sub i64 v0 v0
  v4 = add i64 v1 v2
  v5 = add i64 v4 v3
  ret v5
`, 16 + 2*8 + 3*8},
		{"used in a loop", "(i64) -> (i64)", `
b0:
  v0 = arg i64 [0]
  v1 = add i64 v0 v0
  v2 = mul i64 v0 v0
  jump b1
b1: <- b0 b1
  v3 = phi i64 v0 v4
  v4 = add i64 v3 v1
  v5 = add i64 v4 v2
  v6 = lts i8 v5 v0
  if v6 b1 b2
b2: <- b1
  ret v4
`, 16 + 2*8 + 5*8},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := mustParse(t, "func @f "+c.sig+" {"+c.text+"}\n")
			f := m.Func(m.NumFuncs() - 1)
			f.FixFrame()
			if f.Frame != LeafFrame || !f.IsLeaf() {
				t.Errorf("frame of %d units, want %d", f.Frame, LeafFrame)
			}
			f.Frame = 0
			f.Flags |= HasRecover
			f.FixFrame()
			if f.Frame != c.want || f.IsLeaf() {
				t.Errorf("frame of %d units, want %d", f.Frame, c.want)
			}
		})
	}
}

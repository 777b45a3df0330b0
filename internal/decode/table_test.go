package decode

import (
	"fmt"
	"testing"
)

// A table has the contents of the map, in a unique form, and a damaged or truncated table does no
// harm.
func TestTable(t *testing.T) {
	m := map[string]int32{"": -1, "b": 2}
	for i := range 300 {
		m[fmt.Sprint("key", i*i)] = int32(i)
	}
	b := TableOf(m).Append(nil)
	r := Reader{B: b}
	table := r.Table()
	if !r.End() || table.Len() != len(m) || string(TableOf(m).Append(nil)) != string(b) {
		t.Fatal("the table is not read as it was written")
	}
	for k, want := range m {
		if n, ok := table.Get(k); !ok || int32(n) != want {
			t.Errorf("%q: %d, %v", k, n, ok)
		}
	}
	for _, k := range []string{"a", "c", "key2", "zzz"} {
		if _, ok := table.Get(k); ok {
			t.Errorf("%q is in the table", k)
		}
	}
	for n := range b {
		if r := (Reader{B: b[:n]}); r.Table().Len() == len(m) && r.End() {
			t.Errorf("%d of %d bytes are enough", n, len(b))
		}
	}
	for i := range b {
		b[i] ^= 0xff
		r := Reader{B: b}
		r.Table().Get("key100")
		b[i] ^= 0xff
	}
	if _, ok := (Table{}).Get(""); ok {
		t.Error("an empty table has a key")
	}
}

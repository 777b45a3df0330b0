package rt

import "testing"

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want uint64 // 0: an error
	}{
		{"1", 1}, {"65536", 65536}, {"512K", 512 << 10}, {"64m", 64 << 20}, {"64MiB", 64 << 20}, {"1GB", 1 << 30}, {"4294967296G", 1 << 62},
		{"", 0}, {"0", 0}, {"K", 0}, {"-1", 0}, {"1T", 0}, {"4294967297G", 0}, {"1.5G", 0}, {"18446744073709551616", 0},
	} {
		if n, err := ParseSize(c.text); n != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%q is %d, %v, want %d", c.text, n, err, c.want)
		}
	}
}

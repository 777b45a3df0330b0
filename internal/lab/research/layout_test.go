package research

import "testing"

func TestLayoutFlags(t *testing.T) {
	for _, x := range []struct {
		inUse []string
		want  string
	}{
		{nil, "'-ldflags=-randlayout=3'"},
		{[]string{"", "-mod=mod"}, "'-ldflags=-randlayout=3'"},
		{[]string{"-ldflags=-w -race"}, "'-ldflags=-w -randlayout=3'"},
		{[]string{"--ldflags=-w", "-v"}, "'-ldflags=-w -randlayout=3'"},
		{[]string{"-ldflags=-w", "-v '-ldflags=-X a.b=c -s' -x"}, "'-ldflags=-X a.b=c -s -randlayout=3'"},
		{[]string{`"-ldflags=-s -w"  -tags=x`, ""}, "'-ldflags=-s -w -randlayout=3'"},
	} {
		if got := layoutFlags(3, x.inUse...); got != x.want {
			t.Errorf("%q: %s, want %s", x.inUse, got, x.want)
		}
	}
}

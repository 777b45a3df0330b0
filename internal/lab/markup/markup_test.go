package markup

import (
	"slices"
	"testing"
)

// TestAdd: text is text, wherever it stands, and markup is left as it is.
func TestAdd(t *testing.T) {
	var w Writer
	w.Add(`<a title="%s">%s%d</a>%s`, `"><b>`, "a<b>&\u202e", 7, Markup("<br/>"))
	w.AddIf("<i>%s</i>", "")
	if got, want := w.String(), `<a title="&#34;&gt;&lt;b&gt;">a&lt;b&gt;&amp;\u202e7</a><br/>`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var s SVG
	s.Text("x", 1, 2, `text-anchor="end"`, "<")
	if got, want := string(s.Markup()), `<text class="x" x="1.0" y="2.0" text-anchor="end">&lt;</text>`+"\n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestScale(t *testing.T) {
	s := NewScale(0, 10, 100, 0)
	if s.At(5) != 50 || s.Inside(20) != 0 || s.Inside(-1) != 100 || s.From() != 100 || s.To() != 0 {
		t.Errorf("%v", s)
	}
	for _, x := range []struct {
		lo, hi float64
		n      int
		want   []float64
	}{{0, 10, 5, []float64{0, 2, 4, 6, 8, 10}}, {0, 137, 4, []float64{0, 50, 100}}, {3, 4, 2, []float64{3, 3.5, 4}}} {
		if got := NewScale(x.lo, x.hi, 0, 1).Ticks(x.n); !slices.Equal(got, x.want) {
			t.Errorf("%v: %v", x, got)
		}
	}
}

package markup

import (
	"slices"
	"strings"
	"testing"
)

// TestAdd: text is escaped wherever it stands, and markup stays as it is.
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

// TestTable: cells are text, figures or markup, and columns with names make a head.
func TestTable(t *testing.T) {
	var w Writer
	w.Table("c", "a<", Figure("b"))
	w.Row("<", Figure("1"), Of("<i>%s</i>", ">"))
	w.RowOf("d", "x")
	w.Named("y", Figure("2"))
	w.EndTable()
	w.Table("")
	w.EndTable()
	const want = `<div class="scroll"><table class="c"><thead><tr><th>a&lt;</th><th class="n">b</th></tr>
</thead><tbody>
<tr><td>&lt;</td><td class="n">1</td><td><i>&gt;</i></td></tr>
<tr class="d"><td>x</td></tr>
<tr><th scope="row">y</th><td class="n">2</td></tr>
</tbody></table></div>
<div class="scroll"><table><tbody>
</tbody></table></div>
`
	if got := w.String(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestPolicy: a page loads and runs only its own style and script, named by their hashes.
func TestPolicy(t *testing.T) {
	for script, want := range map[string]string{"": "script-src 'none'", "run()": "script-src " + string(hash("run()"))} {
		var w Writer
		w.Begin("<t>", "p {}", script)
		w.End(script)
		page := w.String()
		for _, want := range []string{"default-src 'none'; style-src " + string(hash(base+"p {}")) + "; " + want + "; base-uri 'none'; form-action 'none'\"",
			"<title>&lt;t&gt;</title>", "<style>" + base + "p {}</style>", "<h1>&lt;t&gt;</h1>"} {
			if !strings.Contains(page, want) {
				t.Errorf("the page has no %q", want)
			}
		}
		if strings.Contains(page, "<script>") != (script != "") {
			t.Errorf("script %q in %s", script, page)
		}
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

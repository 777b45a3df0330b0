package hot

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// rendered is a profile with everything to print: a hot loop, a less hot region, cold code between
// and after, inlining, counts of all sizes, and an unprintable name.
func rendered() *record.Profile {
	l := record.Listing{Func: "main.loop", Kind: "native", Share: 0.8, Bytes: 1234, Source: map[string]map[int]string{
		"/src/main.go": {10: "func loop(a []int) (s int) {", 11: "for _, x := range a {", 12: "s += mix(x)"}, "/src/mix.go": {3: "return x ^ x>>3"}}}
	at := 0
	add := func(x record.Instr) {
		x.At = at
		at += 4
		if x.File == "" {
			x.File, x.Line = "/src/main.go", 11
		}
		l.Code = append(l.Code, x)
	}
	add(record.Instr{Text: "sub $0x8,%rsp", IR: []string{"entry"}, File: "/src/main.go", Line: 10, Count: 1, Label: "main.loop"})
	add(record.Instr{Text: "jb out1", To: "out1", File: "/src/main.go", Line: 10, Count: 1})
	for range 60 {
		add(record.Instr{Text: "nop", Count: 0.25})
	}
	add(record.Instr{Text: "sub $0x1,%gas", IR: []string{"gasloop [1]"}, Count: 100, Share: 0.3, Label: "b1"})
	add(record.Instr{Text: "add (%rcx,%rsi,8),%rdx", IR: []string{"v15 = add i64 v4 v14"}, Count: 100, Share: 0.07, File: "/src/mix.go", Line: 3, Inlined: []string{"main.mix"}})
	add(record.Instr{Text: "jl b1", To: "b1", Count: 100, Share: 0.3})
	for range 6 {
		add(record.Instr{Text: "call exit", Count: 0, Label: "", Cold: true})
	}
	for range 50 {
		add(record.Instr{Text: "nop", Count: 0})
	}
	add(record.Instr{Text: "mul %rax", Count: 1234567, Share: 0.12, Label: "b9"})
	add(record.Instr{Text: "ret", Count: 0.0004, Share: 0.0004})
	for range 12 {
		add(record.Instr{Text: "callq exit", Count: -1, Cold: true})
	}
	return &record.Profile{
		Cell: record.Cell{Bench: "lists/growable", Engine: "native"}, By: "cpu-clock", Samples: 1482, N: 100,
		Shares: []record.Share{{Func: "main.loop", Kind: "guest", Place: "main.go:10", Share: 0.8}, {Func: "evil\x1b[31m", Kind: "host", Share: 0.15},
			{Func: "runtime.mallocgc", Kind: "runtime", Share: 0.045}, {Func: "x", Kind: "gc", Share: 0.005}},
		Listings: []record.Listing{l},
	}
}

func TestRender(t *testing.T) {
	for name, o := range map[string]Options{"profile.txt": {}, "color.txt": {Color: true, Width: 70}, "all.txt": {All: true}} {
		var b bytes.Buffer
		if err := Render(&b, rendered(), o); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
		if !o.Color && strings.Contains(b.String(), "\x1b") {
			t.Errorf("%s: escapes", name)
		}
	}
	p := rendered()
	p.Listings = nil
	p.By, p.Failed = "blocks", "perf_event_open: not permitted"
	var b bytes.Buffer
	Render(&b, p, Options{})
	if s := b.String(); !strings.Contains(s, p.Failed) || !strings.Contains(s, "by executed instructions") {
		t.Errorf("%s", s)
	}
}

// Regions hold the instructions with the most time, with a margin; neighbouring ones are merged.
func TestRegions(t *testing.T) {
	code := make([]record.Instr, 300)
	set := func(shares map[int]float64) []record.Instr {
		c := append([]record.Instr(nil), code...)
		for i, s := range shares {
			c[i].Share = s
		}
		return c
	}
	for _, c := range []struct {
		shares map[int]float64
		want   string
	}{
		{nil, "[]"},
		{map[int]float64{100: 1}, "[90-111]"},
		{map[int]float64{0: 1, 299: 1}, "[0-11 289-300]"},
		{map[int]float64{100: 1, 131: 1}, "[90-142]"},     // a gap of 30
		{map[int]float64{100: 10, 200: 1.05}, "[90-111]"}, // less than a tenth
		{map[int]float64{100: 10, 200: 1.2}, "[90-111 190-211]"},
	} {
		var list []string
		for _, r := range regions(set(c.shares)) {
			list = append(list, fmt.Sprintf("%d-%d", r.from, r.to))
		}
		if got := fmt.Sprint(list); got != c.want {
			t.Errorf("%v: %s, want %s", c.shares, got, c.want)
		}
	}
	// Time is spread evenly, too thin for any instruction to stand out.
	flat := make([]record.Instr, 300)
	for i := range flat {
		flat[i].Share = 1
	}
	if r := regions(flat); len(r) != 1 || r[0].from != 0 {
		t.Errorf("%v", r)
	}
}

// Listings of the same code are equal, whatever the registers. An additional instruction of one
// side stands alone, in its place.
func TestDiff(t *testing.T) {
	in := func(text, ir string) record.Instr { return record.Instr{Text: text, IR: strings.Fields(ir)} }
	a := &record.Listing{Func: "a", Kind: "native", Share: 0.5, Bytes: 40, Code: []record.Instr{
		in("mov $0x1,%rax", "const"), in("cmp %rbx,%rax", ""), in("jae out1f", "bounds"), in("add (%rcx,%rsi,8),%rdx", "v1=add"), in("jl b2", "if"), in("retq", "ret"),
	}}
	b := &record.Listing{Func: "b", Kind: "native", Share: 0.4, Bytes: 30, Code: []record.Instr{
		in("mov $0x1,%rdi", "const"), in("add (%rdx,%r9,8),%r10", "v7=add"), in("imul %rax,%rbx", "v9=mul"), in("jl b17", "if"), in("retq", "ret"),
	}}
	var rows []string
	for _, r := range Diff(a, b) {
		x, y := "-", "-"
		if r.A != nil {
			x = r.A.Text
		}
		if r.B != nil {
			y = r.B.Text
		}
		rows = append(rows, fmt.Sprintf("%s | %s %t", x, y, r.Same))
	}
	want := []string{
		"mov $0x1,%rax | mov $0x1,%rdi true", "cmp %rbx,%rax | - false", "jae out1f | - false",
		"add (%rcx,%rsi,8),%rdx | add (%rdx,%r9,8),%r10 true", "- | imul %rax,%rbx false", "jl b2 | jl b17 true", "retq | retq true",
	}
	if strings.Join(rows, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	for i, r := range Diff(a, a) {
		if r.A != r.B || !r.Same {
			t.Errorf("row %d of a listing and itself: %+v", i, r)
		}
	}
	if rows := Diff(a, &record.Listing{}); len(rows) != len(a.Code) {
		t.Errorf("%d rows", len(rows))
	}
	for name, o := range map[string]Options{"beside.txt": {Width: 130}, "below.txt": {Width: 80}} {
		var out bytes.Buffer
		if err := RenderDiff(&out, a, b, o); err != nil {
			t.Fatal(err)
		}
		golden(t, name, out.String())
	}
	// Large listings are handled quickly, and nothing hot is lost.
	long := &record.Listing{}
	for i := range 20_000 {
		x := in(fmt.Sprintf("mov $%d,%%rax", i%100), "const")
		if i == 15_000 {
			x.Share = 1
		}
		long.Code = append(long.Code, x)
	}
	hot := false
	for _, r := range Diff(long, long) {
		hot = hot || r.A != nil && r.A.Share == 1
	}
	if !hot {
		t.Error("the hot instruction of a long listing is not in its difference")
	}
}

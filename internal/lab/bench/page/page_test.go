package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"flag"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/fixture"
	"github.com/gyrvm/gyr/internal/lab/bench/page"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
	"github.com/gyrvm/gyr/internal/tools/headless"
)

var out = flag.String("page.out", "", "directory in which TestBrowser and TestScreenshots leave pages and what they look like")

func html(t testing.TB, r *result.Report) string {
	t.Helper()
	var b strings.Builder
	if err := page.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// between are all texts between two marks.
func between(s, from, to string) []string {
	var list []string
	for {
		_, rest, ok := strings.Cut(s, from)
		if !ok {
			return list
		}
		text, rest, ok := strings.Cut(rest, to)
		if !ok {
			return list
		}
		list, s = append(list, text), rest
	}
}

// reports are the reports that the page is tested with.
func reports() map[string]*result.Report {
	interrupted := fixture.Record()
	interrupted.End, interrupted.Visits = nil, interrupted.Visits[:7]
	empty := &record.Record{Run: &record.Run{Engines: fixture.Engines}}
	return map[string]*result.Report{
		"fixture": fixture.Report(), "record": result.Of(fixture.Record()), "interrupted": result.Of(interrupted), "empty": result.Of(empty), "setup": result.Of(fixture.Setup()), "nothing": {Record: &record.Record{}},
	}
}

// TestPage: the page is well-formed, loads nothing, runs only its own script, and contains text
// from the benchmarked program only as text.
func TestPage(t *testing.T) {
	for name, r := range reports() {
		text := html(t, r)
		scripts, styles := between(text, "<script>", "</script>"), between(text, "<style>", "</style>")
		if len(scripts) != 1 || len(styles) != 1 || strings.Count(text, "<script") != 1 {
			t.Fatalf("%s: %d scripts, %d styles", name, len(scripts), len(styles))
		}
		if n := len(scripts[0]); n > 10<<10 {
			t.Errorf("%s: the script has %d bytes", name, n)
		}
		policy := between(text, `Content-Security-Policy" content="`, `"`)
		if len(policy) != 1 || !strings.HasPrefix(policy[0], "default-src 'none';") {
			t.Fatalf("%s: policy %q", name, policy)
		}
		for _, body := range []string{scripts[0], styles[0]} {
			sum := sha256.Sum256([]byte(body))
			if !strings.Contains(policy[0], "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
				t.Errorf("%s: the policy does not have the hash of %.40q", name, body)
			}
		}
		for _, bad := range []string{"http://", "https://", "javascript:", " src=", " style=", "@import", "url(", "NaN", "Inf", "%!", "<img", "onerror=\"", "\u202e"} {
			if strings.Contains(strings.ReplaceAll(text, scripts[0], ""), bad) {
				t.Errorf("%s: the page has %q", name, bad)
			}
		}
		for _, target := range between(text, `href="`, `"`) {
			if !strings.HasPrefix(target, "#") {
				t.Errorf("%s: a link to %s", name, target)
			} else if !strings.Contains(text, `id="`+target[1:]+`"`) {
				t.Errorf("%s: a link to %s, which is not there", name, target)
			}
		}
		ids := map[string]bool{}
		for _, id := range between(text, ` id="`, `"`) {
			if ids[id] {
				t.Errorf("%s: two elements are called %s", name, id)
			}
			ids[id] = true
		}
		// Void elements are closed in the page, so that a strict reader can check whether all
		// others are.
		d := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(strings.ReplaceAll(text, scripts[0], ""), styles[0], "")))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
}

// TestWithoutSetup: figures and distributions are without a setup that was taken off, the batches in
// their order are with it, and the page says so.
func TestWithoutSetup(t *testing.T) {
	text := html(t, result.Of(fixture.Setup()))
	for _, want := range []string{"ns/op is without it.", "its difference is without the setup", "These batches are with the setup", "visit 1 of go: 250.0 ns", "median 1.000 us"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if text := html(t, result.Of(fixture.Record())); strings.Contains(text, "with the setup") || strings.Contains(text, "without the setup") {
		t.Error("the page tells of a setup that there is not")
	}
}

// TestContents: the page has each kind of content that a report can have.
func TestContents(t *testing.T) {
	text := html(t, fixture.Report())
	for _, want := range []string{
		"<title>Benchmarks of example.com/lists and example.com/größe/世界</title>", "131.6 ns", "(fastest)", "1.35 times as slow (1.32-1.37)", "same (±1.2 %)", "unresolved, could see 3.1 %", "too few visits",
		"Evil/&lt;img_src=x_onerror=alert(1)&gt;|`*_&lt;/script&gt;", "panic: index out of range", `href="#n1"`, `<li id="n2" value="2" class="error">`, "0 of 3 operations as lowered are left", "interp against native",
		`class="ecdf"`, `class="box"`, `class="dots gc"`, `class="warm"`, `class="border"`, `class="plot forest"`, `class="band"`, `class="flame"`, "measured loop for &lt;growable&gt;",
		"6 cold instructions", "inlined: lists.put ← lists.growable", "v10 = Grow v4, v9", "// &lt;b&gt;&amp;amp;&lt;/b&gt;", "Code of <code>lists.growable</code>: native beside go", "11 of 14 operations", "a processor of two cores", "23.1 times as slow",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// TestLinks: a line of source, its operations and its instructions have the same numbers.
func TestLinks(t *testing.T) {
	listing := between(html(t, fixture.Report()), `<div class="listing">`, "</details>\n")[0]
	line := regexp.MustCompile(`<div class="l[^"]*"(?: data-s="(\d+)")?(?: data-i="(\d+)")?>.*?<code>(.*?)</code>`)
	type place struct{ s, i string }
	places := map[string]place{}
	for _, m := range line.FindAllStringSubmatch(listing, -1) {
		places[m[3]] = place{m[1], m[2]}
	}
	source, op, other, code, cold := places["\t\ts = append(s, i) // &lt;b&gt;&amp;amp;&lt;/b&gt;"], places["Store v11, v5"], places["v12 = Move v9"], places["mov [rbx+rax*8], rcx"], places["mov r8, [r15+0]"]
	if source.s == "" || op.i == "" || source.s != op.s || op != code || op != other {
		t.Errorf("source %v, operations %v and %v, code %v", source, op, other, code)
	}
	if cold.s != source.s || cold.i != "" {
		t.Errorf("cold code: %v", cold)
	}
}

// TestBeside: in the code of two revisions, instructions that only one of them has are marked; in
// code of different kinds none are.
func TestBeside(t *testing.T) {
	r := fixture.Report()
	cells := r.Tables[0].Rows[1].Cells
	other := *cells[0].Profile
	l := other.Listings[0]
	l.Code = append([]record.Instr{}, l.Code[1:]...)
	l.Code[3].Text = "cmp rcx, rdx <changed>"
	other.Listings = []record.Listing{l}
	cells[1].Profile = &other
	tables := between(html(t, r), `<table class="beside">`, "</table>")
	if len(tables) != 2 {
		t.Fatalf("%d tables", len(tables))
	}
	mark := regexp.MustCompile(`<div class="l[ h123]* (added|removed)">.*?<code>(.*?)</code>`)
	var got []string
	for _, m := range mark.FindAllStringSubmatch(tables[0], -1) {
		got = append(got, m[1]+" "+m[2])
	}
	if want := "removed push rbp, removed jge done, added cmp rcx, rdx &lt;changed&gt;"; strings.Join(got, ", ") != want {
		t.Errorf("marked are %q", got)
	}
	if m := mark.FindString(tables[1]); m != "" {
		t.Errorf("machine code beside that of Go: %s", m)
	}
}

// TestLimits: a record of any size makes a page that a browser can open, and the page says what it
// leaves out.
func TestLimits(t *testing.T) {
	r := fixture.Report()
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			for _, c := range row.Cells {
				if c == nil || c.Failed != "" {
					continue
				}
				for _, v := range c.Raw {
					for len(v.Batches) < 1000 {
						v.Batches = append(v.Batches, v.Batches...)
					}
				}
				pr := &record.Profile{Cell: record.Cell{Bench: row.Bench.Key, Engine: c.Engine}, By: "blocks", Samples: 1}
				for f := range 9 {
					l := record.Listing{Func: fmt.Sprint("f", f), Kind: "native", Share: .1}
					for i := range 3000 {
						l.Code = append(l.Code, record.Instr{At: i, Text: "nop", Line: i + 1, File: "x.go", IR: []string{"v1 = Nop"}, Count: 1})
					}
					pr.Listings = append(pr.Listings, l)
				}
				for i := range 5000 {
					pr.Stacks = append(pr.Stacks, record.Stack{Samples: 1, Frames: []record.Frame{{Func: fmt.Sprint("leaf", i)}, {Func: "root"}}})
				}
				deep := record.Stack{Samples: 9000}
				for i := range 500 {
					deep.Frames = append(deep.Frames, record.Frame{Func: fmt.Sprint("deep", i)})
				}
				pr.Stacks = append(pr.Stacks, deep)
				c.Profile = pr
			}
		}
	}
	text := html(t, r)
	if len(text) > 12<<20 {
		t.Errorf("the page has %d bytes", len(text))
	}
	t.Logf("%d bytes", len(text))
	for _, want := range []string{"3 more functions are left out", "2600 of 3000 instructions are left out, first", "3000 of 3000 instructions are left out", "frames were too small", "Every 5th batch is drawn"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}

// TestShorten: if code is too long, instructions that take no time go first.
func TestShorten(t *testing.T) {
	r := fixture.Report()
	cell := r.Tables[0].Rows[0].Cells[0]
	var code []record.Instr
	for i := range 2000 {
		in := record.Instr{At: i, Text: fmt.Sprint("i", i, "."), Line: 1, File: "x.go"}
		if i == 5 || i >= 1900 && i < 1950 {
			in.Count = 1
		}
		code = append(code, in)
	}
	cell.Profile = &record.Profile{Listings: []record.Listing{{Func: "f", Kind: "native", Code: code}}}
	listing := between(html(t, r), `<div class="pane co"`, "</details>")[0]
	for text, want := range map[string]bool{"i1.": false, "i2.": true, "i5.": true, "i8.": true, "i9.": false, "i1896.": false, "i1897.": true, "i1952.": true, "i1953.": false, "⋯": true} {
		if strings.Contains(listing, text+"<") != want {
			t.Errorf("%s is shown: %v", text, !want)
		}
	}
}

// left is the directory for pages and screenshots of a test.
func left(t *testing.T) string {
	if *out != "" {
		return *out
	}
	return t.TempDir()
}

func write(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// driven is the page with a second script, which its policy allows.
func driven(text, more string) string {
	script := between(text, "<script>", "</script>")[0]
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	return strings.Replace(strings.Replace(text, hash(script), hash(script+more), 1), script, script+more, 1)
}

// drive does what a reader would do, and stores what it sees in attributes.
const drive = `
const seen = document.documentElement.dataset, names = (t) => all("tr", t.tBodies[0]).map((r) => r.dataset.name).join(",");
const table = document.querySelector(".sortable"), heads = all("th button", table);
heads[1].click(); seen.up = names(table);
heads[1].click(); seen.down = names(table);
heads[3].click(); seen.missing = names(table);
location.hash = "#b1"; reveal();
seen.unfolded = document.getElementById("b1").open;
for (const d of all("details")) d.open = true;
const listing = document.querySelector(".listing"), find = (pane, words) => all(pane + " .l", listing).find((x) => x.textContent.includes(words));
const on = () => all(".l.on", listing).map((x) => x.querySelector("code").textContent.trim()).join("|");
find(".so", "append").dispatchEvent(new MouseEvent("mouseover", { bubbles: true })); seen.source = on();
find(".ir", "v12 = Move").dispatchEvent(new MouseEvent("mouseover", { bubbles: true })); seen.ir = on();
listing.dispatchEvent(new MouseEvent("mouseleave")); seen.none = on();
const key = (e, key) => e.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const code = listing.querySelector(".co"); key(code, "ArrowDown"); key(code, "ArrowDown"); seen.key = listing.querySelector(".cur code").textContent;
key(code, "Escape"); seen.escaped = on();
const flame = document.querySelector(".flame"), frame = (n) => all(".frame", flame).find((f) => f.querySelector("text").textContent === n);
frame("runtime.growslice").dispatchEvent(new MouseEvent("click", { bubbles: true }));
seen.wide = frame("runtime.growslice").getAttribute("width") + " " + frame("compile").getAttribute("visibility") + " " + frame("all").getAttribute("visibility");
key(flame, "Escape"); key(flame, "ArrowDown"); key(flame, "ArrowDown"); key(flame, "ArrowDown"); key(flame, "ArrowRight"); seen.frame = flame.querySelector(".on text").textContent;
const input = filter.querySelector("input"); input.value = "SUM"; input.dispatchEvent(new Event("input")); seen.filtered = all("tr[data-name]").filter((x) => x.offsetParent).length;
input.value = ""; input.dispatchEvent(new Event("input"));
const shown = (c) => getComputedStyle(document.querySelector("." + c)).display;
seen.before = shown("full") + " " + shown("zoomed"); document.getElementById("zoom").click(); seen.after = shown("full") + " " + shown("zoomed");
seen.alert = typeof window.alerted;
`

// TestBrowser opens the page in a browser without a network, and uses it.
func TestBrowser(t *testing.T) {
	dir := left(t)
	for name, r := range reports() {
		if *out == "" && name != "record" {
			continue // a browser takes seconds
		}
		file := write(t, filepath.Join(dir, name+".html"), html(t, r))
		o := headless.Open(t, headless.Page{File: file, Width: 1200, Height: 1000})
		if !strings.Contains(o.DOM, `data-script="done"`) || len(o.Console) > 0 {
			t.Errorf("%s: the script did not come to its end, or something complained: %q", name, o.Console)
		}
	}
	o := headless.Open(t, headless.Page{File: write(t, filepath.Join(dir, "driven.html"), driven(html(t, fixture.Report()), drive)), Width: 1200, Height: 1000})
	if len(o.Console) > 0 {
		t.Errorf("console: %q", o.Console)
	}
	root := between(o.DOM, "<html", ">")[0]
	for attribute, want := range map[string]string{
		"up":       "Sum/n=8,fixed,growable,Sum/n=4096",
		"down":     "Sum/n=4096,growable,fixed,Sum/n=8",
		"missing":  "Sum/n=8,fixed,growable,Sum/n=4096", // which failed in go
		"unfolded": "true", "none": "", "escaped": "", "filtered": "2", "before": "block none", "after": "none block", "alert": "undefined",
		"source": "s = append(s, i) // &lt;b&gt;&amp;amp;&lt;/b&gt;|v9 = Add v4, 1|v10 = Grow v4, v9|Store v11, v5|v12 = Move v9|lea rdx, [rax+1]|ja grow|mov [rbx+rax*8], rcx|mov r8, [r15+0]|mov r9, [r15+8]|mov r10, [r15+16]|mov r11, [r15+24]|mov r12, [r15+32]|mov r13, [r15+40]",
		"ir":     "s = append(s, i) // &lt;b&gt;&amp;amp;&lt;/b&gt;|Store v11, v5|v12 = Move v9|mov [rbx+rax*8], rcx",
		"key":    "mov rbp, rsp", "wide": "100% hidden visible", "frame": "runtime.mallocgc",
	} {
		got := between(root, "data-"+attribute+`="`, `"`)
		if len(got) != 1 || strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(got[0]) != want {
			t.Errorf("%s is %q, not %q", attribute, got, want)
		}
	}
}

// TestScreenshots: in both colour schemes, and on a telephone, the page is not empty, and nothing
// is wider than the window.
func TestScreenshots(t *testing.T) {
	dir := left(t)
	text := html(t, fixture.Report())
	file := write(t, filepath.Join(dir, "page.html"), text)
	open := write(t, filepath.Join(dir, "open.html"), driven(text, "for (const d of all('details')) d.open = true; document.documentElement.dataset.over = document.documentElement.scrollWidth - innerWidth;"))
	zoomed := write(t, filepath.Join(dir, "zoomed.html"), driven(text, "for (const d of all('details')) d.open = true; document.getElementById('zoom').click();"))
	ground := map[string][3]uint32{}
	for _, s := range []struct {
		name   string
		page   headless.Page
		always bool
	}{
		{"light", headless.Page{File: file, Width: 1200, Height: 1900}, true},
		{"dark", headless.Page{File: file, Width: 1200, Height: 1900, Dark: true}, true},
		{"open-light", headless.Page{File: open, Width: 1200, Height: 7500}, false},
		{"open-dark", headless.Page{File: open, Width: 1200, Height: 7500, Dark: true}, false},
		{"zoomed", headless.Page{File: zoomed, Width: 1200, Height: 7500}, false},
		{"narrow", headless.Page{File: open, Width: 390, Height: 9000}, false},
	} {
		if *out == "" && !s.always {
			continue
		}
		s.page.Screenshot = filepath.Join(dir, s.name+".png")
		headless.Open(t, s.page)
		data, err := os.ReadFile(s.page.Screenshot)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		colours := map[[3]uint32]int{}
		for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y += 3 {
			for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x += 3 {
				r, g, b, _ := picture.At(x, y).RGBA()
				colours[[3]uint32{r >> 8, g >> 8, b >> 8}]++
			}
		}
		most := 0
		for c, n := range colours {
			if n > most {
				most, ground[s.name] = n, c
			}
		}
		if len(colours) < 30 {
			t.Errorf("%s: %d colours", s.name, len(colours))
		}
	}
	if ground["light"] != [3]uint32{255, 255, 255} || ground["dark"] != [3]uint32{0x14, 0x17, 0x1f} {
		t.Errorf("the grounds are %v", ground)
	}
	o := headless.Open(t, headless.Page{File: open, Width: 390, Height: 900})
	if over := between(o.DOM, `data-over="`, `"`); len(over) != 1 || over[0] != "0" {
		t.Errorf("on a narrow window the page is too wide by %v", over)
	}
}

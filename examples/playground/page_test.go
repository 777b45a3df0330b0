package main

import (
	"flag"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/tools/headless"
)

var screenshots = flag.String("screenshots", "", "write the pictures of docs/embedding.md to `DIRECTORY`")

const pageSource = `package main

import (
	"fmt"
	"os"
	"time"
)

// sum adds up remainders.
func sum(n int) (total int) {
	for i := range n {
		total += i * i % 7
	}
	return total
}

func main() {
	fmt.Println("sum:", sum(1_000_000))
	time.Sleep(300 * time.Millisecond)
	fmt.Fprintln(os.Stderr, "that was all")
}
`

const brokenSource = `package main

import "fmt"

func main() {
	count := 3
	for i := range 3 {
		fmt.Println("line", i + "1")
	}
}
`

const panicSource = `package main

import "fmt"

func main() {
	list := []int{1, 2, 3}
	for i := 0; ; i++ {
		fmt.Println(list[i])
	}
}
`

// TestPage opens the page in a browser, light and dark, wide and narrow: its script runs under its
// policy, replays output, and shows figures, errors and the hot function.
func TestPage(t *testing.T) {
	s := start(t, nil)
	at := func(source, fragment string) string {
		return s.URL + "/p/" + post[map[string]string](t, s, "/api/share", source, 200)["id"] + fragment
	}
	for _, c := range []struct {
		name, url string
		width     int
		dark      bool
		want      []string // in the page without tags
	}{
		{"run", at(pageSource, "#run"), 1200, false, []string{"sum: 1999998", "that was all", "The program has ended.", "gas", "heap at most", "0.3", "compiled in"}},
		{"hot", at(pageSource, "#hot"), 1200, true, []string{"main.sum", "% of", "total += i * i % 7", "What the compiler made of the function"}},
		{"errors", at(brokenSource, "#run"), 1200, false, []string{"6:2: declared and not used: count", "8:23: ", "mismatched types", "The program does not compile."}},
		{"narrow", at(panicSource, "#run"), 390, false, []string{"panic: runtime error: index out of range [3] with length 3", "The program has ended: panic:", "in main.main (main.go:8)"}},
		{"unknown", s.URL + "/p/AAAAAAAAAAAAAAAA", 390, true, []string{"no such program", "Hello"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := headless.Open(t, headless.Page{URL: c.url, Width: c.width, Height: 900, Dark: c.dark})
			if len(r.Console) > 0 {
				t.Errorf("the console says %q", r.Console)
			}
			text := html.UnescapeString(regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>|<[^>]*>`).ReplaceAllString(r.DOM, ""))
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in the page:\n%s", want, text)
				}
			}
			if *screenshots != "" {
				headless.Open(t, headless.Page{URL: c.url, Width: c.width, Height: 760, Dark: c.dark,
					Screenshot: filepath.Join(*screenshots, "playground-"+c.name+".png")})
			}
		})
	}
}

// TestPageIsUsed lets a script use the page: keys and buttons do what they say, and nothing is
// wider than a small window.
func TestPageIsUsed(t *testing.T) {
	const drive = `<script>
const wait = async is => { while (!is()) await new Promise(f => setTimeout(f, 20)); };
const all = () => document.body.innerText;
const click = async id => {
  await wait(() => !$(id).disabled);
  $(id).click();
};
(async () => {
  const note = (name, value) => { document.documentElement.dataset[name] = value; };
  await wait(() => $("source").value.includes("Hello"));
  const key = { key: "Enter", bubbles: true, cancelable: true };
  $("source").dispatchEvent(new KeyboardEvent("keydown", { ...key, ctrlKey: true }));
  await wait(() => all().includes("Hello, gopher") && all().includes("has ended"));
  note("ran", "yes");
  $("source").focus();
  $("source").value = "package main\n\nfunc main() {";
  $("source").setSelectionRange(27, 27);
  $("source").dispatchEvent(new KeyboardEvent("keydown", key));
  document.execCommand("insertText", false, "x := " + "1 + ".repeat(60) + "1\n}\n");
  note("text", JSON.stringify($("source").value.slice(27, 35)));
  await click("run");
  await wait(() => $("errors").children.length === 1);
  $("errors").querySelector("button").click();
  note("selected", getSelection().toString() || $("source").value.slice($("source").selectionStart, $("source").selectionEnd));
  $("examples").value = "Primes";
  $("examples").dispatchEvent(new Event("change"));
  await click("hot");
  await wait(() => all().includes("main.isPrime"));
  $("ir").open = true;
  await click("share");
  await wait(() => !$("link").hidden);
  note("link", location.pathname === new URL($("link").href).pathname && location.pathname.startsWith("/p/"));
  $("examples").value = "Time passes";
  $("examples").dispatchEvent(new Event("change"));
  await click("run");
  await wait(() => !$("skip").hidden);
  await click("skip");
  note("skipped", all().includes("tortoise, lap 3"));
  note("over", document.documentElement.scrollWidth - innerWidth);
})();
</script>`
	s := start(t, nil)
	driven := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			s.Config.Handler.ServeHTTP(w, r)
			return
		}
		fmt.Fprint(w, string(page)+drive) // without the policy, which forbids this script
	}))
	defer driven.Close()
	for _, width := range []int{390, 1200} {
		r := headless.Open(t, headless.Page{URL: driven.URL + "/", Width: width, Height: 900, Time: 30 * time.Second})
		if len(r.Console) > 0 {
			t.Errorf("the console says %q", r.Console)
		}
		got := html.UnescapeString(regexp.MustCompile(`<html[^>]*>`).FindString(r.DOM))
		for _, want := range []string{`data-ran="yes"`, `data-text=""\n\tx := 1""`, `data-selected="x"`, `data-link="true"`, `data-skipped="true"`, `data-over="0"`} {
			if !strings.Contains(got, want) {
				t.Errorf("width %d: no %s in %s", width, want, got)
			}
		}
	}
}

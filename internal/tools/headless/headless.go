// Package headless opens pages in a browser without a window, for tests: to see that a page's scripts run, that
// nothing complains, and what it looks like. The browser has no network but 127.0.0.1: names lead nowhere, and its proxy is a
// port that nobody listens at. What a page's own policy forbids it to load is among the messages of the console; a picture that is not found is not.
package headless

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/tools/process"
)

// Find is the path of a browser; empty if there is none.
func Find() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A Page is a file that is to be opened, or what a server of the test's sends.
type Page struct {
	File          string
	URL           string // begins with http://127.0.0.1; empty: File
	Fragment      string // behind #
	Width, Height int
	Dark          bool
	Time          time.Duration // of the page's clock, which does not wait, until it is read; 0: 2 s
	Screenshot    string        // file for a picture of it; empty: none is taken, and DOM is read
}

// A Result is what came of it.
type Result struct {
	DOM     string   // as markup, after scripts ran
	Console []string // messages of scripts and of the browser about the page
}

// message is a line of the log that is about the page.
var message = regexp.MustCompile(`:CONSOLE[:(].*?\] (.*)`)

// Open opens a page. The test is skipped, with the reason, where there is no browser or it does not run.
func Open(t testing.TB, page Page) *Result {
	t.Helper()
	browser := Find()
	if browser == "" {
		t.Skip("there is no chromium in PATH: no page was opened")
	}
	if testing.Short() {
		t.Skip("a browser takes seconds")
	}
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), "--enable-logging=stderr",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--proxy-server=127.0.0.1:9",
		fmt.Sprintf("--virtual-time-budget=%d", cmp.Or(page.Time, 2*time.Second).Milliseconds()),
		fmt.Sprintf("--window-size=%d,%d", page.Width, page.Height),
	}
	if page.Dark {
		args = append(args, "--blink-settings=preferredColorScheme=0")
	}
	if page.Screenshot != "" {
		args = append(args, "--screenshot="+page.Screenshot)
	} else {
		args = append(args, "--dump-dom")
	}
	url := cmp.Or(page.URL, "file://"+filepath.ToSlash(page.File))
	if page.Fragment != "" {
		url += "#" + page.Fragment
	}
	p := &process.Process{Path: browser, Timeout: time.Minute, Args: append(args, url)}
	o, err := p.Run(t.Context())
	if err != nil || o.Exit != 0 {
		t.Skipf("%s does not run here: %v %+v", browser, err, o)
	}
	r := &Result{DOM: string(o.Stdout)}
	for line := range strings.Lines(string(o.Stderr)) {
		if m := message.FindStringSubmatch(line); m != nil {
			r.Console = append(r.Console, m[1])
		}
	}
	return r
}

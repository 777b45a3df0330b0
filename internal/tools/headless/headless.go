// Package headless opens pages in a browser without a window, for tests. A test sees that a page's
// scripts run, that the console has no complaints, and what the page looks like.
//
// The browser has no network but 127.0.0.1: names do not resolve, and its proxy is a port without a
// listener. The console reports what a page's own policy forbids it to load. It does not report a
// missing picture.
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

// Find returns the path of a browser; empty if none is installed.
func Find() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "headless_shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A Page is a file to open, or a URL of the test's own server.
type Page struct {
	File          string
	URL           string // begins with http://127.0.0.1; empty: File
	Fragment      string // after #
	Width, Height int
	Dark          bool
	Time          time.Duration // of the page's clock, which does not wait, before it is read; 0: 2 s
	Screenshot    string        // file for a picture of the page; empty: no picture, and DOM is read
}

// A Result is what the browser made of a page.
type Result struct {
	DOM     string   // as markup, after scripts ran
	Console []string // messages of scripts and of the browser about the page
}

// message matches a line of the log that is about the page.
var message = regexp.MustCompile(`:CONSOLE[:(].*?\] (.*)`)

// Open opens a page. It skips the test, with the reason, if no browser is installed or the browser
// does not run.
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

package headless

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpen: what a page would hide is found: errors of scripts, and what its policy forbids, things on the network among them.
func TestOpen(t *testing.T) {
	for _, x := range []struct{ body, console string }{
		{`<script>document.body.dataset.ran = "yes"</script>`, ""},
		{`<script>document.body.dataset.ran = "yes"; undefinedFunction()</script>`, "undefinedFunction is not defined"},
		{`<meta http-equiv="Content-Security-Policy" content="script-src 'none'"><script>1</script>`, "Content Security Policy"},
		{`<meta http-equiv="Content-Security-Policy" content="img-src 'none'"><img src="http://example.com/x.png"><script>document.body.dataset.ran = "yes"</script>`, "example.com"},
	} {
		file := filepath.Join(t.TempDir(), "x.html")
		if err := os.WriteFile(file, []byte("<!DOCTYPE html><title>x</title><link rel=icon href=data:,><body>"+x.body), 0o666); err != nil {
			t.Fatal(err)
		}
		r := Open(t, Page{File: file, Width: 300, Height: 300})
		if got := strings.Join(r.Console, "\n"); x.console == "" && got != "" || !strings.Contains(got, x.console) {
			t.Errorf("%s: the console says %q", x.body, got)
		}
		if strings.Contains(x.body, "yes") != strings.Contains(r.DOM, `data-ran="yes"`) {
			t.Errorf("%s: the script ran, or did not: %s", x.body, r.DOM)
		}
	}
}

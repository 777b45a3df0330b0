package buildcache

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestServe: the two layers of the build cache, and malformed requests.
func TestServe(t *testing.T) {
	lower, upper := t.TempDir(), t.TempDir()
	serve := func(lower, upper string, requests ...string) string {
		var out bytes.Buffer
		if err := Serve([]string{upper, lower}, strings.NewReader(strings.Join(requests, "\n")), &out); err != nil {
			fmt.Fprintln(&out, "error", err)
		}
		return out.String()
	}
	id := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	get := func(action string) string { return `{"ID":2,"Command":"get","ActionID":"` + id(action) + `"}` }
	put := func(action, body string) string {
		return fmt.Sprintf(`{"ID":1,"Command":"put","ActionID":"%s","OutputID":"%s","BodySize":%d}`+"\n%q", id(action), id("o"+body), len(body), id(body))
	}
	if out := serve("/nowhere", lower, put("first", "one"), `{"ID":9,"Command":"close"}`, get("first")); strings.Count(out, "\n") != 3 || strings.Contains(out, "Err") {
		t.Errorf("put and close: %s", out)
	}
	out := serve(lower, upper, get("first"), put("second", "two"), get("second"), get("third"))
	for _, want := range []string{`"KnownCommands":["get","put","close"]`, lower, upper, `"Miss":true`, `"Size":3`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	if out := serve(upper, lower, get("second")); !strings.Contains(out, upper) {
		t.Errorf("the lower layer: %s", out)
	}
	if entries, _ := os.ReadDir(lower); len(entries) != 2 {
		t.Errorf("the lower layer was written to: %d directories", len(entries))
	}
	for _, bad := range []string{`{"ID":1,"Command":"get"}`, `{"ID":1,"Command":"put","ActionID":"YQ==","BodySize":7}` + "\n\"YQ==\"", "{", "prose"} {
		if out := serve(lower, upper, bad); !strings.Contains(out, "Err") && !strings.Contains(out, "error") {
			t.Errorf("%s: %s", bad, out)
		}
	}
	if err := Serve([]string{upper, lower}, strings.NewReader(""), errWriter{}); err == nil {
		t.Error("nobody listens, and that is no error")
	}
}

type errWriter struct{}

func (errWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// TestDifference: two builds differ in one figure, in one line, or only in times and instructions.
func TestDifference(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("builds of this test are shell scripts")
	}
	dir := t.TempDir()
	build := func(name, gas, out, time string) map[string]string {
		script := "#!/bin/sh\necho 'line\n" + out + "\nok main " + time + "\n1\n2\n3'\n" +
			`echo '{"gas":` + gas + `,"wall_ns":` + time[:1] + `,"list":[{"bytes":7}]}' >&2` + "\nexit 3\n"
		bin := filepath.Join(dir, name)
		if err := os.WriteFile(bin, []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		got, err := (&job{dir: dir, args: []string{"run"}}).run(bin)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	a := build("a", "5", "hello", "1.25s")
	if a["gas"] != "5" || a["list[0].bytes"] != "7" || a["exit status"] != "3" || a["stdout line 2"] != "hello" {
		t.Errorf("read %v", a)
	}
	for _, test := range []struct {
		b    map[string]string
		want []string
	}{
		{build("same", "5", "hello", "2.50s"), nil},
		{build("gas", "6", "hello", "1.25s"), []string{`gas: "5", "6"`}},
		{build("line", "5", "hallo", "1.25s"), []string{`stdout line 2: "hello", "hallo"`}},
	} {
		if got := difference(a, test.b); !slices.Equal(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

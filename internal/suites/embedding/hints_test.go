package embedding_test

import (
	"slices"
	"testing"

	"github.com/gyrvm/gyr"
)

// TestHints: a failed run's hints for a host name fields of Config, never flags of the command.
func TestHints(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"environment", `os.Getenv("KEY")`, `getenv "KEY": the variable is not granted; Config.Env grants one`},
		{"file", `os.ReadFile("/srv/x")`, `open "/srv/x": no directory is granted for this path; Config.Dirs grants one`},
		{"server", `http.ListenAndServe("localhost:80", nil)`,
			"listen tcp 127.0.0.1:80: nothing outside of the program can connect to it; Config.Listen lets connections in, but for those to localhost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := compileMain(t, "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nvar _ = http.Get\n\nfunc main() {\n\t"+c.body+"\n\tos.Exit(1)\n}\n")
			in := newInstance(t, p, gyr.Config{})
			if err := in.Run(t.Context()); err == nil {
				t.Fatal("the run did not fail")
			}
			if got := in.Hints(); !slices.Equal(got, []string{c.want}) {
				t.Errorf("hints: %q\nwant %q", got, c.want)
			}
		})
	}
}

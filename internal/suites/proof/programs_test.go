package proof

import (
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// TestPrograms: the programs print what native Go prints. With -full each has its default size.
func TestPrograms(t *testing.T) {
	bin, err := nativeSuite()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range suite(t) {
		if !g.native {
			continue
		}
		t.Run(g.String(), func(t *testing.T) {
			t.Parallel()
			args := g.args
			if *full && len(args) == 1 && args[0] != "-stream" {
				args = nil
			}
			var stdin string
			if g.stdin != "" {
				if stdin, err = native(bin, []string{"fasta", "300", "-stream"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			want, err := native(bin, append([]string{g.name}, args...), strings.NewReader(stdin))
			if err != nil {
				t.Fatal(err)
			}
			// The program from its directory, not as part of the suite.
			dir := "../../../programs/" + g.name
			if _, ok := sizes[g.name]; !ok {
				dir = "testdata/guests/" + g.name
			}
			var p *gyr.Program
			if len(g.args) == 1 && g.args[0] != "-stream" || *full {
				p = compile(t, gyr.Source{Dir: dir}, nil)
			} else {
				p, args = plainSuite(t), append([]string{g.name}, args...)
			}
			r, err := execute(p, gyr.Config{Args: args, Stdin: strings.NewReader(stdin), Memory: 2 << 30})
			if err != nil {
				t.Fatal(err)
			}
			if r.Exit != g.exit {
				t.Errorf("exit status %d, want %d", r.Exit, g.exit)
			}
			got := r.Output
			if g.name == "panics" {
				// Addresses and the traceback's frames differ; the other text does not.
				got, want = upToTrace(got), upToTrace(want)
			}
			if d := diff(got, want); d != "" {
				t.Error(d)
			}
		})
	}
}

// upToTrace is the output before the traceback of an unrecovered panic.
func upToTrace(s string) string {
	s, _, _ = strings.Cut(s, "\ngoroutine ")
	return s
}

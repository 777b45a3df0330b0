package embedding_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// children starts a program, and waits for it in another call.
const children = `package children

import (
	"bufio"
	"io"
	"os/exec"
)

var (
	child *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
)

func Begin() error {
	child = exec.Command("copy")
	in, _ = child.StdinPipe()
	pipe, _ := child.StdoutPipe()
	out = bufio.NewReader(pipe)
	return child.Start()
}

func Ask(line string) (string, error) {
	io.WriteString(in, line+"\n")
	return out.ReadString('\n')
}

func End() error {
	in.Close()
	return child.Wait()
}
`

// TestLiveChild: an instance that may start programs has no state, no transaction and no fork, neither
// while one lives nor before and afterwards.
func TestLiveChild(t *testing.T) {
	p := compileWithState(t, children)
	programs := map[string]gyr.Executable{"copy": compileMain(t, "package main\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() { io.Copy(os.Stdout, os.Stdin) }\n")}
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier, Programs: programs})
		call := func(name string, args ...any) string {
			t.Helper()
			out, err := in.Call(t.Context(), name, args...)
			if err != nil {
				t.Fatalf("%s: %s: %v", tier, name, err)
			}
			if len(out) == 0 {
				return ""
			}
			return out[0].(string)
		}
		check := func() {
			t.Helper()
			_, state := in.State(t.Context())
			_, fork := in.Fork(t.Context(), gyr.ForkConfig{})
			for what, err := range map[string]error{"State": state, "Fork": fork, "Begin": in.Begin(t.Context())} {
				var refused *gyr.TransactionError
				if !errors.As(err, &refused) || refused.Op != what || !strings.Contains(err.Error(), "it may start programs (Config.Programs)") {
					t.Errorf("%s: %s: %v", tier, what, err)
				}
			}
		}
		check()
		call("Begin")
		check()
		if got := call("Ask", "a line"); got != "a line\n" {
			t.Errorf("%s: %q", tier, got)
		}
		check()
		call("End")
		check()
	}
}

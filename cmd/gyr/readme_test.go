package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// others are programs that README.md uses without showing them.
var others = map[string]string{
	"hog.go":  "package main\n\nvar kept [][]byte\n\nfunc main() {\n\t// What it allocates stays reachable.\n\tfor {\n\t\tkept = append(kept, make([]byte, 1<<20))\n\t}\n}\n",
	"spin.go": "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n",
}

// TestReadme does what README.md shows: its programs compile, and commands and the host print what
// it says.
func TestReadme(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var programs []string
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1) {
		programs = append(programs, string(m[1]))
	}
	if len(programs) != 2 {
		t.Fatalf("README.md has %d programs, want the guest and the host", len(programs))
	}
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("primes.go", programs[0])
	for name, text := range others {
		write(name, text)
	}
	cache := "GYRCACHE=" + filepath.Join(dir, "cache")
	t.Run("commands", func(t *testing.T) {
		var shown int
		for _, m := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllSubmatch(text, -1) {
			status := 0
			for _, part := range strings.Split(string(m[1]), "$ ")[1:] {
				line, want, _ := strings.Cut(part, "\n")
				if line == "echo $?" {
					if got := strings.TrimSpace(want); got != strconv.Itoa(status) {
						t.Errorf("exit status %d, README.md shows %s", status, got)
					}
					continue
				}
				args := strings.Fields(line)
				c := exec.Command(args[0], args[1:]...)
				c.Dir, c.Env = dir, append(os.Environ(), cache)
				out, _ := c.CombinedOutput()
				status = c.ProcessState.ExitCode()
				got := strings.ReplaceAll(string(out), dir+string(filepath.Separator), "")
				if got != want {
					t.Errorf("%s: printed\n%s\nREADME.md shows\n%s", line, got, want)
				}
				shown++
			}
		}
		if shown < 4 {
			t.Errorf("README.md shows %d commands", shown)
		}
	})
	t.Run("gas", func(t *testing.T) {
		c := exec.Command("gyr", "run", "-stats", "primes.go")
		c.Dir, c.Env = dir, append(os.Environ(), cache)
		got, err := c.CombinedOutput()
		m := regexp.MustCompile(`(?m)^gas (\d+)$`).FindSubmatch(got)
		if err != nil || m == nil {
			t.Fatalf("%v\n%s", err, got)
		}
		if !bytes.Contains(text, []byte("It used "+string(m[1])+" units")) {
			t.Errorf("README.md names other gas than %s", m[1])
		}
	})
	t.Run("host", func(t *testing.T) {
		write("host.go", programs[1])
		c := exec.Command("go", "run", filepath.Join(dir, "host.go"))
		c.Dir = root
		got, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		if want := "`" + strings.TrimSpace(string(got)) + "`"; !bytes.Contains(text, []byte("It prints "+want)) {
			t.Errorf("the host prints %s, which README.md does not say", want)
		}
	})
}

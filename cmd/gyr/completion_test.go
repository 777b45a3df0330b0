package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCompletionScripts makes each installed shell read its script.
func TestCompletionScripts(t *testing.T) {
	list := completedCommands()
	for shell, script := range map[string]string{"bash": bashScript(list), "zsh": zshScript(list), "fish": fishScript(list)} {
		t.Run(shell, func(t *testing.T) {
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("%s is not installed", shell)
			}
			file := filepath.Join(t.TempDir(), "gyr."+shell)
			if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(path, "-n", file).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s -n: %v\n%s", shell, err, out)
			}
		})
	}
}

// TestCompletionInBash completes command lines as bash does at the tab key.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	file := filepath.Join(t.TempDir(), "gyr.bash")
	if err := os.WriteFile(file, []byte(bashScript(completedCommands())), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		words []string // the last one is completed
		want  string
	}{
		{[]string{"gyr", "r"}, "run research"},
		{[]string{"gyr", "ver"}, "version"},
		{[]string{"gyr", "run", "-gas"}, "-gas -gasprofile"},
		{[]string{"gyr", "run", "--gasp"}, "--gasprofile"},
		{[]string{"gyr", "build", "-stan"}, "-standalone"},
		{[]string{"gyr", "build", "-gas"}, ""},
		{[]string{"gyr", "run", "-rac"}, ""}, // refused
		{[]string{"gyr", "run", "-tier", "n"}, "native"},
		{[]string{"gyr", "run", "-tier", "=", "i"}, "interp"},
		{[]string{"gyr", "run", "-tier", "="}, "native interp"},
		{[]string{"gyr", "test", "-mod", ""}, "readonly vendor mod"},
		{[]string{"gyr", "run", "ma"}, ""}, // bash completes files itself
		{[]string{"gyr", "completion", ""}, "bash zsh fish"},
		{[]string{"gyr", "std", "b"}, "build"},
		{[]string{"gyr", "help", "dis"}, "disasm"},
		{[]string{"gyr", "research", "cal"}, "calibrate"},
	} {
		quoted := make([]string, len(x.words))
		for i, w := range x.words {
			quoted[i] = quoteWord(w)
		}
		script := "source " + quoteWord(file) + "\nCOMP_WORDS=(" + strings.Join(quoted, " ") +
			")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_gyr\necho \"${COMPREPLY[*]}\"\ncomplete -p gyr"
		out, err := exec.Command(bash, "--norc", "-c", script).CombinedOutput()
		got, rest, _ := strings.Cut(string(out), "\n")
		if err != nil || got != x.want || rest != "complete -o default -F _gyr gyr\n" {
			t.Errorf("%q: %q, want %q; %q, %v", x.words, got, x.want, rest, err)
		}
	}
}

// TestCompletionHasAll: every command is in each script, with every flag that is not refused.
func TestCompletionHasAll(t *testing.T) {
	list := completedCommands()
	for shell, script := range map[string]string{"bash": bashScript(list), "zsh": zshScript(list), "fish": fishScript(list)} {
		for _, c := range list {
			if !strings.Contains(script, c.name) {
				t.Errorf("%s: no command %s", shell, c.name)
			}
			if c.name == "run" && len(c.flags) < 20 {
				t.Errorf("%s has %d flags", c.name, len(c.flags))
			}
			for _, f := range c.flags {
				if want := map[string]string{"bash": "-" + f.name, "zsh": "-" + f.name, "fish": "-o " + f.name}[shell]; !strings.Contains(script, want) {
					t.Errorf("%s: %s has no flag %s", shell, c.name, f.name)
				}
			}
		}
	}
}

// TestGroupsOfFlags: every flag in a group belongs to a command, and is in one group only.
func TestGroupsOfFlags(t *testing.T) {
	known := map[string]bool{}
	for _, c := range completedCommands() {
		for _, f := range c.flags {
			known[f.name] = true
		}
	}
	var seen []string
	for _, g := range flagGroups {
		for _, name := range g.names {
			if !known[name] {
				t.Errorf("%s: no command has a flag %s", g.title, name)
			}
			if slices.Contains(seen, name) {
				t.Errorf("%s: %s stands in another group too", g.title, name)
			}
			seen = append(seen, name)
		}
	}
}

// TestTableOfGoFlags: every flag in the list of go help build is in the table, or is a flag of the
// commands themselves.
func TestTableOfGoFlags(t *testing.T) {
	out, err := exec.Command("go", "help", "build").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	new(goFlags).register(fs, onBuild)
	for line := range strings.Lines(string(out)) {
		rest, ok := strings.CutPrefix(line, "\t-")
		name := strings.Fields(rest + " x")[0]
		if ok && fs.Lookup(name) == nil && name != "json" && name != "tags" && name != "o" {
			t.Errorf("go build has a flag -%s", name)
		}
	}
	for _, f := range goFlagTable {
		if (f.value == nil) == (f.why == "") || (f.value == nil) != (f.usage == "") {
			t.Errorf("-%s: it either works or is refused with a reason", f.name)
		}
	}
}

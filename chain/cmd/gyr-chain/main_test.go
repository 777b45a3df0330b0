package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var clone = flag.Bool("clone", false, "TestTenCommands runs in a fresh clone of the repository")

// tenCommands returns the commands of docs/chain.md.
func tenCommands(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/chain.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "```sh\n")
	block, _, ok2 := strings.Cut(rest, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if !ok || !ok2 || len(lines) != 10 {
		t.Fatalf("docs/chain.md has %d commands, not ten", len(lines))
	}
	return lines
}

// TestTenCommands runs the commands of docs/chain.md, one after the other, as a newcomer does.
func TestTenCommands(t *testing.T) {
	dir, port := t.TempDir(), freePort()
	if *clone {
		if out, err := exec.Command("git", "clone", "-q", "../../..", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		dir = filepath.Join(dir, "chain")
	} else {
		for _, name := range []string{"examples", "start.sh"} {
			if out, err := exec.Command("cp", "-r", filepath.Join("../..", name), dir).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
	}
	script := "set -eu\n"
	for _, line := range tenCommands(t) {
		if !*clone && strings.HasPrefix(line, "go build") {
			here, err := filepath.Abs(".")
			if err != nil {
				t.Fatal(err)
			}
			line = fmt.Sprintf("(cd %s && go build -o %s/gyr-chain .)", here, dir)
		}
		if strings.Contains(line, " init ") && port != 26650 {
			line += fmt.Sprintf(" -port %d", port)
		}
		script += "echo '$' " + strings.ReplaceAll("\""+strings.ReplaceAll(line, `"`, `\"`)+"\"", "&\"", "\"") + "\n" + line + "\n"
		if strings.HasSuffix(line, "&") {
			script += "trap \"kill $!\" EXIT\n"
		}
	}
	c := exec.CommandContext(context.Background(), "sh", "-c", script)
	c.Dir = dir
	c.Env = append(os.Environ(), fmt.Sprintf("GYR_CHAIN_NODE=http://127.0.0.1:%d", port+7))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	c.Stdout, c.Stderr = file, file
	err = c.Run()
	// The group is that of the script. Its nodes write to the directory until they have ended.
	for i := 0; syscall.Kill(-c.Process.Pid, syscall.SIGTERM) == nil; i++ {
		if i > 100 {
			syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		}
		time.Sleep(100 * time.Millisecond)
	}
	out, _ := os.ReadFile(file.Name())
	t.Logf("%s", out)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(out); !strings.Contains(text, "event post: contract=\"board\"") || !strings.HasSuffix(strings.TrimSpace(text), `(0)\na first post\n"]`) {
		t.Error("the last commands do not print what they should")
	}
}

// freePort returns the first port of a network that does not run here already.
func freePort() int {
	for port := 26650; ; port += 100 {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+7)); err == nil {
			l.Close()
			return port
		}
	}
}

// TestReplaced: the command is replaced by another build while a chain runs. The node that runs goes on, and so
// does the one that is started with the new build, from the last height and with the same state.
func TestReplaced(t *testing.T) {
	dir, port := t.TempDir(), freePort()
	bin := filepath.Join(dir, "gyr-chain")
	build := func(out string, flags ...string) []byte {
		t.Helper()
		if text, err := exec.Command("go", append(append([]string{"build", "-o", out}, flags...), ".")...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	command := func(args ...string) string {
		t.Helper()
		c := exec.Command(bin, args...)
		c.Env = append(os.Environ(), fmt.Sprintf("GYR_CHAIN_NODE=http://127.0.0.1:%d", port+7))
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("gyr-chain %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	home := filepath.Join(dir, "net", "node0")
	start := func() (stop func()) {
		c := exec.Command(bin, "start", "-home", home)
		log := &bytes.Buffer{}
		c.Stdout, c.Stderr = log, log
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			c.Process.Signal(syscall.SIGTERM)
			if err := c.Wait(); err != nil {
				t.Errorf("%v\n%s", err, log)
			}
		}
	}
	before := build(bin)
	command("init", "-dir", filepath.Join(dir, "net"), "-validators", "1", "-port", fmt.Sprint(port))
	key := filepath.Join(dir, "net", "keys", "key0.json")
	stop := start()
	command("status", "-wait")
	command("deploy", "-key", key, "-init", "Init", "token", "../../examples/token")
	mint := []string{"call", "-key", key, "token", "Mint", "@" + key, "100"}
	command(mint...)
	if after := build(bin+".new", "-ldflags=-s -w"); bytes.Equal(before, after) {
		t.Fatal("both builds are the same")
	}
	if err := os.Rename(bin+".new", bin); err != nil {
		t.Fatal(err)
	}
	command(mint...)
	stop()
	stop = start()
	defer func() { stop() }()
	command("status", "-wait")
	command(mint...)
	if got := strings.TrimSpace(command("query", "token", "Supply")); got != "[300]" {
		t.Errorf("the supply is %s, want [300]", got)
	}
}

// TestUsage: wrong command lines have status 64 and say what is wrong; files and nodes that do not
// exist are named, with the cure.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", exitUsage, "usage:"},
		{"no", exitUsage, `no command "no"`},
		{"init -validators 0", exitUsage, "at least a validator"},
		{"init -dir " + dir, exitFailed, "exists already"},
		{"init -nonsense", exitUsage, "flag provided but not defined"},
		{"start -home " + dir + "/none", exitFailed, "gyr-chain init makes the files"},
		{"start -tier fast", exitUsage, `no tier "fast"`},
		{"call token", exitUsage, "1 arguments"},
		{"call token Mint text", exitUsage, "is not JSON"},
		{"call -key " + dir + "/none token Mint 1", exitFailed, "-key names the file"},
		{"query -node http://127.0.0.1:1 token Supply", exitFailed, "-node names another"},
		{"deploy x " + dir + "/none", exitFailed, "no such file"},
		{"deploy x " + dir, exitFailed, "has no Go files"},
		{"deploy -export E x " + dir, exitUsage, "go together"},
		{"bench -n 0", exitUsage, "nothing to measure"},
	} {
		var out, text bytes.Buffer
		if got := run(strings.Fields(c.args), &out, &text); got != c.status || !strings.Contains(text.String(), c.want) {
			t.Errorf("gyr-chain %s: status %d, want %d\n%s%s", c.args, got, c.status, out.String(), text.String())
		}
	}
	for _, c := range commands {
		var out, text bytes.Buffer
		if got := run([]string{"help", c.name}, &out, &text); got != 0 || !strings.Contains(out.String(), "usage: gyr-chain "+c.name) {
			t.Errorf("help %s: status %d: %s%s", c.name, got, out.String(), text.String())
		}
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/stream/internal/cluster"
)

func TestMain(m *testing.M) {
	cluster.Main()
	os.Exit(m.Run())
}

// A step is a command of docs/stream.md, and what it prints.
type step struct{ command, output string }

// steps reads the first block of a document that has commands.
func steps(t *testing.T, file string) (list []step) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(b), "```console\n")
	block, _, ok := strings.Cut(block, "```")
	if !ok {
		t.Fatalf("%s has no block of commands", file)
	}
	for line := range strings.Lines(block) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, step{strings.TrimSpace(command), ""})
		} else {
			list[len(list)-1].output += line
		}
	}
	return list
}

// fits reports whether an output is as documented: … stands for anything within a line, and spaces for
// spaces.
func fits(got, want string) bool {
	pattern := regexp.QuoteMeta(strings.TrimSpace(want))
	pattern = regexp.MustCompile(` +`).ReplaceAllString(pattern, " +")
	pattern = strings.ReplaceAll(pattern, "…", `[^\n]*`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(strings.TrimSpace(got))
}

// TestTenCommands runs the commands of docs/stream.md, in a shell, and compares what they print. The
// server listens at a free port, and the commands that install are those of the checkout.
func TestTenCommands(t *testing.T) {
	list := steps(t, "../../../docs/stream.md")
	if len(list) != 10 {
		t.Errorf("%d commands are not ten", len(list))
	}
	bin := t.TempDir()
	for name, pkg := range map[string]string{"gyr-stream": ".", "server": "github.com/nats-io/nats-server/v2", "gyr": "github.com/gyrvm/gyr/cmd/gyr"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), pkg).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	ports, err := cluster.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	server := fmt.Sprintf("#!/bin/sh\nexec %s/server -p %d \"$@\" >%s/server.log 2>&1\n", bin, ports[0], bin)
	if err := os.WriteFile(filepath.Join(bin, "nats-server"), []byte(server), 0o755); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	// A pipe of a background command would keep the shell's output open.
	script.WriteString("set -u; trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n")
	for i, s := range list {
		command := strings.ReplaceAll(s.command, "localhost:9100", fmt.Sprintf("localhost:%d", ports[1]))
		switch {
		case strings.HasPrefix(command, "git clone"), strings.HasPrefix(command, "go install"):
			command = ":"
		case strings.HasSuffix(command, "&"):
			command = strings.TrimSuffix(command, "&") + fmt.Sprintf(" >%s/%d.log 2>&1 &", bin, i)
		}
		fmt.Fprintf(&script, "%s\necho \"status $?\"; echo '=== %d'\n", command, i)
		if strings.Contains(command, "nats-server") {
			fmt.Fprintf(&script, "until gyr-stream cat none 2>&1 | grep -q 'no stream'; do sleep 0.1; done\n")
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script.String())
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), fmt.Sprintf("NATS_URL=nats://127.0.0.1:%d", ports[0]), "TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	rest := string(out)
	for i, s := range list {
		got, after, ok := strings.Cut(rest, fmt.Sprintf("=== %d\n", i))
		rest = after
		got, status, _ := strings.Cut(got, "status ")
		if !ok || !strings.HasPrefix(status, "0") || !fits(got, s.output) {
			t.Errorf("%s\nprints\n%sstatus %s\nwant\n%s", s.command, got, status, s.output)
		}
	}
	if t.Failed() {
		logs, _ := filepath.Glob(filepath.Join(bin, "*.log"))
		for _, f := range logs {
			b, _ := os.ReadFile(f)
			t.Logf("%s:\n%s", filepath.Base(f), b)
		}
	}
}

// someKey is a public key.
var someKey = strings.Repeat("A", 43) + "="

// TestUsage: wrong usage is told with its cure, and has a status of its own.
func TestUsage(t *testing.T) {
	servers, err := cluster.Start(t.Context(), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Stop()
	t.Setenv("NATS_URL", servers.URL)
	fn := filepath.Join("..", "..", "examples", "clicks")
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "f.go"), []byte("package f\n\nfunc Handle() { x }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "go.mod"), []byte("module example.com/f\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", 64, "Usage:"},
		{"help", 0, "Usage:"},
		{"help run", 0, "-subject"},
		{"run -h", 0, "usage: gyr-stream run"},
		{"walk", 64, "walk: unknown command"},
		{"run -fast", 64, "flag provided but not defined: -fast"},
		{"run -subject a.*", 64, "no -name"},
		{"run -mem 1X -fn " + fn, 64, "-mem"},
		{"run -name x -subject a..b", 64, `-subject: "a..b": a token is empty`},
		{"run -name x.y -subject a.*", 64, `-name: "x.y"`},
		{"run -subject nobody.* -fn " + fn, 125, "there is no stream with subject nobody.*: make one: gyr-stream init -subject 'nobody.*'"},
		{"run -server nats://127.0.0.1:1 -subject a.* -fn " + fn, 125, "start one with nats-server -js"},
		{"init -subject a.> -partitions 3", 64, "> has no fixed number"},
		{"init -subject a.b -partitions 3", 64, "has no *"},
		{"init -subject a.* -partitions 0", 64, "-partitions: 0"},
		{"init -subject a.*", 0, "stream A: a.*, 8 partitions"},
		{"init -subject a.* -stream B", 125, "overlap"},
		{"run -subject a.* -name none", 125, "there is no function of pipeline none: deploy one"},
		{"run -subject a.* -fn nowhere", 125, "-fn: stat nowhere"},
		{"run -subject a.* -name broken -fn " + broken, 1, "undefined: x"},
		{"run -subject a.* -name broken -fn main.go", 1, "function Handle"},
		{"status", 64, "-name is missing"},
		{"status -name never", 125, "there is no pipeline never"},
		{"dead -name never", 125, "there is no stream GYR_never"},
		{"pub nobody.here x", 125, "there is no stream with subject nobody.here"},
		{"cat nobody.here", 125, "there is no stream with subject nobody.here"},
		{"delete -name none", 64, "-yes does it"},
		{"delete -name none -yes", 0, ""},
		{"status -name none", 125, "there is no pipeline none"},
		{"research-worker -h", 0, "gyr research workers -add KEY -name NAME"},
		{"research-worker q", 64, "-from: key: \"\"; want 32 bytes"},
		{"research-worker -from " + someKey, 64, "usage: gyr-stream research-worker -from KEY"},
		{"research-worker -lease 1ms -from " + someKey + " q", 64, "-lease: 1ms is less than a second"},
		{"research-worker -from " + someKey + " a.b", 64, "no name of a queue"},
		{"research-worker -gyr no-such-program -from " + someKey + " q", 125, "no-such-program"},
		{"research-worker -server nats://127.0.0.1:1 -from " + someKey + " q", 125, "start one with nats-server -js"},
		{"research-queue", 64, "usage: gyr-stream research-queue [flags] NAME"},
		{"research-queue a.>", 64, "no name of a queue"},
		{"research-queue -replicas 9 q2", 125, "the stream of queue q2: "},
	} {
		var out bytes.Buffer
		stdout, stderr = &out, &out
		if got := status(context.Background(), strings.Fields(c.args)); got != c.status || !strings.Contains(out.String(), c.want) {
			t.Errorf("gyr-stream %s: status %d, want %d:\n%s\nwant %s", c.args, got, c.status, out.String(), c.want)
		}
	}
	stdout, stderr = os.Stdout, os.Stderr
}

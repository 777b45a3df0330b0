package stdlayers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// others are the folders below internal that are not part of the engine.
var others = []string{"internal/cmd", "internal/lab", "internal/modproxy", "internal/suites", "internal/tools"}

// sources returns a hash of the sources that the engine in this process was built from, or nothing
// if they are unknown.
func sources() string {
	_, here, _, _ := runtime.Caller(0)
	started, err := goTest(os.Getppid())
	if err != nil || !filepath.IsAbs(here) { // -trimpath
		return ""
	}
	sum, err := sumOf(filepath.Join(filepath.Dir(here), "..", "..", ".."), started)
	if err != nil {
		return ""
	}
	return sum
}

// sumOf returns a hash of the engine's sources in a checkout. It returns an error if a source or
// one of the folders has changed at a time or later.
func sumOf(root string, started time.Time) (string, error) {
	h := sha256.New()
	look := func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir() && (slices.Contains(others, name) || d.Name() == "testdata"):
			return fs.SkipDir
		case strings.HasSuffix(name, "_test.go"):
			return nil
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok || !time.Unix(stat.Ctim.Unix()).Before(started) {
			return fmt.Errorf("%s has changed", name)
		}
		if d.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
		return err
	}
	for _, name := range []string{"internal", "state", "go.mod", "go.sum"} {
		if err := filepath.WalkDir(filepath.Join(root, name), look); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ticks is the unit of times in /proc.
const ticks = time.Second / 100

// goTest returns when a process started. It returns an error unless the process is a go command
// that tests the sources on disk.
func goTest(pid int) (started time.Time, err error) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	line, err := os.ReadFile(dir + "cmdline")
	if err != nil {
		return started, err
	}
	if args := strings.Split(string(line), "\x00"); !plain(args, os.Getenv("GOFLAGS")) {
		return started, fmt.Errorf("the parent is %q", args)
	}
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return started, err
	}
	// After the name, which may contain anything, the start is field 22, in ticks since the system
	// started.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return started, fmt.Errorf("%s has %d fields", dir, len(fields))
	}
	since, err := strconv.ParseInt(string(fields[19]), 10, 64)
	if err != nil {
		return started, err
	}
	system, err := os.ReadFile("/proc/stat")
	if err != nil {
		return started, err
	}
	_, rest, _ := strings.Cut(string(system), "\nbtime ")
	text, _, _ := strings.Cut(rest, "\n")
	booted, err := strconv.ParseInt(text, 10, 64)
	// The system's start time has a resolution of one second.
	return time.Unix(booted, 0).Add(time.Duration(since)*ticks - 2*time.Second), err
}

// plain reports whether a command line is that of a go command that tests, and compiles the sources
// on disk.
func plain(args []string, goflags string) bool {
	if filepath.Base(args[0]) != "go" || len(args) < 2 || args[1] != "test" {
		return false
	}
	return !slices.ContainsFunc(append(args[2:], strings.Fields(goflags)...), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return strings.HasPrefix(arg, "-") && slices.Contains([]string{"overlay", "toolexec", "modfile", "compiler"}, name)
	})
}

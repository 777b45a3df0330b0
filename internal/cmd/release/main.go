// Command release builds what is handed out of a version of gyr.
//
//	go run ./internal/cmd/release [-o DIR] [-platforms LIST]
//
// It compiles the standard library of the Go installation with the sources at hand into a std file (gyr std build), and
// for each platform the command with that file in it, so that one binary runs Go source where there is no Go. The
// directory then has
//
//	gyr-linux-amd64 …   the command; on processors without a native tier it interprets
//	go1.26.8.gyrstd     the std file alone, for hosts that embed package gyr; it is the same for all platforms
//	LICENSE             of gyr
//	LICENSE.go          of Go, since the standard library is in each of these files
//	SHA256SUMS          hashes of all these, as sha256sum -c reads them
//
// The same sources, Go release and flags give equal bytes, wherever the checkout and the Go installation are: builds are
// with -trimpath and without the time and state of the repository (-buildvcs=false), and no cache of this machine has a
// part in the std file. TestTwice shows it, with -release.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const usage = `usage: release [-o DIR] [-platforms LIST]

Release writes the command for each platform, with the standard library in it, into a directory.
`

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	out := flag.String("o", "release", "the `directory` to write into, which must be empty or missing")
	platforms := flag.String("platforms", "linux/amd64,linux/arm64,darwin/arm64", "`list` of GOOS/GOARCH, separated by commas")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	start := time.Now()
	if err := release(ctx, *out, strings.Split(*platforms, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: done in %v\n", *out, time.Since(start).Round(time.Second))
}

// release writes all files of a release into a directory.
func release(ctx context.Context, out string, platforms []string) error {
	for _, p := range platforms {
		if goos, arch, ok := strings.Cut(p, "/"); !ok || goos == "" || arch == "" {
			return fmt.Errorf("platform %q: want GOOS/GOARCH", p)
		}
	}
	root, err := goValue(ctx, "", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return err
	}
	env, err := goValue(ctx, root, "env", "GOROOT", "GOVERSION")
	if err != nil {
		return err
	}
	goroot, version, _ := strings.Cut(env, "\n")
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	if list, err := os.ReadDir(out); err == nil && len(list) > 0 {
		return fmt.Errorf("%s is not empty", out)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "gyr-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	std := filepath.Join(out, version+".gyrstd")
	if err := makeStd(ctx, root, scratch, goroot, std); err != nil {
		return err
	}
	names := []string{filepath.Base(std)}
	for _, p := range platforms {
		goos, arch, _ := strings.Cut(p, "/")
		name := "gyr-" + goos + "-" + arch
		if goos == "windows" {
			name += ".exe"
		}
		fmt.Println(name)
		if err := build(ctx, root, scratch, goos, arch, std, filepath.Join(out, name)); err != nil {
			return err
		}
		names = append(names, name)
	}
	for name, from := range map[string]string{"LICENSE": filepath.Join(root, "LICENSE"), "LICENSE.go": goLicence(goroot)} {
		text, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o666); err != nil {
			return err
		}
		names = append(names, name)
	}
	return writeSums(out, names)
}

// goLicence returns the name of the file with the licence of Go.
func goLicence(goroot string) string { return filepath.Join(goroot, "LICENSE") }

// makeStd writes a std file by the command as the sources have it, without a cache.
func makeStd(ctx context.Context, root, scratch, goroot, std string) error {
	fmt.Println(filepath.Base(std))
	bin := filepath.Join(scratch, "gyr")
	if _, err := goValue(ctx, root, "build", "-trimpath", "-buildvcs=false", "-o", bin, "./cmd/gyr"); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, bin, "std", "build", "-cache", "off", "-o", std)
	cmd.Env = append(os.Environ(), "GOROOT="+goroot)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("gyr std build: %w\n%s", err, text)
	}
	return nil
}

// build writes the command for a platform, with a std file in it. The command embeds a file that lies beside its sources,
// where an overlay puts this one, so that the checkout stays as it is.
func build(ctx context.Context, root, scratch, goos, arch, std, out string) error {
	overlay := filepath.Join(scratch, "overlay.json")
	text := fmt.Sprintf("{\"Replace\": {%q: %q}}\n", filepath.Join(root, "cmd", "gyr", "std.gyrstd"), std)
	if err := os.WriteFile(overlay, []byte(text), 0o666); err != nil {
		return err
	}
	_, err := goValue(ctx, root, "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0", "build", "-trimpath", "-buildvcs=false", "-tags",
		"gyrstd", "-overlay", overlay, "-ldflags", "-s -w", "-o", out, "./cmd/gyr")
	return err
}

// goValue runs the go command in a directory and returns what it prints. Arguments of the form NAME=value before the first
// other one are its environment.
func goValue(ctx context.Context, dir string, args ...string) (string, error) {
	n := slices.IndexFunc(args, func(a string) bool { return !strings.Contains(a, "=") })
	cmd := exec.CommandContext(ctx, "go", args[n:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), append([]string{"GOFLAGS=", "GOWORK=off"}, args[:n]...)...)
	out, err := cmd.Output()
	if e := (*exec.ExitError)(nil); err != nil {
		if errors.As(err, &e) {
			err = fmt.Errorf("%w\n%s", err, e.Stderr)
		}
		return "", fmt.Errorf("go %s: %w", strings.Join(args[n:], " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// writeSums writes the hashes of files of a directory.
func writeSums(dir string, names []string) error {
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(b.String()), 0o666)
}

package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
)

// platforms are the platforms of a release.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64", "windows/amd64"}

// plain is the environment of builds, which excludes the user's settings.
var plain = []string{"GOFLAGS=", "GOWORK=off"}

//go:embed Dockerfile
var dockerfile string

// release writes all files of a release of a checkout into a directory.
func release(ctx context.Context, root, out string, platforms []string) error {
	for _, p := range platforms {
		if goos, arch, ok := strings.Cut(p, "/"); !ok || goos == "" || arch == "" {
			return fmt.Errorf("platform %q: want GOOS/GOARCH", p)
		}
	}
	env, err := output(ctx, root, plain, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return err
	}
	goroot, goVersion, _ := strings.Cut(env, "\n")
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

	text := strings.ReplaceAll(dockerfile, "VERSION", engine.Version)
	if err := os.WriteFile(filepath.Join(out, "Dockerfile"), []byte(text), 0o666); err != nil {
		return err
	}
	std := filepath.Join(out, named(goVersion+".gyrstd"))
	if err := makeStd(ctx, root, scratch, goroot, std); err != nil {
		return err
	}
	say(std)
	for _, p := range platforms {
		goos, arch, _ := strings.Cut(p, "/")
		bin := filepath.Join(scratch, goos+"-"+arch, command(goos))
		if err := build(ctx, root, scratch, goos, arch, std, bin); err != nil {
			return err
		}
		files := []archived{
			{command(goos), bin, true}, {"LICENSE", filepath.Join(root, "LICENSE"), false},
			// The command contains the standard library.
			{"LICENSE.go", filepath.Join(goroot, "LICENSE"), false},
			{"README.md", filepath.Join(root, "README.md"), false}, {"CHANGELOG.md", filepath.Join(root, "CHANGELOG.md"), false},
		}
		write, suffix := writeTar, ".tar.gz"
		if goos == "windows" {
			write, suffix = writeZip, ".zip"
		}
		base := filepath.Join(out, named(goos+"-"+arch))
		if err := archive(base+suffix, files, write); err != nil {
			return err
		}
		say(bin, base+suffix)
		if err := bill(ctx, bin, base+".cdx.json"); err != nil {
			fmt.Printf("%s: no bill of materials: %v\n", filepath.Base(base), err)
		}
	}
	return writeSums(out)
}

// named returns the name of a file of a release.
func named(what string) string { return "gyr-" + engine.Version + "-" + what }

// command returns the name of gyr's executable on a system.
func command(goos string) string {
	if goos == "windows" {
		return "gyr.exe"
	}
	return "gyr"
}

// say prints the sizes of files.
func say(files ...string) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			fmt.Printf("%s: %.1f MB\n", filepath.Base(name), float64(info.Size())/1e6)
		}
	}
}

// makeStd writes a std file with a command built from the sources, without a cache.
func makeStd(ctx context.Context, root, scratch, goroot, std string) error {
	bin := filepath.Join(scratch, "gyr")
	if _, err := output(ctx, root, plain, "go", "build", "-trimpath", "-buildvcs=false", "-o", bin, "./cmd/gyr"); err != nil {
		return err
	}
	_, err := output(ctx, root, []string{"GOROOT=" + goroot}, bin, "std", "build", "-cache", "off", "-o", std)
	return err
}

// build writes the command for a platform, with a std file in it. The command embeds a file from
// its source directory. An overlay puts the std file there, so that the checkout stays as it is.
func build(ctx context.Context, root, scratch, goos, arch, std, out string) error {
	overlay := filepath.Join(scratch, "overlay.json")
	text := fmt.Sprintf("{\"Replace\": {%q: %q}}\n", filepath.Join(root, "cmd", "gyr", "std.gyrstd"), std)
	if err := os.WriteFile(overlay, []byte(text), 0o666); err != nil {
		return err
	}
	env := append(slices.Clone(plain), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
	_, err := output(ctx, root, env, "go", "build", "-trimpath", "-buildvcs=false", "-tags", "gyrstd", "-overlay", overlay, "-ldflags", "-s -w",
		"-o", out, "./cmd/gyr")
	return err
}

// cyclonedx is the tool that writes bills of materials.
const cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"

// bill writes the software bill of materials of a command, from what the go command wrote into it.
// The module proxy or the module cache has the tool. The tool writes a hash of itself, so it is
// built the same way everywhere.
func bill(ctx context.Context, bin, out string) error {
	env := append(slices.Clone(plain), "CGO_ENABLED=0")
	_, err := output(ctx, filepath.Dir(bin), env, "go", "run", "-trimpath", cyclonedx, "bin", "-json", "-std", "-noserial", "-notimestamp",
		"-version", "v"+engine.Version, "-output", out, bin)
	return err
}

// writeSums writes the hashes of the files of a directory.
func writeSums(dir string) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, e := range list {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(b.String()), 0o666)
}

// Command release builds the files of a release of gyr, and prints how to tag its modules
// (docs/releasing.md).
//
//	go run ./internal/cmd/release [-o DIR] [-platforms LIST]
//
// It compiles the standard library of the Go installation with the current sources into a std file
// (gyr std build). For each platform it builds the command with that file in it, so that one binary
// runs Go source without a Go installation. The directory then has
//
//	gyr-0.2.0-linux-amd64.tar.gz …      the command, its licence and those of Go, README and changelog in a folder gyr; for windows a .zip.
//	                                    On processors without a native tier it interprets
//	gyr-0.2.0-linux-amd64.cdx.json …    what is in the command: a software bill of materials, by cyclonedx-gomod
//	gyr-0.2.0-go1.26.8.gyrstd           the std file alone, for hosts that embed package gyr; it is the same for all platforms
//	Dockerfile                          an image of the linux archives and nothing else
//	SHA256SUMS                          hashes of all these, as sha256sum -c reads them
//
// The same sources, Go release and flags give equal bytes, wherever the checkout and the Go
// installation are. Builds use -trimpath and exclude the time and state of the repository
// (-buildvcs=false), the std file is made without a cache of this machine, and archives have one
// date. TestTwice shows it, with -release.
//
//	go run ./internal/cmd/release -tags v0.2.0
//
// This checks that the checkout is fit to be that version, and prints the commands that make it
// one: one tag for each module.
//
//	go run ./internal/cmd/release -tidy
//
// This runs go mod tidy in each published module, with a module proxy that already has their next
// version.
//
// build.go builds, archive.go packs, and modules.go checks and tags the modules.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
)

const usage = `usage: release [-o DIR] [-platforms LIST]
       release -tags VERSION
       release -tidy

Release writes the command for each platform, with the standard library in it, into a directory.
`

func main() {
	flag.Usage = func() {
		fmt.Fprint(os.Stderr, usage)
		flag.PrintDefaults()
	}
	out := flag.String("o", "release", "the `directory` to write into, which must be empty or missing")
	list := flag.String("platforms", strings.Join(platforms, ","), "`list` of GOOS/GOARCH, separated by commas")
	version := flag.String("tags", "", "check that the checkout is fit to be released as `VERSION`, and print the commands that tag it")
	doTidy := flag.Bool("tidy", false, "bring go.mod and go.sum of the published modules up to date")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := do(ctx, *out, *list, *version, *doTidy); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// do does what the flags ask for.
func do(ctx context.Context, out, list, version string, doTidy bool) error {
	root, err := checkout(ctx)
	switch {
	case err != nil:
		return err
	case version != "":
		return tags(ctx, root, engine.Version, version)
	case doTidy:
		return tidy(ctx, root, "v"+engine.Version, true)
	}
	start := time.Now()
	if err := release(ctx, root, out, strings.Split(list, ",")); err != nil {
		return err
	}
	fmt.Printf("%s: done in %v\n", out, time.Since(start).Round(time.Second))
	return nil
}

// checkout returns the root of the checkout that contains the current directory.
func checkout(ctx context.Context) (string, error) {
	return output(ctx, "", plain, "go", "list", "-m", "-f", "{{.Dir}}")
}

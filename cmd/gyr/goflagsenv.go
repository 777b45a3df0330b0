package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/tools/goflags"
)

// goFlagsVar is the environment variable with flags for every go command.
const goFlagsVar = "GOFLAGS"

// otherGoFlags are flags of go commands that may be in GOFLAGS and mean nothing to gyr.
var otherGoFlags = strings.Fields(`
	artifacts artifactsdir cache changed cmd compiled d debug-actiongraph debug-runtime-trace debug-trace deps diff e export f find fix fixtool
	fuzzcache go http i insecure j m modcache r retracted reuse src t testcache tool u versions vettool w`)

// setFromGOFLAGS sets the flags of a command that are in GOFLAGS, before those of the command line.
// As in the go command, flags of other commands are ignored, and unknown flags are an error.
func setFromGOFLAGS(fs *flag.FlagSet) error {
	list, err := goflags.Split(goEnv(goFlagsVar))
	if err != nil {
		return fmt.Errorf("parsing $GOFLAGS: %v", err)
	}
	for _, text := range list {
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(text, "-"), "-"), "=")
		f := fs.Lookup(name)
		switch {
		case !strings.HasPrefix(text, "-") || name == "" || strings.HasPrefix(name, "-"):
			return fmt.Errorf("parsing $GOFLAGS: non-flag %q", text)
		case !isGoFlag(name):
			return fmt.Errorf("parsing $GOFLAGS: unknown flag -%s; it takes flags of the go command only", name)
		case f == nil || name == "C":
			continue
		}
		b, ok := f.Value.(interface{ IsBoolFlag() bool })
		switch {
		case has:
		case !ok || !b.IsBoolFlag():
			return fmt.Errorf("flag needs an argument: -%s (from $GOFLAGS)", name)
		default:
			value = "true"
		}
		if err := fs.Set(name, value); err != nil {
			return fmt.Errorf("invalid value %q for flag -%s (from $GOFLAGS): %v", value, name, err)
		}
		if why := refused(fs); why != "" {
			return fmt.Errorf("%s (from $GOFLAGS)", why)
		}
	}
	return nil
}

// inGOFLAGS reports whether GOFLAGS has a flag.
func inGOFLAGS(name string) bool {
	list, _ := goflags.Split(goEnv(goFlagsVar))
	return slices.ContainsFunc(list, func(text string) bool {
		flag, _, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
		return flag == name
	})
}

// isGoFlag reports whether a command of go has a flag.
func isGoFlag(name string) bool {
	return slices.ContainsFunc(goFlagTable, func(f goFlag) bool { return f.name == name }) ||
		slices.ContainsFunc(binaryFlags, func(f binaryFlag) bool { return f.name == name }) ||
		slices.Contains(otherGoFlags, name) || slices.Contains(testFlagsOfGo, name)
}

// testFlagsOfGo are flags of go test that gyr test takes, besides those in the other lists.
var testFlagsOfGo = strings.Fields(`
	c coverprofile cpuprofile failfast json memprofile outputdir tags timeout vet`)

// goEnv returns the value of a variable as the go command sees it: from the environment, else as go
// env -w has set it.
func goEnv(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	file := os.Getenv("GOENV")
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(dir, "go", "env")
	}
	data, err := os.ReadFile(file) // off, or no file: nothing was set
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), name+"="); ok {
			return v
		}
	}
	return ""
}

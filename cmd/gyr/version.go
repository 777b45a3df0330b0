package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/release"
)

var versionCmd = &command{
	name:  "version",
	usage: "[-m] [-json]",
	short: "print the version",
	long: `Version prints the version of gyr, of its determinism and of its prices of gas, and the Go release that
built it. With -m it also prints what it was built from, in the lines of go version -m: modules with their versions and
sums, settings of the build. Two more lines say which releases of Go it runs the standard library of, and which library
is built in. With -json the object has also the revision of the repository that it was built from, if that is known, and
whether files were modified.`,
	run: version,
}

// A versionInfo is the output of -json.
type versionInfo struct {
	Version     string   `json:"version"`
	Determinism int      `json:"determinism"`
	Gas         int      `json:"gas"`
	Go          string   `json:"go"`
	OS          string   `json:"os"`
	Arch        string   `json:"arch"`
	Revision    string   `json:"revision"` // empty: unknown
	Modified    bool     `json:"modified"`
	Serves      []string `json:"serves"`        // releases of Go
	Std         string   `json:"std,omitempty"` // the library built in

	*buildInfo // with -m
}

// A buildInfo is the information that the go command wrote into the executable.
type buildInfo struct {
	Path     string            `json:"path"` // of the main package
	Module   moduleInfo        `json:"module"`
	Deps     []moduleInfo      `json:"deps"`
	Settings map[string]string `json:"settings"`
}

// A moduleInfo is a linked module.
type moduleInfo struct {
	Path    string      `json:"path"`
	Version string      `json:"version"`
	Sum     string      `json:"sum,omitempty"`
	Replace *moduleInfo `json:"replace,omitempty"`
}

func version(c *command, args []string) error {
	fs := c.flags()
	modules := fs.Bool("m", false, "print what it was built from")
	asJSON := fs.Bool("json", false, "print one JSON object")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError{"version takes no arguments"}
	}
	v := thisVersion()
	info, known := debug.ReadBuildInfo()
	if *asJSON {
		if *modules && known {
			v.buildInfo = buildInfoOf(info)
		}
		return printJSON(v)
	}
	fmt.Fprintf(stdout, "gyr version %s determinism %d gas %d %s %s/%s\n", v.Version, v.Determinism, v.Gas, v.Go, v.OS, v.Arch)
	if !*modules {
		return nil
	}
	if known {
		for line := range strings.Lines(info.String()) {
			if !strings.HasPrefix(line, "go\t") { // it is in the first line
				fmt.Fprintf(stdout, "\t%s", line)
			}
		}
	}
	fmt.Fprintf(stdout, "\tserves\t%s\n", strings.Join(v.Serves, " "))
	if v.Std != "" {
		fmt.Fprintf(stdout, "\tstd\t%s\n", v.Std)
	}
	return nil
}

// thisVersion describes the command.
func thisVersion() versionInfo {
	v := versionInfo{
		Version: gyr.Version, Determinism: gyr.DeterminismVersion, Gas: gyr.GasTableVersion,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Serves: release.ServedNames(),
	}
	if embeddedStd != nil {
		v.Std = stdStatus()
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Revision = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	return v
}

// buildInfoOf returns what -json prints of an executable's build information.
func buildInfoOf(info *debug.BuildInfo) *buildInfo {
	b := &buildInfo{Path: info.Path, Module: moduleInfoOf(info.Main), Deps: []moduleInfo{}, Settings: map[string]string{}}
	for _, m := range info.Deps {
		b.Deps = append(b.Deps, moduleInfoOf(*m))
	}
	for _, s := range info.Settings {
		b.Settings[s.Key] = s.Value
	}
	return b
}

func moduleInfoOf(m debug.Module) moduleInfo {
	i := moduleInfo{Path: m.Path, Version: m.Version, Sum: m.Sum}
	if m.Replace != nil {
		r := moduleInfoOf(*m.Replace)
		i.Replace = &r
	}
	return i
}

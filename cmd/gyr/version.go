package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/gyrvm/gyr/internal/engine"
)

var versionCmd = &command{
	name:  "version",
	usage: "[-json]",
	short: "print the version",
	long: `Version prints the version of gyr, of its determinism and of its prices of gas, and the Go release that
built it. With -json the object has also the revision of the repository that it was built from, if that is known, and
whether files were modified.`,
	run: version,
}

// A versionInfo is what -json prints.
type versionInfo struct {
	Version     string `json:"version"`
	Determinism int    `json:"determinism"`
	Gas         int    `json:"gas"`
	Go          string `json:"go"`
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	Revision    string `json:"revision"` // empty: not known
	Modified    bool   `json:"modified"`
}

func version(c *command, args []string) error {
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print one JSON object")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError{"version takes no arguments"}
	}
	v := thisVersion()
	if *asJSON {
		return printJSON(v)
	}
	fmt.Fprintf(stdout, "gyr version %s determinism %d gas %d %s %s/%s\n", v.Version, v.Determinism, v.Gas, v.Go, v.OS, v.Arch)
	return nil
}

// thisVersion describes the command.
func thisVersion() versionInfo {
	v := versionInfo{
		Version: engine.Version, Determinism: engine.DeterminismVersion, Gas: engine.GasTableVersion,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
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

package main

import (
	"fmt"
	"runtime"

	"github.com/gyrvm/gyr/internal/engine"
)

var versionCmd = &command{
	name:  "version",
	usage: "",
	short: "print the version",
	long:  `Version prints the version of gyr, of its determinism, and of the Go release that built it.`,
	run:   version,
}

func version(c *command, args []string) error {
	fs := c.flags()
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError{"version takes no arguments"}
	}
	fmt.Fprintf(stdout, "gyr version %s determinism %d gas %d %s %s/%s\n", engine.Version, engine.DeterminismVersion,
		engine.GasTableVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return nil
}

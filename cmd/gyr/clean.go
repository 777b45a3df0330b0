package main

import (
	"fmt"
	"os"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

var cleanCmd = &command{
	name:  "clean",
	usage: "[-cache directory] [-fuzzcache] [-v]",
	short: "remove compiled programs, and the precompiled standard library, from the cache",
	long: `Clean removes the compiled programs that gyr keeps in its cache directory, and
the directory if nothing else is in it. Files that gyr did not make stay. With -fuzzcache
it removes the inputs that gyr test -fuzz has kept there instead.`,
	run: clean,
}

func clean(c *command, args []string) error {
	fs := c.flags()
	flag := fs.String("cache", "", "clean this `directory`; default $GYRCACHE, or gyr in the user's cache directory")
	fuzz := fs.Bool("fuzzcache", false, "remove the inputs of fuzz targets instead")
	verbose := fs.Bool("v", false, "say what was removed")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError{"clean takes no arguments\nusage: gyr clean " + c.usage}
	}
	dir, _ := cacheDir(*flag)
	if dir == "" {
		if *verbose {
			fmt.Fprintln(stdout, "the cache is off")
		}
		return nil
	}
	if *fuzz {
		dir = testrun.FuzzCache(dir)
		err := os.RemoveAll(dir)
		if *verbose && err == nil {
			fmt.Fprintf(stdout, "%s: removed\n", dir)
		}
		return err
	}
	n, bytes, err := gyr.CacheDir(dir).Clean()
	if *verbose {
		fmt.Fprintf(stdout, "%s: removed %d entries, %d bytes\n", dir, n, bytes)
	}
	return err
}

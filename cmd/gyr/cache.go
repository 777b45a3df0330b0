package main

import (
	"fmt"
	"os"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/printable"
)

// The directory in which compiled programs are kept is that of the flag -cache,
// else that of the environment variable GYRCACHE, else gyr in the user's directory for
// caches. The word off in place of a directory means none.

const cacheVar = "GYRCACHE"

const cacheUsage = "keep compiled programs in a `directory`, or off; default $GYRCACHE, or gyr in the user's cache directory"

// cacheDir returns the directory that is in force, empty for none. named says
// that the user named it: then a directory that is of no use is worth a word.
func cacheDir(flag string) (dir string, named bool) {
	if flag == "" {
		flag = os.Getenv(cacheVar)
	}
	switch flag {
	case "off":
		return "", true
	case "":
		dir, err := engine.DefaultCache()
		if err != nil {
			return "", false
		}
		return dir, false
	}
	return flag, true
}

// warnCache says why a cache that the user named was not used.
func warnCache(p *engine.Program, named bool) {
	if note := p.Stats().CacheNote; named && note != "" {
		fmt.Fprintf(stderr, "gyr: no cache: %s\n", printable.Line(note))
	}
}

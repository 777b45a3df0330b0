package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/printable"
)

// Compiled programs are kept in the directory of the flag -cache, else of the environment variable
// GYRCACHE, else in gyr in the user's directory for caches. The word off in place of a directory
// means none.

const cacheVar = "GYRCACHE"

const cacheUsage = "keep compiled programs in a `directory`, or off; default $GYRCACHE, or gyr in the user's cache directory"

// cacheDir returns the directory in force, empty for none. The error says why there is no directory
// although the user did not switch the cache off.
func cacheDir(flag string) (dir string, err error) {
	if flag == "" {
		flag = os.Getenv(cacheVar)
	}
	switch flag {
	case "off":
		return "", nil
	case "":
		dir, err := gyr.DefaultCache()
		return string(dir), err
	}
	return flag, nil
}

// A cacheWarning says on standard error, once, why the cache is not used. Without a cache every
// start takes as long as the first one. A user who wants no cache switches it off.
type cacheWarning struct{ told bool }

// tell prints the first nonempty note.
func (w *cacheWarning) tell(notes ...string) {
	if note := cmp.Or(notes...); note != "" && !w.told {
		w.told = true
		fmt.Fprintf(stderr, "gyr: no cache: %s\n", printable.Line(note))
	}
}

// base reports what is wrong with the cache of the base that a source's program is built on.
func (w *cacheWarning) base(src engine.Source) {
	if b, err := engine.BaseOf(src); b != nil && err == nil {
		w.tell(b.Stats().CacheNote)
	}
}

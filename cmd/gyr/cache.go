package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/printable"
)

// The directory in which compiled programs are kept is that of the flag -cache,
// else that of the environment variable GYRCACHE, else gyr in the user's directory for
// caches. The word off in place of a directory means none.

const cacheVar = "GYRCACHE"

const cacheUsage = "keep compiled programs in a `directory`, or off; default $GYRCACHE, or gyr in the user's cache directory"

// cacheDir returns the directory that is in force, empty for none. The error says why there is none although nobody
// switched the cache off.
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

// A cacheWarning says on standard error, once, why the cache is not used: without it every start takes the time of the
// first one. Who wants none switches it off.
type cacheWarning struct{ told bool }

// tell prints the first of some notes that is not empty.
func (w *cacheWarning) tell(notes ...string) {
	if note := cmp.Or(notes...); note != "" && !w.told {
		w.told = true
		fmt.Fprintf(stderr, "gyr: no cache: %s\n", printable.Line(note))
	}
}

// base tells what is wrong with the cache of the base that the program of a source continues.
func (w *cacheWarning) base(src engine.Source) {
	if b, err := engine.BaseOf(src); b != nil && err == nil {
		w.tell(b.Stats().CacheNote)
	}
}

package vet

import (
	"os"
	"testing"

	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// cacheDir is the cache of all tests. The suite is compiled into it once.
var cacheDir string

func TestMain(m *testing.M) {
	dir := os.Getenv("VETCACHE")
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "vet"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
	}
	cacheDir = dir
	m.Run()
}

package gyr

import "github.com/gyrvm/gyr/internal/engine"

// A CacheDir is a directory that keeps compiled programs: see CompileOptions.Cache.
type CacheDir string

// DefaultCache is the directory that the command uses: gyr in the user's directory for caches.
func DefaultCache() (CacheDir, error) {
	dir, err := engine.DefaultCache()
	return CacheDir(dir), err
}

// Check reports why the directory cannot be used as CompileOptions.Cache. It makes the directory if
// it does not exist.
func (d CacheDir) Check() error { return engine.CheckCache(string(d)) }

// Usage returns the number of entries in the directory, and their bytes.
func (d CacheDir) Usage() (entries int, bytes int64, err error) { return engine.CacheUsage(string(d)) }

// Clean removes the entries, and the directory if nothing else is in it. It returns the number of
// entries and their bytes.
func (d CacheDir) Clean() (entries int, bytes int64, err error) { return engine.CleanCache(string(d)) }

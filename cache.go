package gyr

import "github.com/gyrvm/gyr/internal/engine"

// DefaultCache is the directory that the command uses as Source.Cache: gyr in
// the user's directory for caches.
func DefaultCache() (string, error) { return engine.DefaultCache() }

// CheckCache reports why a directory cannot be used as Source.Cache. It makes
// the directory if it is not there.
func CheckCache(dir string) error { return engine.CheckCache(dir) }

// CleanCache removes the entries of a cache directory, and the directory if
// nothing else is in it. It returns how many there were and their bytes.
func CleanCache(dir string) (entries int, bytes int64, err error) { return engine.CleanCache(dir) }

// CacheUsage returns how many entries a cache directory holds, and their bytes.
func CacheUsage(dir string) (entries int, bytes int64, err error) { return engine.CacheUsage(dir) }

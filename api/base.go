package api

import "time"

// BaseConfig says which base is wanted.
type BaseConfig struct {
	GOROOT   string         // as in Source
	Tags     []string       // as in Source: programs with others do not continue the base
	Cache    string         // as in Source
	Progress func(Progress) // as in Source

	// Std is a standard library that gyr std build wrote, of the same gyr. Neither OpenBase nor a
	// compilation on the base then needs or looks for a Go installation, and GOROOT is ignored. What cannot
	// be done without one is refused: tests and coverage of packages of the standard library, and
	// BuildStandalone.
	//
	// Std is a trusted artefact: its code has no checks that could be verified, and runs as it is. Take it
	// from the host's own code, by go:embed for instance, never from where programs come from. The bytes
	// must not change while the base is in use, and Tags must be those that it was made for.
	Std []byte
}

// BaseStats says how the layers of a base came to be, and whether its cache is of use.
type BaseStats struct {
	// Layers are those that programs have needed up to now, in their order: each continues the ones before it.
	Layers []LayerStats
	// Cached is CacheOff if no cache was asked for or it is not usable, CacheHit if all of Layers come from
	// it or from BaseConfig.Std, CacheMiss if some had to be made.
	Cached string
	// CacheNote is one line that says why the cache, although it was asked for, was not used, or why
	// something that was made could not be written to it: the next process makes it again. It is empty if
	// nothing went wrong.
	CacheNote string
}

// LayerStats says how a layer of a base came to be.
type LayerStats struct {
	Packages  int  // of the standard library that programs can import from it
	Functions int  // of all its packages
	FromCache bool // it was read from the cache; otherwise it was made
	FromStd   bool // it was read from BaseConfig.Std
	// Took is the time that reading or making it took, without the layers below.
	Took time.Duration
	// Compiled is how many of the functions this process has compiled up to now; those taken from the cache
	// are not among them, and one that was compiled for both tiers counts twice.
	Compiled int
	// CacheNote is one line that says why an entry that was found is not used, because it is damaged for
	// instance. It is empty if there was none, or nothing wrong with it.
	CacheNote string
}

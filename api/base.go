package api

import "time"

// BaseConfig selects a base.
type BaseConfig struct {
	GOROOT   string         // as in Source
	Tags     []string       // as in Source; programs with other tags do not use the base
	Cache    string         // as in Source
	Progress func(Progress) // as in Source

	// Std is a standard library that gyr std build wrote, with the same version of gyr. With Std,
	// neither OpenBase nor a compilation on the base looks for a Go installation, and GOROOT is
	// ignored. Operations that need the sources of an installation are refused: tests and coverage
	// of packages of the standard library, and BuildStandalone.
	//
	// Std is a trusted artefact: its code has no checks that could be verified, and runs as it is.
	// Take it from the host's own code, by go:embed for instance, never from the origin of guest
	// programs. The bytes must not change while the base is in use. Tags must equal those that it
	// was built for.
	Std []byte
}

// BaseStats says where the layers of a base came from, and whether its cache is of use.
type BaseStats struct {
	// Layers are the layers that programs have needed so far, in order: each continues the ones
	// before it.
	Layers []LayerStats
	// Cached is CacheOff if no cache was asked for or it is not usable. It is CacheHit if all of
	// Layers came from the cache or from BaseConfig.Std, and CacheMiss if some had to be made.
	Cached string
	// CacheNote is one line that says why a cache was asked for and not used, or why a new entry
	// could not be written, so that the next process makes it again. It is empty if nothing went
	// wrong.
	CacheNote string
}

// LayerStats says where a layer of a base came from.
type LayerStats struct {
	Packages  int  // packages of the standard library that programs can import from the layer
	Functions int  // functions of all its packages
	FromCache bool // it was read from the cache; otherwise it was made
	FromStd   bool // it was read from BaseConfig.Std
	// Took is the time to read or make the layer, without the layers below.
	Took time.Duration
	// Compiled is how many of the functions this process has compiled so far. Functions from the
	// cache do not count, and one that was compiled for both tiers counts twice.
	Compiled int
	// CacheNote is one line that says why an existing entry was not used: it is damaged, for
	// instance. It is empty if no entry was found or nothing is wrong with it.
	CacheNote string
}

package testrun

import (
	"context"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// A sharedBase is the part of the standard library that the programs of a run share. It is opened
// for the first program that is compiled.
type sharedBase struct {
	once sync.Once
	base *engine.Base // nil: it could not be made, err says why
	err  error
}

// shares reports whether a program may share a base. Tests of the standard library replace packages
// of it.
func (j *job) shares() bool { return !j.o.Alone && !j.Std }

// open returns the base for programs like src. Where the base cannot be made, each program is
// compiled alone. Output and gas are then the same; addresses and peaks of memory are not.
func (s *sharedBase) open(ctx context.Context, src *engine.Source) *engine.Base {
	s.once.Do(func() {
		if src.Base != nil { // from a std file
			s.base = src.Base
			return
		}
		s.base, s.err = engine.OpenBase(ctx, engine.BaseConfig{BaseConfig: api.BaseConfig{GOROOT: src.GOROOT, Tags: src.Tags, Cache: src.Cache,
			Progress: src.Progress}})
	})
	return s.base
}

// save keeps the compiled base for the next run. It returns what its cache has to report.
func (s *sharedBase) save() (note string) {
	if s.base == nil {
		return ""
	}
	_ = s.base.Save() // on failure the note says so
	return s.base.Stats().CacheNote
}

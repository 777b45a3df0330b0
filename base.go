package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
)

// A Base is a large part of the standard library, compiled once for all programs that continue it
// (CompileOptions.Base). They share its code and its types, so compiling such a program costs only
// its own part. Output and gas are those of the program compiled alone; addresses are not. A Base
// is safe for concurrent use.
type Base struct{ e *engine.Base }

// OpenBase returns the base from the cache. If the cache does not have it, OpenBase makes it, which
// takes some seconds of CPU time, and stores it there.
func OpenBase(ctx context.Context, cfg BaseConfig) (*Base, error) {
	b, err := engine.OpenBase(ctx, engine.BaseConfig{BaseConfig: cfg})
	if err != nil {
		return nil, err
	}
	return &Base{b}, nil
}

// Save writes the base's cache entry again, for the next process, if functions were compiled whose
// code the entry lacks. Without a cache it does nothing.
func (b *Base) Save() error { return b.e.Save() }

// Stats returns the current figures of the base. They change as programs need more of it. Any
// goroutine may call it at any time.
func (b *Base) Stats() BaseStats { return b.e.Stats() }

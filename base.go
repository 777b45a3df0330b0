package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
)

// A Base is a large part of the standard library, compiled once for all
// programs that continue it (CompileOptions.Base): they share its code and its types, so what
// such a program costs to compile is what is its own. Output and gas are those of the
// program compiled alone; addresses are not. A Base is safe for concurrent use.
type Base struct{ e *engine.Base }

// OpenBase returns the base from the cache, or makes it, which takes some seconds of
// CPU time, and puts it there.
func OpenBase(ctx context.Context, cfg BaseConfig) (*Base, error) {
	b, err := engine.OpenBase(ctx, engine.BaseConfig{BaseConfig: cfg})
	if err != nil {
		return nil, err
	}
	return &Base{b}, nil
}

// Save writes the base's entry again if functions of it were compiled that the entry
// does not have the code of, for the next process. Without a cache it does nothing.
func (b *Base) Save() error { return b.e.Save() }

// Stats returns figures of the base up to now. They change as programs need more of it. Any goroutine may call it at any
// time.
func (b *Base) Stats() BaseStats { return b.e.Stats() }

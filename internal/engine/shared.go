package engine

import (
	"context"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/failure"
)

// shared has the directory in which processes share the layers that they make, nil except in tests,
// and the common identity of their engines.
var shared struct {
	dir *cache.Dir
	id  string
}

// ShareLayers lets this process take layers from a cache directory instead of making them, and
// store there those that it makes. It is for tests (package stdlayers): their executables have
// identities of their own, so none would use another's entries. All processes whose engines were
// built from the same sources must give the same id, and others another one ([cache.EngineIDFrom]).
// Only the making changes: layers go on to the cache of a base, each process makes their machine
// code, and statistics call them made. It must be called before the first base is used.
func ShareLayers(path, id string) (err error) {
	shared.dir, err = cache.Open(path)
	shared.id = id
	return err
}

// makeShared is makeLayer, or reads the layer of another process.
func (b *Base) makeShared(ctx context.Context, number int, below *layer, progress func(api.Progress)) (*cache.BaseEntry, error) {
	if shared.dir == nil || b.carried != nil {
		return b.makeLayer(ctx, number, below, progress)
	}
	failure.At("making a base") // here too: as far as anybody can see, the layer is made
	name, err := b.nameOf(number, below, func() (string, error) { return shared.id, nil })
	if err != nil {
		return nil, err
	}
	if e := readShared(name); e != nil {
		return e, nil
	}
	e, err := b.makeLayer(ctx, number, below, progress)
	if err == nil {
		_ = shared.dir.PutBase(name, e) // if it cannot be written, others make the layer too
	}
	return e, err
}

// readShared reads an entry whole, as if it had just been made. It returns nil if no usable one
// exists.
func readShared(name cache.Name) *cache.BaseEntry {
	from, err := shared.dir.OpenBase(name)
	if from == nil || err != nil {
		return nil
	}
	if current, _ := from.Current(nil); !current {
		return nil
	}
	e := &cache.BaseEntry{Inputs: from.Inputs, ID: from.ID, Sum: from.Sum}
	for n := range cache.NumParts {
		part, err := from.Part(n)
		if err != nil {
			return nil
		}
		e.SetPart(n, part)
	}
	return e
}

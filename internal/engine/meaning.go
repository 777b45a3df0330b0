package engine

import (
	"context"
	"crypto/sha256"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/image"
)

// A Meaning is a hash of a compiled program: of everything that the root of a state says of a
// program or of a layer of the standard library, except the determinism version. Values are
// numbered by position, so numbers that a pass of phase A left unused change nothing. The
// determinism version must be raised when a meaning changes.
type Meaning [sha256.Size]byte

// Meaning returns the program's own meaning, without the layers that it continues. It may be called
// after [Compile], before any other use of the program; the program must come from its source.
func (p *Program) Meaning() (Meaning, error) {
	data, err := p.encoded(0)
	return sha256.Sum256(data), err
}

// encoded returns the program's module, as phase A left it.
func (p *Program) encoded(version uint32) ([]byte, error) {
	head := image.Header{Form: image.Optimised, Determinism: version}
	if p.base != nil {
		head.Form = image.Continued
	}
	return image.Encode(p.mod, head)
}

// Meanings returns the meanings of all layers, and makes or reads layers for that where necessary.
func (b *Base) Meanings(ctx context.Context) ([]Meaning, error) {
	list := make([]Meaning, len(layers))
	for k := range list {
		l, err := b.layer(ctx, k, nil)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		for _, n := range []cache.Part{cache.PartImage, cache.PartBodies, cache.PartData} {
			data, err := l.part(n)
			if err != nil {
				return nil, err
			}
			if n == cache.PartImage {
				data = image.WithoutVersion(data)
			}
			h.Write(data)
		}
		h.Sum(list[k][:0])
	}
	return list, nil
}

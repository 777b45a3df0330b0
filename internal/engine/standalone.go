package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/release"
)

// A standalone image carries the layers of the standard library that its program continues, as
// lowered. A reader that has the same layers uses its own. Others verify the carried ones like any
// portable image, place the gas and optimise. They get the same layers, because everything follows
// from the lowered form.

// lowerAll returns the images of a layer and those below it as lowered, the first layer first.
func (l *layer) lowerAll(ctx context.Context, progress func(api.Progress)) (list [][]byte, err error) {
	if l == nil {
		return nil, nil
	}
	if list, err = l.below.lowerAll(ctx, progress); err != nil {
		return nil, err
	}
	told := &compilation{Source: Source{Progress: progress}}
	p, _, lp, err := l.base.lowerLayer(ctx, l.number, l.below, ofStd(told))
	if err != nil {
		return nil, err
	}
	head := image.Header{Form: image.Lowered, Determinism: DeterminismVersion, Go: lp.GoVersion,
		FrontEnd: frontEnd(), Tags: l.base.tags}
	if l.below != nil {
		head.Form, head.Std, head.Layer = image.LoweredOn, l.below.id, l.below.number
	}
	data, err := image.Encode(p.mod, head)
	return append(list, data), err
}

// imageBase returns the base for the program of a portable image, nil if the image contains its
// part of the standard library.
func (src *Source) imageBase() (*Base, error) {
	im, err := image.Open(src.Image)
	if err != nil {
		return nil, err
	}
	h := im.Header()
	if h.Form != image.LoweredOn {
		return nil, nil
	}
	carried, err := im.Layers()
	if err != nil {
		return nil, err
	}
	if !src.offers(h.Tags) && len(carried) == 0 {
		return nil, fmt.Errorf("image: built for %s: say so in CompileOptions.Tags, or build it again with -standalone", tagList(h.Tags))
	}
	var b *Base
	if src.offers(h.Tags) {
		b, err = src.shared(h.Tags)
	}
	if len(carried) > 0 && (b == nil || err != nil || !b.has(&h)) {
		if len(carried) != h.Layer+1 || len(carried) > len(layers) {
			return nil, fmt.Errorf("image: it continues layer %d of the standard library and carries %d", h.Layer, len(carried))
		}
		if b, err = newBase(BaseConfig{BaseConfig: api.BaseConfig{GOROOT: src.GOROOT, Tags: h.Tags, Cache: src.Cache}}); err == nil {
			b.carried, b.pkgs = carried, layersOf(release.Of(h.Go))
		}
	}
	if err != nil {
		return nil, withoutStd(&h, err)
	}
	if b == nil {
		return nil, nil
	}
	return b.variant(src), nil
}

// offers reports whether the host wants a standard library with the given tags: they are those of
// the source or of its base. The process keeps a library for each set of tags, so the tags in an
// image must not decide.
func (src *Source) offers(tags []string) bool {
	tags = sorted(tags)
	return slices.Equal(tags, sorted(src.Tags)) || src.Base != nil && slices.Equal(tags, src.Base.tags)
}

// ImageInfo returns the tags that a portable image was built for, and the version of its standard
// library; neither if data is no image.
func ImageInfo(data []byte) (tags []string, goVersion string) {
	im, err := image.Open(data)
	if err != nil {
		return nil, ""
	}
	h := im.Header()
	return h.Tags, h.Go
}

// withoutStd returns the error for an image whose standard library is not available here.
func withoutStd(h *image.Header, err error) error {
	return fmt.Errorf("image: built on the standard library of %s, which cannot be had here (%w): "+
		"install that release of Go, use a gyr that has it built in, or build the image with -standalone", h.Go, err)
}

// has reports whether the layers that an image was built on are at hand, so that none has to be
// made.
func (b *Base) has(h *image.Header) bool {
	if h.Layer >= len(layers) {
		return false
	}
	l := b.atHand(h.Layer)
	return l != nil && bytes.Equal(l.id, h.Std)
}

// makeCarried compiles a layer that an image carries.
func (b *Base) makeCarried(ctx context.Context, number int, below *layer) (*cache.BaseEntry, error) {
	c := &compilation{Source: Source{Image: b.carried[number]}, asBase: &lower.BaseIndex{}}
	im, err := image.Open(c.Image)
	if err != nil {
		return nil, err
	}
	h, form := im.Header(), image.Lowered
	var on *ir.Module
	if below != nil {
		form, on = image.LoweredOn, below.mod
	}
	if h.Form != form {
		return nil, fmt.Errorf("image: layer %d of the standard library is %s", number, h.Form)
	}
	p := &Program{opt: &opt.Options{}, unit: unit{foreign: true}}
	if below != nil {
		p.setBase(below)
	}
	if err := checkHeader(&h); err != nil {
		return nil, err
	}
	if err := p.decodeImage(im, on); err != nil {
		return nil, err
	}
	e := &cache.BaseEntry{Inputs: []filetree.Input{}}
	if e.ID, err = identity(p.mod, below, b.tags); err != nil {
		return nil, err
	}
	facts, err := p.optimise(ctx, c)
	if err != nil {
		return nil, err
	}
	e.SetPart(cache.PartFacts, facts)
	return e, p.seal(e, below)
}

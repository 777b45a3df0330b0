package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/release"
)

// Build compiles a program to a portable image: a file from which [Compile] makes the same Program
// as from the source, with the same output, gas and heap figures, without a Go installation. Equal
// sources give equal bytes.
//
// An image need not be trusted: Compile checks it, places the gas and optimises. Only a gyr with
// the same determinism version reads it.
func Build(ctx context.Context, src Source) ([]byte, error) {
	ctx = orBackground(ctx)
	if src.Image != nil {
		return nil, errors.New("gyr: the source is an image already")
	}
	if len(src.Cover) > 0 {
		return nil, errors.New("gyr: a portable image has no coverage")
	}
	hosts, err := hostPackages(src.Host)
	if err != nil {
		return nil, err
	}
	p := &Program{opt: &opt.Options{}}
	return p.build(ctx, &compilation{Source: src, hosts: hosts})
}

// build goes through the stages of Build.
func (p *Program) build(ctx context.Context, c *compilation) (data []byte, err error) {
	defer c.recover(&err)
	if c.Standalone && c.Base.Std() != nil {
		// A std file has the optimised standard library, and the image needs the lowered one.
		if err := c.Base.WithoutStd("an image that carries the standard library"); err != nil {
			return nil, err
		}
		c.Base = nil
	}
	if c.Base, err = c.base(); err != nil {
		return nil, err
	}
	lp, err := p.frontEnd(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := image.CheckRuntime(p.mod); err != nil {
		return nil, fmt.Errorf("the standard library is that of %s: %w", lp.GoVersion, err)
	}
	head := image.Header{
		Form: image.Lowered, Determinism: DeterminismVersion, Go: lp.GoVersion, FrontEnd: frontEnd(), Tags: c.Tags,
		Unsafe: p.usesUnsafe != "",
	}
	if l := p.base; l != nil {
		head.Form, head.Std, head.Layer = image.LoweredOn, l.id, l.number
	}
	var carried [][]byte
	if c.Standalone {
		if carried, err = p.base.lowerAll(ctx, c.Progress); err != nil {
			return nil, err
		}
	}
	return image.EncodeWith(p.mod, head, carried)
}

// IsImage reports whether data begins like a portable image, of any version.
func IsImage(data []byte) bool { return image.Is(data) }

// readImage decodes a portable image and checks everything in it.
func (p *Program) readImage(ctx context.Context, c *compilation) error {
	p.foreign = true
	c.stage("reading")
	t := time.Now()
	im, err := image.Open(c.Image)
	if err != nil {
		return err
	}
	h := im.Header()
	if err := checkHeader(&h); err != nil {
		return err
	}
	p.stats.FrontEnd = h.FrontEnd
	var on *ir.Module
	if h.Form == image.LoweredOn {
		l, err := c.imageLayer(ctx, &h)
		if err != nil {
			return err
		}
		p.setBase(l)
		on = l.mod
	}
	p.stats.Load = time.Since(t)
	if err := ctx.Err(); err != nil {
		return err
	}
	c.stage("verifying")
	t = time.Now()
	err = p.decodeImage(im, on)
	p.stats.Lower = time.Since(t)
	return err
}

// checkHeader reports, before anything else is read, why no image with a header can be read here.
func checkHeader(h *image.Header) error {
	switch {
	case h.Form != image.Lowered && h.Form != image.LoweredOn:
		return fmt.Errorf("image: not portable (%s)", h.Form)
	case h.Determinism != DeterminismVersion:
		return fmt.Errorf("image: built for determinism version %d, this gyr has %d: build it again", h.Determinism,
			DeterminismVersion)
	}
	if _, err := release.Check(h.Go); err != nil {
		return fmt.Errorf("image: built with the standard library of %q, %v: build it again", h.Go, err)
	}
	return nil
}

// decodeImage decodes the module of a portable image, which continues on unless on is nil, and
// verifies it.
func (p *Program) decodeImage(im *image.Image, on *ir.Module) (err error) {
	if p.mod, err = im.Decode(on); err != nil {
		return err
	}
	if r := release.Of(im.Header().Go); p.mod.Go != r.Minor {
		return fmt.Errorf("image: its head says %s, its module go1.%d", r.Name(), p.mod.Go)
	}
	p.stats.Functions = len(p.mod.Own())
	if err = ir.VerifyModule(p.mod); err == nil {
		err = image.CheckRuntime(p.mod)
	}
	return err
}

// imageLayer returns the layer of the standard library that an image was built on.
func (src *Source) imageLayer(ctx context.Context, h *image.Header) (*layer, error) {
	if h.Layer >= len(layers) {
		return nil, fmt.Errorf("image: built on layer %d of the standard library, of which this gyr has %d", h.Layer, len(layers))
	}
	if src.Base == nil {
		return nil, errors.New("image: built on a precompiled standard library, which is switched off")
	}
	l, err := src.Base.layer(ctx, h.Layer, src.Progress)
	switch {
	case err != nil:
		return nil, withoutStd(h, err)
	case l.base.carried == nil && l.mod.Go != release.Of(h.Go).Minor:
		return nil, fmt.Errorf("image: built on the standard library of %s, here is that of %s: %s, or build it with -standalone", h.Go, release.OfModule(l.mod.Go).Name(),
			release.Cure(h.Go))
	case l.base.carried == nil && !bytes.Equal(l.id, h.Std):
		return nil, fmt.Errorf("image: built on another standard library of %s (%.8x by %.100s; this gyr has %.8x by %s): "+
			"build it again here, or with -standalone there", h.Go, h.Std, h.FrontEnd, l.id, frontEnd())
	}
	return l, nil
}

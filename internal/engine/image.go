package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// An ImageError says why a portable image is refused: it is damaged, foreign,
// of another version, or holds what no compiler made.
type ImageError struct{ Err error }

// Error is one line, whatever names the image gives its functions.
func (e *ImageError) Error() string {
	text := strconv.QuoteToGraphic(e.Err.Error())
	return strings.ReplaceAll(text[1:len(text)-1], `\"`, `"`)
}
func (e *ImageError) Unwrap() error { return e.Err }

// Build compiles a program as far as a portable image: a file that
// [Compile] turns into the same Program as the source, with the same output, gas
// and heap figures, without a Go installation. Equal sources give equal bytes.
//
// An image need not be trusted: whoever compiles it checks it, places the gas
// and optimises. Only a gyr of the same determinism version reads it.
func Build(ctx context.Context, src Source) ([]byte, error) {
	ctx = orBackground(ctx)
	if src.Image != nil {
		return nil, errors.New("gyr: the source is an image already")
	}
	if len(src.Cover) > 0 {
		return nil, errors.New("gyr: a portable image has no coverage")
	}
	p := &Program{opt: &opt.Options{}}
	return p.build(ctx, &src)
}

// build goes through the stages of Build.
func (p *Program) build(ctx context.Context, src *Source) (data []byte, err error) {
	defer src.recover(&err)
	lp, err := p.frontEnd(ctx, src)
	if err != nil {
		return nil, err
	}
	if err := image.CheckRuntime(p.mod); err != nil {
		return nil, fmt.Errorf("the standard library is that of %s: %w", lp.GoVersion, err)
	}
	return image.Encode(p.mod, image.Header{
		Form: image.Lowered, Determinism: DeterminismVersion, Go: lp.GoVersion, Tags: src.Tags, Unsafe: src.Unsafe,
	})
}

// IsImage reports whether data begins like a portable image, of any version.
func IsImage(data []byte) bool { return image.Is(data) }

// readImage decodes a portable image and checks everything in it.
func (p *Program) readImage(ctx context.Context, src *Source) error {
	p.foreign = true
	src.stage("reading")
	t := time.Now()
	im, err := image.Open(src.Image)
	if err != nil {
		return err
	}
	h := im.Header()
	switch {
	case h.Form != image.Lowered:
		return fmt.Errorf("image: not portable (%s)", h.Form)
	case h.Determinism != DeterminismVersion:
		return fmt.Errorf("image: built for determinism version %d, this gyr has %d: build it again", h.Determinism,
			DeterminismVersion)
	case !load.Supported(h.Go):
		return fmt.Errorf("image: built with the standard library of %q, this gyr runs that of %s: build it again", h.Go,
			load.SupportedRelease)
	}
	if p.mod, err = im.Decode(); err != nil {
		return err
	}
	p.stats.Functions = len(p.mod.Funcs) - 1
	p.stats.Load = time.Since(t)
	if err := ctx.Err(); err != nil {
		return err
	}
	src.stage("verifying")
	t = time.Now()
	if err = ir.VerifyModule(p.mod); err == nil {
		err = image.CheckRuntime(p.mod)
	}
	p.stats.Lower = time.Since(t)
	return err
}

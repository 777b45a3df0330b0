package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/stdfile"
)

// A std file is the standard library of a Go release, compiled into the layers of bases, for
// machines without a Go installation (docs/decisions/0016). For each layer it has the parts of its
// cache entry without the list of inputs, and the sources that loading of programs on the layer
// needs. It also has what loading needs to know of an installation. Nothing in it depends on the
// machine or the processor that made it, and it has no machine code: that is made when functions
// are first called, and kept in the cache.
//
// Its layers are optimised, so their checks cannot be verified: it is a trusted artefact.

// These are the names of its parts.
const goPart = "go"

func layerPart(number int, name string) string { return fmt.Sprintf("layer %d %s", number, name) }

// entryParts are the names of the parts of a layer's entry.
var entryParts = [cache.NumParts]string{"image", "bodies", "data", "facts", "index", "types"}

// BuildStd compiles the standard library of the Go installation that cfg names and returns it as a
// std file. Equal releases, tags and versions of gyr give equal bytes, wherever the installation
// is. It takes layers from the cache if they are there.
func BuildStd(ctx context.Context, cfg BaseConfig) ([]byte, error) {
	return buildStd(ctx, cfg, len(layers))
}

// buildStd is BuildStd for the first n layers.
func buildStd(ctx context.Context, cfg BaseConfig, n int) (_ []byte, err error) {
	told := &compilation{Source: Source{Progress: cfg.Progress}}
	defer told.recover(&err)
	if cfg.Std != nil {
		return nil, errors.New("gyr: a std file is made of a Go installation, not of another one")
	}
	goroot, version, err := gomod.FindGo(cfg.GOROOT)
	if err != nil {
		return nil, err
	}
	b, err := newBase(cfg)
	if err != nil {
		return nil, err
	}
	data, err := load.StdOf(goroot, version)
	if err != nil {
		return nil, err
	}
	parts := []stdfile.Part{{Name: goPart, Data: data, Pack: true}}
	for k := range n {
		l, err := b.layer(orBackground(ctx), k, func(p api.Progress) {
			if cfg.Progress != nil {
				p.Stage = fmt.Sprintf("%s, layer %d of %d", p.Stage, k+1, n)
				cfg.Progress(p)
			}
		})
		if err != nil {
			return nil, err
		}
		types, _, err := l.frontEnd()
		if err != nil {
			return nil, err
		}
		sources, err := types.Sources(goroot)
		if err != nil {
			return nil, err
		}
		parts = append(parts, stdfile.Part{Name: layerPart(k, "id"), Data: l.id},
			stdfile.Part{Name: layerPart(k, "sum"), Data: l.sum}, stdfile.Part{Name: layerPart(k, "sources"), Data: sources,
				Pack: true})
		for n, name := range entryParts {
			data, err := l.part(cache.Part(n))
			if err != nil {
				return nil, err
			}
			parts = append(parts, stdfile.Part{Name: layerPart(k, name), Data: data, Pack: packLayers})
		}
	}
	return stdfile.Write(stdfile.Header{Determinism: DeterminismVersion, Release: version, FrontEnd: frontEnd(),
		Tags: b.tags}, parts)
}

// packLayers says whether the layers of a std file are compressed. With compression each start that
// compiles something would take 20 ms of CPU longer to unpack the first one, and a binary that is
// compressed as a whole is as small.
const packLayers = false

// openStd opens a std file that this gyr can use for programs with tags.
func openStd(data []byte, tags []string) (*stdfile.File, error) {
	const again = "make it again with gyr std build of this gyr"
	f, err := stdfile.Open(data)
	switch {
	case errors.Is(err, stdfile.ErrNotStd):
		return nil, &api.StdError{Err: err, Cure: "gyr std build makes one"}
	case errors.Is(err, stdfile.ErrDamaged):
		return nil, &api.StdError{Err: err, Cure: "fetch or make it again"}
	case err != nil:
		return nil, &api.StdError{Err: err, Cure: again}
	case f.Determinism != DeterminismVersion:
		return nil, &api.StdError{Err: fmt.Errorf("it was made for determinism version %d, this gyr has %d", f.Determinism,
			DeterminismVersion), Cure: again}
	case f.FrontEnd != frontEnd():
		return nil, &api.StdError{Err: fmt.Errorf("it was made with %q, this gyr is built with %q", f.FrontEnd, frontEnd()), Cure: again}
	case !slices.Equal(f.Tags, sorted(tags)):
		return nil, &api.StdError{Err: fmt.Errorf("it is for %s, the program for %s", tagList(f.Tags), tagList(sorted(tags))),
			Cure: "make one with gyr std build -tags, or use the tags of the file"}
	}
	if _, err := release.Check(f.Release); err != nil {
		return nil, &api.StdError{Err: fmt.Errorf("it is that of %q, and %v", f.Release, err), Cure: again}
	}
	return f, nil
}

func tagList(tags []string) string {
	if len(tags) == 0 {
		return "no build tags"
	}
	return "the build tags " + strings.Join(tags, ",")
}

// StdInfo describes a std file before its layers are read.
type StdInfo struct {
	ID      string   // a hash of its whole content, in hexadecimal digits
	Release string   // release of Go
	Tags    []string // additional build tags, sorted
}

// StdInfoOf reads the head of a std file. It checks that this gyr can use the file, for programs
// with the tags of the file, but not that the layers are undamaged.
func StdInfoOf(data []byte) (StdInfo, error) {
	f, err := stdfile.Open(data)
	if err == nil {
		f, err = openStd(data, f.Tags)
	} else {
		_, err = openStd(data, nil)
	}
	if err != nil {
		return StdInfo{}, err
	}
	return StdInfo{ID: f.ID(), Release: f.Release, Tags: f.Tags}, nil
}

// std is the std file that a base was opened with, and what was read of it.
type std struct {
	file *stdfile.File
	goes *load.Std
}

// newStd opens the std file of a base.
func newStd(cfg *BaseConfig) (*std, error) {
	f, err := openStd(cfg.Std, cfg.Tags)
	if err != nil {
		return nil, err
	}
	data, err := f.Part(goPart)
	if err != nil {
		return nil, damagedStd(err)
	}
	s := &std{file: f}
	if s.goes, err = load.ReadStd(data); err != nil {
		return nil, damagedStd(err)
	}
	return s, nil
}

func damagedStd(err error) error {
	return &api.StdError{Err: err, Cure: "fetch or make the file again"}
}

// openStdLayer reads a layer from the base's std file. Its machine code and register code are in
// the cache.
func (b *Base) openStdLayer(number int, below *layer) (*layer, error) {
	failure.At("reading a std file")
	part := func(name string) ([]byte, error) { return b.std.file.Part(layerPart(number, name)) }
	id, err := part("id")
	if err != nil {
		return nil, damagedStd(err)
	}
	sum, err := part("sum")
	if err != nil {
		return nil, damagedStd(err)
	}
	e := cache.BaseFrom(id, sum, func(n cache.Part) ([]byte, error) { return part(entryParts[n]) })
	var (
		name   cache.Name
		stored *cache.CodeEntry
	)
	if b.dir != nil {
		if name, err = b.nameOf(number, below, cache.EngineID); err != nil {
			return nil, err
		}
		stored = b.dir.OpenCode(codeOf(name))
	}
	l, err := b.restoreLayer(e, stored, number, below)
	if err != nil && stored != nil {
		l, err = b.restoreLayer(e, nil, number, below)
	}
	if err != nil {
		return nil, damagedStd(err)
	}
	l.codeName = codeOf(name)
	return l, nil
}

// sources returns a function that supplies the sources of a layer, or nil if the loader reads those
// of a Go installation.
func (b *Base) sources(number int) func() ([]byte, error) {
	if b.std == nil {
		return nil
	}
	return func() ([]byte, error) { return b.std.file.Part(layerPart(number, "sources")) }
}

// Std returns what replaces a Go installation when programs on the base are loaded, or nil if an
// installation is needed.
func (b *Base) Std() *load.Std {
	if b == nil || b.std == nil {
		return nil
	}
	return b.std.goes
}

// WithoutStd returns the error for an operation that is impossible on a base that was opened from a
// std file. It is nil if the operation is possible, with the Go installation that FindGo lets the
// engine look for.
func (b *Base) WithoutStd(what string) error {
	switch {
	case b.Std() == nil:
		return nil
	case !b.cfg.FindGo:
		return &api.NeedsGoError{What: what, Cure: "do without it, on a machine that has " + release.Names()}
	}
	if _, _, err := gomod.FindGo(b.cfg.GOROOT); err != nil {
		return &api.NeedsGoError{What: what, Cure: fmt.Sprintf("install %s (%v)", release.Names(), err), Err: err}
	}
	return nil
}

// library returns the identity of the standard library that the program of a source is loaded with.
func (src *Source) library() ([]string, error) {
	if src.Base != nil && src.Base.std != nil {
		return []string{"std file", string(src.Base.std.file.Sum[:])}, nil
	}
	goroot, version, err := gomod.FindGo(src.GOROOT)
	return []string{goroot, version}, err
}

// whole returns nil, for a program that is compiled with its own standard library.
func (src *Source) whole(what string) (*Base, error) {
	return nil, src.Base.WithoutStd(what)
}

// withSources loads the source. If the base comes from a std file and the program needs more than
// the file has, the program is loaded whole, from a Go installation.
func withSources[T any](c *compilation, cfg load.Options, do func(load.Options) (T, error)) (T, error) {
	v, err := do(cfg)
	need := (*load.SourcesError)(nil)
	if !errors.As(err, &need) {
		return v, err
	}
	switch without := c.Base.WithoutStd(need.What); {
	case without == nil:
		c.uncached = true // the entry's name says that only the std file is available
		cfg.Library, cfg.Std, cfg.GOROOT = nil, nil, c.Base.cfg.GOROOT
		return do(cfg)
	case need.Program != nil:
		return v, need.Program
	default:
		return v, without
	}
}

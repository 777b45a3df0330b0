package engine

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/release"
)

// A Base is the standard library, compiled once for all programs (Source.Base). Programs share its
// code and its types, so a program pays only for compiling its own packages. A base consists of
// layers; each is made when the first program needs it. A Base is safe for concurrent use.
type Base struct {
	cfg  BaseConfig
	dir  *cache.Dir // nil: nothing is kept on disk
	tags []string
	opt  *opt.Options     // for phase B
	pkgs *layeredPackages // packages of the release
	auto bool             // saved at the end of each instance

	compilations atomic.Int64 // that have used the base

	trouble trouble // with the cache
	std     *std    // the std file that the layers are read from; nil: they are in the cache, or made

	plain   *Base    // for a variant: the base that it varies
	carried [][]byte // the images of the layers in a standalone image

	variantMu sync.Mutex
	variants  map[string]*Base // by the settings of phase B

	layers [len(layers)]atomic.Pointer[layer]
	busy   [len(layers)]cancel.Lock // held while the layer is read or made
}

// BaseConfig says how a base is made.
type BaseConfig struct {
	api.BaseConfig

	// FindGo lets compilations on a base with Std use a Go installation: the one that GOROOT names,
	// or that the go command would use. They need it for what Std does not have: compiling the
	// standard library's packages as parts of the program.
	FindGo bool
}

// A layer is a part of a base: a module that programs, or the next layer, continue.
type layer struct {
	base     *Base
	below    *layer // nil for the first layer
	plain    *layer // for a variant: the layer that it varies
	number   int
	name     cache.Name       // name of the entry
	id, sum  []byte           // as in the entry
	inputs   []filetree.Input // as in the entry
	stored   *cache.CodeEntry // code that an earlier process made, nil if there is none
	codeName cache.Name       // name of that entry
	how      api.LayerStats   // origin of the layer; the figures of its module are not filled in

	entryMu sync.Mutex
	entry   *cache.BaseEntry

	// These are needed to compile a program on the layer, and read for the first one; nil: not yet.
	tablesMu sync.Mutex
	facts    *opt.Base
	lower    *lower.Base
	types    *load.Base

	unit
	native [2]nativeTier // without and with checks of memory contents

	saveMu sync.Mutex
	saved  int // compiled functions when the entry was last written

	freshMu sync.Mutex
	fresh   map[int32]*ir.Func // bodies, as phase A left them, of functions that programs have inlined
	bodies  *image.Bodies
}

// OpenBase returns a base. It reads the first layer from the cache, or makes it, which takes a
// second or two of CPU time, and writes it to the cache. The other layers are read or made when a
// program needs them.
func OpenBase(ctx context.Context, cfg BaseConfig) (_ *Base, err error) {
	b, err := newBase(cfg)
	if err != nil {
		return nil, err
	}
	_, err = b.layer(orBackground(ctx), 0, cfg.Progress)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// NewBase returns a base like that of OpenBase, but reads or makes the first layer too only when a
// program needs it. The error concerns cfg.Std.
func NewBase(cfg BaseConfig) (*Base, error) {
	b, err := newBase(cfg)
	if err == nil {
		b.auto = true
	}
	return b, err
}

// newBase returns a base without layers.
func newBase(cfg BaseConfig) (*Base, error) {
	b := &Base{cfg: cfg, tags: sorted(cfg.Tags), opt: &opt.Options{}}
	b.init()
	if cfg.Std != nil {
		var err error
		if b.std, err = newStd(&cfg); err != nil {
			return nil, err
		}
		b.pkgs = layersOf(release.Of(b.std.file.Release))
	} else {
		b.pkgs = layersIn(cfg.GOROOT)
	}
	if cfg.Cache != "" {
		var err error
		b.dir, err = cache.Open(cfg.Cache) // as for programs: an unusable cache counts as none
		b.trouble.add(err)
	}
	return b, nil
}

func (b *Base) init() {
	for k := range b.busy {
		b.busy[k] = cancel.NewLock()
	}
}

// bases holds the bases of programs that name none (Source.Base is nil), by Go installation, tags
// and cache.
var (
	basesMu sync.Mutex
	bases   = map[string]*Base{}
)

// base returns the base that the program of a source continues, or nil if the program is compiled
// whole. Only the loader finds out whether a package of the standard library is under test or
// covered; such a program does not continue the base either.
func (src *Source) base() (*Base, error) {
	switch {
	case src.NoBase:
		return src.whole("compiling a program whole")
	case src.Observer.Dump != nil || src.Observer.Log != nil:
		return src.whole("looking at passes")
	}
	if src.Image != nil {
		return src.imageBase()
	}
	b, err := src.shared(src.Tags)
	if b == nil || err != nil {
		return nil, err
	}
	if v := b.variant(src); v != nil {
		return v, nil
	}
	return src.whole("leaving out passes")
}

// shared returns the base for tags, or nil if that of the source has others.
func (src *Source) shared(tags []string) (*Base, error) {
	b := src.Base
	if b != nil && b.std != nil && !slices.Equal(b.tags, sorted(tags)) {
		if err := b.WithoutStd("compiling for " + tagList(sorted(tags))); err != nil {
			return nil, err
		}
		b = nil
	}
	if b == nil {
		goroot, version, err := gomod.FindGo(src.GOROOT)
		if err != nil && src.Image == nil {
			err = &api.CompileError{Err: err} // like an error of the loader
		}
		if err != nil {
			return nil, err
		}
		key := strings.Join(append([]string{goroot, version, src.Cache}, sorted(tags)...), "\x00")
		basesMu.Lock()
		defer basesMu.Unlock()
		if b = bases[key]; b == nil {
			if b, err = NewBase(BaseConfig{BaseConfig: api.BaseConfig{GOROOT: src.GOROOT, Tags: tags, Cache: src.Cache}}); err != nil {
				return nil, err
			}
			bases[key] = b
		}
	}
	if !slices.Equal(b.tags, sorted(tags)) {
		return nil, nil
	}
	return b, nil
}

// variant returns the base for programs with other settings of phase B, or nil if it cannot exist.
// Leaving out passes of phase A changes the base's module, so such programs have no base.
func (b *Base) variant(src *Source) *Base {
	if len(src.NoPass) == 0 && !src.Verify {
		return b
	}
	o := &opt.Options{NoPass: map[string]bool{}, Verify: src.Verify}
	for _, name := range src.NoPass {
		if name != opt.Metering && name != "phaseb" && !slices.Contains(opt.Passes("phaseb"), name) {
			return nil
		}
		o.NoPass[name] = true
	}
	b.variantMu.Lock()
	defer b.variantMu.Unlock()
	key := fmt.Sprint(src.Verify, sorted(src.NoPass))
	v := b.variants[key]
	if v == nil {
		v = &Base{cfg: b.cfg, tags: b.tags, opt: o, pkgs: b.pkgs, plain: b, std: b.std, carried: b.carried}
		v.init()
		if b.variants == nil {
			b.variants = map[string]*Base{}
		}
		b.variants[key] = v
	}
	return v
}

// layer returns a layer of the base, with those below it.
func (b *Base) layer(ctx context.Context, number int, progress func(api.Progress)) (*layer, error) {
	if l := b.layers[number].Load(); l != nil {
		return l, nil
	}
	var below *layer
	if number > 0 {
		var err error
		if below, err = b.layer(ctx, number-1, progress); err != nil {
			return nil, err
		}
	}
	if !b.busy[number].Lock(ctx.Done()) {
		return nil, ctx.Err()
	}
	defer b.busy[number].Unlock()
	if l := b.layers[number].Load(); l != nil {
		return l, nil
	}
	l, err := b.openLayer(ctx, number, below, progress)
	if err == nil {
		b.layers[number].Store(l)
	}
	return l, err
}

// atHand returns a layer, with those below it, if none of them has to be made, and nil otherwise.
func (b *Base) atHand(number int) *layer {
	if l := b.layers[number].Load(); l != nil {
		return l
	}
	var below *layer
	if number > 0 {
		if below = b.atHand(number - 1); below == nil {
			return nil
		}
	}
	b.busy[number].Lock(nil)
	defer b.busy[number].Unlock()
	l := b.layers[number].Load()
	if l == nil && b.plain == nil {
		if l, _, _, _ = b.findLayer(number, below); l != nil {
			b.layers[number].Store(l)
		}
	}
	return l
}

// prefetch opens the first layer, which every program needs, if it is at hand, and prepares its
// machine code. An error recurs for the caller that needs the layer.
func (b *Base) prefetch(checked bool) {
	defer func() { _ = recover() }()
	if l := b.atHand(0); l != nil && CheckNative() == nil {
		_, _ = l.machineCode(checked)
	}
}

// findLayer reads a layer from the std file or the cache. If neither has it, the result is nil,
// with the name under which the cache is to keep it; unused says why an existing entry cannot be
// used.
func (b *Base) findLayer(number int, below *layer) (l *layer, name cache.Name, unused, err error) {
	start := time.Now()
	switch {
	case b.std != nil:
		l, err = b.openStdLayer(number, below)
	case b.dir != nil:
		if name, err = b.nameOf(number, below, cache.EngineID); err == nil {
			l, unused = b.readLayer(name, number, below)
		}
	}
	if l != nil {
		l.how = api.LayerStats{FromCache: b.std == nil, FromStd: b.std != nil, Took: time.Since(start)}
	}
	return l, name, unused, err
}

// openLayer opens a layer for the first time: it reads it, or makes it and writes it to the cache.
func (b *Base) openLayer(ctx context.Context, number int, below *layer, progress func(api.Progress)) (_ *layer, err error) {
	if b.plain != nil {
		of, err := b.plain.layer(ctx, number, progress)
		if err != nil {
			return nil, err
		}
		of.entryMu.Lock()
		e := of.entry
		of.entryMu.Unlock()
		l, err := b.restoreLayer(e, nil, number, below)
		if err != nil {
			return nil, err
		}
		l.plain, l.how = of, of.how
		return l, nil
	}
	start := time.Now()
	told := &compilation{Source: Source{Progress: progress}} // receives the stages; recover needs it too
	defer told.recover(&err)
	progress = ofStd(told)
	if b.std != nil || b.dir != nil {
		progress(api.Progress{Stage: "reading"})
	}
	l, name, unused, err := b.findLayer(number, below)
	if l != nil || err != nil {
		return l, err
	}
	told.now = "loading the standard library"
	e, err := b.makeShared(ctx, number, below, progress)
	if err != nil {
		return nil, err
	}
	below.forget()
	if b.dir != nil {
		b.trouble.add(b.dir.PutBase(name, e)) // if the cache cannot be written, only the next start is slower
		// The file keeps what memory need not.
		if l, _ = b.readLayer(name, number, below); l != nil && !bytes.Equal(l.sum, e.Sum) {
			l = nil
		}
	}
	if l == nil {
		if l, err = b.restoreLayer(e, nil, number, below); err != nil {
			return nil, err
		}
		l.name, l.codeName = name, codeOf(name)
	}
	l.how = api.LayerStats{Took: time.Since(start), CacheNote: cacheNote(unused)}
	return l, nil
}

// reopen replaces the layers up to one by what the cache or the std file has of them, so that the
// process keeps nothing that only compiling needs. Programs on the old layers keep these. It
// returns false, and replaces nothing, if a layer is not at hand.
func (b *Base) reopen(last *layer) bool {
	if b.plain != nil || b.Save() != nil {
		return false
	}
	var old, list []*layer
	for l := last; l != nil; l = l.below {
		old = append(old, l)
	}
	var below *layer
	for _, l := range slices.Backward(old) {
		again, _, _, err := b.findLayer(l.number, below)
		if err != nil || again == nil || !bytes.Equal(again.sum, l.sum) {
			return false
		}
		again.how, below = l.how, again
		list = append(list, again)
	}
	for k := range b.layers {
		if k < len(list) {
			b.layers[k].Store(list[k])
		} else {
			b.layers[k].Store(nil) // it continues an old one
		}
	}
	return true
}

// nameOf returns the name of a layer's cache entry, made by the engine that id identifies.
func (b *Base) nameOf(number int, below *layer, id func() (string, error)) (name cache.Name, err error) {
	src := Source{Dir: string(filepath.Separator), GOROOT: b.cfg.GOROOT, Tags: b.tags} // the same for every program
	if b.std != nil {
		src.Base = b
	}
	if b.carried != nil {
		src.Image = b.carried[number]
	}
	parts, err := src.identity(id, nil)
	if err != nil {
		return name, err
	}
	parts = append(parts, "layer", fmt.Sprint(number))
	if below != nil {
		parts = append(parts, string(below.sum))
	}
	return cache.NameOf(append(parts, b.pkgs.lists[number]...)), nil
}

// codeOf returns the name of the entry that holds a layer's code, given the name of the layer's own
// entry.
func codeOf(name cache.Name) cache.Name {
	return cache.NameOf([]string{"code of a layer", string(name[:])})
}

// readLayer reads a layer from the cache. If the layer is not available it returns nil, and the
// error says why an existing entry cannot be used.
func (b *Base) readLayer(name cache.Name, number int, below *layer) (*layer, error) {
	failure.At("reading a base")
	e, err := b.dir.OpenBase(name)
	if e == nil || err != nil {
		return nil, err
	}
	current := make(chan bool, 1) // hundreds of files have to be checked
	go func() {
		is := false
		defer func() {
			_ = recover() // the layer is made again
			current <- is
		}()
		is, _ = e.Current(nil)
	}()
	code := codeOf(name)
	stored := b.dir.OpenCode(code)
	l, err := b.restoreLayer(e, stored, number, below)
	if !<-current {
		return nil, errors.New("the sources of the standard library have changed")
	}
	if err != nil {
		return nil, err
	}
	l.name, l.codeName = name, code
	return l, nil
}

// lowerLayer makes the module of a layer as lowered.
func (b *Base) lowerLayer(ctx context.Context, number int, below *layer, progress func(api.Progress)) (*Program, *compilation,
	*load.Packages, error) {
	var text strings.Builder
	text.WriteString("package main\n")
	for _, path := range b.pkgs.lists[number] {
		fmt.Fprintf(&text, "import _ %q\n", path)
	}
	text.WriteString("func main() {}\n")
	fsys, err := txtar.FS(&txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(text.String())}}})
	if err != nil {
		return nil, nil, nil, err
	}
	c := &compilation{
		Source: Source{FS: fsys, Patterns: []string{"main.go"}, GOROOT: b.cfg.GOROOT, Tags: b.tags, Progress: progress},
		inputs: &filetree.Inputs{}, asBase: &lower.BaseIndex{}, below: below,
	}
	p := &Program{opt: &opt.Options{}}
	lp, err := p.lowered(ctx, c)
	if err != nil {
		if e := (*api.CompileError)(nil); errors.As(err, &e) {
			err = e.Err // not an error of the program
		}
		return nil, nil, nil, err
	}
	if lp.OnBase != (below != nil) {
		return nil, nil, nil, fmt.Errorf("gyr: layer %d of the standard library does not fit those below it", number)
	}
	return p, c, lp, nil
}

// makeLayer compiles a layer.
func (b *Base) makeLayer(ctx context.Context, number int, below *layer, progress func(api.Progress)) (*cache.BaseEntry, error) {
	failure.At("making a base")
	if b.carried != nil {
		return b.makeCarried(ctx, number, below)
	}
	p, c, _, err := b.lowerLayer(ctx, number, below, progress)
	if err != nil {
		return nil, err
	}
	e := &cache.BaseEntry{
		Inputs: slices.DeleteFunc(c.inputs.List(), func(in filetree.Input) bool { return in.FS }),
	}
	e.SetPart(cache.PartTypes, p.types)
	e.SetPart(cache.PartIndex, c.asBase.Encode())
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

// seal gives the entry of a layer its module.
func (p *Program) seal(e *cache.BaseEntry, below *layer) (err error) {
	head := image.Header{Form: image.Optimised, Determinism: DeterminismVersion}
	sum := sha256.New()
	if below != nil {
		head.Form = image.Continued
		sum.Write(below.sum)
	}
	data, err := image.Encode(p.mod, head)
	if err != nil {
		return err
	}
	rest, bodies, initial, err := image.Split(data, below.common().dataSize())
	if err != nil {
		return err
	}
	e.SetPart(cache.PartImage, rest)
	e.SetPart(cache.PartBodies, bodies)
	e.SetPart(cache.PartData, initial)
	sum.Write(data)
	e.Sum = sum.Sum(nil)
	return nil
}

// restoreLayer makes a layer from its entry, which was read from the cache or just made. Stored
// holds code of the layer's functions, or is nil.
func (b *Base) restoreLayer(e *cache.BaseEntry, stored *cache.CodeEntry, number int, below *layer) (*layer, error) {
	l := &layer{base: b, below: below, number: number, id: e.ID, sum: e.Sum, inputs: e.Inputs, entry: e, stored: stored,
		fresh: map[int32]*ir.Func{}}
	rest, err := e.Part(cache.PartImage)
	if err != nil {
		return nil, err
	}
	im, err := image.OpenSplit(rest, image.Late{
		Code: func(from, to int) ([]byte, error) {
			return l.read(func(e *cache.BaseEntry) ([]byte, error) { return e.Bodies(from, to) })
		},
		Data: func(dst []byte, at int) error {
			_, err := l.read(func(e *cache.BaseEntry) ([]byte, error) { return nil, e.Data(dst, at) })
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	l.shared, l.foreign = true, b.carried != nil
	if l.bodies, err = l.restore(below.common(), im, stored.Register, b.opt); err != nil {
		return nil, err
	}
	return l, nil
}

// part returns a part of the layer's entry. If the file is damaged, the layer is made again.
func (l *layer) part(n cache.Part) ([]byte, error) {
	return l.read(func(e *cache.BaseEntry) ([]byte, error) { return e.Part(n) })
}

// read reads a piece of the layer's entry. If the file is damaged, the layer is made again.
func (l *layer) read(part func(*cache.BaseEntry) ([]byte, error)) ([]byte, error) {
	if l.plain != nil {
		return l.plain.read(part)
	}
	l.entryMu.Lock()
	defer l.entryMu.Unlock()
	b, damage := part(l.entry)
	switch {
	case damage == nil:
		return b, nil
	case l.base.std != nil:
		return nil, damagedStd(damage)
	}
	e, err := l.base.makeLayer(context.Background(), l.number, l.below, func(api.Progress) {})
	if err != nil {
		return nil, err
	}
	l.base.trouble.add(fmt.Errorf("a part of the standard library was made again: %w", damage))
	if !bytes.Equal(e.Sum, l.sum) {
		return nil, fmt.Errorf("gyr: the standard library in %s is damaged, and what it was made from has changed since",
			l.base.dir.Path())
	}
	l.base.trouble.add(l.base.dir.PutBase(l.name, e))
	l.entry = e
	return part(e)
}

// optFacts returns the facts about the layer that phase A of programs needs, or nil for a nil
// layer.
func (l *layer) optFacts() (*opt.Base, error) {
	if l == nil {
		return nil, nil
	}
	l.tablesMu.Lock()
	defer l.tablesMu.Unlock()
	if l.facts != nil {
		return l.facts, nil
	}
	below, err := l.below.optFacts()
	if err != nil {
		return nil, err
	}
	b, err := l.part(cache.PartFacts)
	if err == nil {
		l.facts, err = opt.OpenBase(below, l.mod, b, l.body)
	}
	return l.facts, err
}

// frontEnd returns what loading and lowering of programs need of the layer, or nothing for a nil
// layer.
func (l *layer) frontEnd() (*load.Base, *lower.Base, error) {
	if l == nil {
		return nil, nil, nil
	}
	l.tablesMu.Lock()
	defer l.tablesMu.Unlock()
	if l.lower != nil {
		return l.types, l.lower, nil
	}
	types, lowered, err := l.below.frontEnd()
	if err != nil {
		return nil, nil, err
	}
	b, err := l.part(cache.PartIndex)
	if err != nil {
		return nil, nil, err
	}
	index, err := lower.DecodeIndex(b)
	if err != nil {
		return nil, nil, err
	}
	if b, err = l.part(cache.PartTypes); err != nil {
		return nil, nil, err
	}
	if types, err = load.OpenBase(types, b, nil, l.base.sources(l.number)); err != nil {
		return nil, nil, err
	}
	l.types, l.lower = types, lower.NewBase(lowered, l.mod, index)
	return l.types, l.lower, nil
}

// forget lets go of what the layer and those below it have in memory for compiling. Making a layer
// leaves them with the syntax trees and types of everything. Programs need little of these. Running
// compilations keep what they have.
func (l *layer) forget() {
	for ; l != nil; l = l.below {
		l.tablesMu.Lock()
		l.facts, l.lower, l.types = nil, nil, nil
		l.tablesMu.Unlock()
		l.freshMu.Lock()
		clear(l.fresh)
		l.freshMu.Unlock()
	}
}

// common returns the layer's unit, or nil for a nil layer.
func (l *layer) common() *unit {
	if l == nil {
		return nil
	}
	return &l.unit
}

// of returns the layer that a function belongs to: l or one below it.
func (l *layer) of(f *ir.Func) *layer {
	for l.mod.InBase(f) {
		l = l.below
	}
	return l
}

// machineCode returns the machine code of the layer's functions, with or without checks of memory
// contents.
func (l *layer) machineCode(checked bool) (*nativeTier, error) {
	i := 0
	if checked {
		i = 1
	}
	n := &l.native[i]
	err := n.make(func() (*nativeProgram, error) {
		code, err := newNativeLayer(l, checked)
		if head, size, read := l.stored.Native(i); err == nil && len(head) > 0 {
			_ = code.restore(head, size, read) // code of another processor is refused, and compiled again
		}
		return code, err
	})
	return n, err
}

// body returns a function as phase A left it, for programs that inline it.
func (l *layer) body(f *ir.Func) (*ir.Func, error) {
	l.freshMu.Lock()
	defer l.freshMu.Unlock()
	if g := l.fresh[f.Index]; g != nil {
		return g, nil
	}
	g, err := l.bodies.Fresh(f)
	if err == nil {
		l.fresh[f.Index] = g
	}
	return g, err
}

// tag identifies a layer in the cache entries of programs that continue it.
func (l *layer) tag() []byte { return append([]byte{byte(l.number)}, l.sum...) }

// entryLayer returns the layer that a tag identifies, or nil if the base does not have it.
func (b *Base) entryLayer(src *Source, tag []byte) *layer {
	if b == nil || int(tag[0]) >= len(layers) {
		return nil
	}
	l, err := b.layer(context.Background(), int(tag[0]), src.Progress)
	if err != nil || !bytes.Equal(l.tag(), tag) {
		return nil
	}
	return l
}

// A library is a base in the form that the loader uses. It remembers which layer the loader got.
type library struct {
	base     *Base
	pkgs     *layeredPackages
	progress func(api.Progress)
	layer    *layer
}

// library returns the base in that form.
func (b *Base) library(progress func(api.Progress)) *library {
	return &library{base: b, pkgs: b.pkgs, progress: progress}
}

func (lib *library) Has(path string) bool {
	_, ok := lib.pkgs.of[path]
	return ok
}

func (lib *library) Base(ctx context.Context, paths []string) (_ *load.Base, err error) {
	last := 0
	for _, path := range paths {
		last = max(last, lib.pkgs.of[path])
	}
	if lib.layer, err = lib.base.layer(ctx, last, lib.progress); err != nil {
		return nil, err
	}
	types, _, err := lib.layer.frontEnd()
	return types, err
}

// Save writes the code of layers to the cache, for the next process, if functions were compiled
// since the entry was written. Without a cache it does nothing.
func (b *Base) Save() error {
	var first error
	for k := range b.layers {
		if l := b.layers[k].Load(); l != nil && b.dir != nil {
			first = cmp.Or(first, l.save(b.dir))
		}
	}
	b.trouble.add(first)
	return first
}

func (l *layer) save(dir *cache.Dir) error {
	l.saveMu.Lock()
	defer l.saveMu.Unlock()
	compiled := l.compiled()
	if compiled == l.saved {
		return nil
	}
	register := l.register.save()
	var heads, native [2][]byte
	for i := range l.native {
		if n := &l.native[i]; n.made.Load() {
			heads[i], native[i] = n.code.save()
			continue
		}
		head, size, read := l.stored.Native(i)
		if len(head) == 0 {
			continue
		}
		if code, err := read(0, size); err == nil { // otherwise the functions are compiled again
			heads[i], native[i] = head, code
		}
	}
	if err := dir.PutCode(l.codeName, register, heads, native); err != nil {
		return err
	}
	l.saved = compiled
	return nil
}

// compiled counts the functions that were compiled, in both tiers.
func (l *layer) compiled() int {
	count := l.register.compiled()
	for i := range l.native {
		count += l.native[i].compiled()
	}
	return count
}

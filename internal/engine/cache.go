package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// This file keeps a program on disk: which entry of which cache belongs to it, and when the entry
// is written. Package cache defines what an entry holds and who may be trusted.

// A diskCache is the cache entry of one program.
type diskCache struct {
	dir  *cache.Dir
	name cache.Name

	trouble trouble // of writing the entry again

	mu          sync.Mutex
	entry       *cache.ProgramEntry
	saved       int  // functions that were compiled to register code when the entry was last written
	savedNative int  // functions that were compiled to machine code when the entry was last written
	stale       bool // the stamps of its inputs were renewed, so the entry must be written again
}

// cacheable reports whether the cache may keep the program. Programs with Upgrades are not kept.
// They are lowered for the memory of the earlier version, and the name of an entry does not name
// that version. What may become of its states follows from a comparison with it.
func (src *Source) cacheable() bool {
	return src.Cache != "" && !src.BaseOnly && !src.Verify && src.Shift == 0 && src.Moved == nil && len(src.Cover) == 0 && src.Upgrades == nil
}

// openCache finds the entry for a source. If the source cannot have one it returns nil and the
// reason.
func (c *compilation) openCache() (*diskCache, error) {
	if !c.cacheable() {
		if c.Cache != "" && c.Upgrades != nil {
			return nil, errors.New("a program with CompileOptions.Upgrades is compiled each time")
		}
		return nil, nil
	}
	dir, err := cache.Open(c.Cache)
	if err != nil {
		return nil, err
	}
	parts, err := c.identity(cache.EngineID, c.hosts)
	if err != nil {
		return nil, err
	}
	return &diskCache{dir: dir, name: cache.NameOf(parts)}, nil
}

// Identity returns everything that decides what Compile produces, except the files that it reads.
// Each field of Source is part of it, or changes nothing in the program.
func (src *Source) Identity() ([]string, error) { return src.identity(cache.EngineID, nil) }

// identity is Identity with a function that identifies the engine. hosts are the packages in Host
// if they were compared with what is bound, else nil.
func (src *Source) identity(engine func() (string, error), hosts []*hostPackage) ([]string, error) {
	id, err := engine()
	if err != nil {
		return nil, err
	}
	parts := []string{
		fmt.Sprintf("gyr determinism %d gas %d", DeterminismVersion, GasTableVersion), id, runtime.GOOS, runtime.GOARCH,
		// It has settings of go/types, for example gotypesalias.
		"GODEBUG=" + os.Getenv("GODEBUG"),
	}
	if src.State {
		parts = append(parts, "state")
	}
	passes := append([]string{fmt.Sprint(len(src.NoPass))}, sorted(src.NoPass)...)
	if hosts == nil {
		if hosts, err = hostPackages(src.Host); err != nil {
			return nil, err
		}
	}
	for _, h := range hosts {
		parts = append(parts, "host package", h.Path, string(h.sum[:]), fmt.Sprint(h.first))
	}
	if src.Image != nil {
		sum := sha256.Sum256(src.Image)
		return append(append(parts, "image", string(sum[:])), passes...), nil
	}
	library, err := src.library()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(src.Dir)
	if err != nil {
		return nil, err
	}
	if src.Command != nil {
		dir = "command " + src.Command.Path // its files belong to the executable that embeds them, as the engine does
	}
	parts = append(append(append(parts, "source"), library...), dir,
		fmt.Sprintf("unsafe %s test %t fs %t exports %t base %t %t", src.Unsafe, src.Test, src.FS != nil, src.Exports,
			src.Base != nil, src.NoBase))
	modules := src.Modules
	if modules != "" {
		if modules, err = filepath.Abs(modules); err != nil {
			return nil, err
		}
	}
	parts = append(parts, fmt.Sprint(src.Limits), modules)
	for _, name := range gomod.EnvVars {
		parts = append(parts, name+"="+os.Getenv(name))
	}
	for _, list := range [][]string{src.Settings.Identity(), src.Patterns, sorted(src.Tags), sorted(src.Cover)} {
		parts = append(parts, fmt.Sprint(len(list)))
		parts = append(parts, list...)
	}
	return append(parts, passes...), nil
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// load makes p from the entry, if there is a valid one.
func (c *diskCache) load(p *Program, src *Source) (found bool) {
	failure.At("reading an entry")
	data, err := c.dir.Get(c.name)
	if data == nil || err != nil {
		return false
	}
	e, err := cache.Decode(data)
	if err != nil {
		return false
	}
	defer func() {
		if !found {
			p.unit = unit{}
		}
	}()
	if src.State != (len(e.Identity) > 0) {
		return false
	}
	current, renewed := e.Current(src.FS)
	if !current {
		return false
	}
	im, err := image.OpenTrusted(e.Image)
	if err != nil {
		return false
	}
	var base *layer
	if len(e.Base) > 0 {
		if base = src.Base.entryLayer(src, e.Base); base == nil {
			return false
		}
	}
	p.unit = unit{foreign: src.Image != nil}
	code := e.Code
	if src.Recompile {
		code = nil
	}
	if _, err = p.restore(base.common(), im, func() []byte { return code }, p.opt); err != nil {
		return false
	}
	var plan *lower.Plan
	if len(e.Plan) > 0 {
		if plan, err = lower.ReadPlan(e.Plan, p.mod); err != nil {
			return false
		}
	}
	snap, err := rt.ReadSnapshot(p.mod, e.Snapshot)
	if err != nil {
		return false
	}
	p.setBase(base)
	p.snapMade.Do(func() error { p.snap = snap; return nil })
	p.stats.Packages, p.stats.Functions, p.stats.Cached = e.Packages, e.Functions, api.CacheHit
	p.stats.FrontEnd = im.Header().FrontEnd
	p.noteUnsafe(e.Unsafe)
	p.identity, p.plan = e.Identity, plan
	c.entry, c.stale = e, renewed
	if !src.Recompile {
		p.disk = c
	}
	return true
}

// fromEntry returns the program as the cache has it, if the compilation has just written its entry,
// and else p. So all that is left of compiling is in the entry, and the memory of this process is
// that of one that found the program there. If no other compilation has used the base, that counts
// for the standard library too; otherwise the next one will need what is there.
func (p *Program) fromEntry(c *compilation) (_ *Program, err error) {
	defer c.recover(&err)
	if p.disk == nil || p.stats.Cached != api.CacheMiss {
		return p, nil
	}
	if p.base != nil && c.first && c.Base.compilations.Load() == 1 {
		c.Base.reopen(p.base)
	}
	q := &Program{opt: p.opt, checked: c.untrusted(), goroot: p.goroot}
	disk := &diskCache{dir: p.disk.dir, name: p.disk.name}
	if !disk.load(q, &c.Source) {
		return p, nil
	}
	q.stats = p.stats
	q.stats.Compiled = p.register.compiled()
	return q, q.bind(c)
}

// store writes the entry of a program that was just compiled, before anything has run. CacheNote
// reports a failure to write; the error that store returns is a bug of the engine.
func (c *diskCache) store(p *Program, inputs *filetree.Inputs) error {
	err := c.fill(p, inputs)
	if errors.As(err, new(*api.InternalError)) {
		return err
	}
	p.stats.CacheNote = cacheNote(err)
	if err == nil {
		p.disk, p.stats.Cached = c, api.CacheMiss
	}
	return nil
}

func (c *diskCache) fill(p *Program, inputs *filetree.Inputs) error {
	// The module must be encoded after phase A and before phase B changes a function. Making the
	// snapshot, which comes next, runs functions.
	head := image.Header{Form: image.Optimised, Determinism: DeterminismVersion, FrontEnd: p.stats.FrontEnd}
	var base []byte
	if p.base != nil {
		head.Form, base = image.Continued, p.base.tag()
	}
	mod, err := image.Encode(p.mod, head)
	if err != nil {
		return err
	}
	sn, err := p.snapshot(context.Background())
	if err != nil {
		return err
	}
	snap, err := sn.AppendBinary(nil)
	if err != nil {
		return err
	}
	c.entry = &cache.ProgramEntry{
		Inputs: inputs.List(), Packages: p.stats.Packages, Functions: p.stats.Functions, Base: base, Image: mod,
		Identity: p.identity, Snapshot: snap, Unsafe: p.usesUnsafe,
	}
	if p.plan != nil {
		c.entry.Plan = p.plan.AppendRecord(nil)
	}
	return c.write(p)
}

// restore gives a program the machine code of the entry. Code for another module or processor is
// refused, and compiled again.
func (c *diskCache) restore(n *nativeProgram) {
	c.mu.Lock()
	head, code := c.entry.Native[0], c.entry.Native[1]
	c.mu.Unlock()
	if len(head) > 0 {
		_ = n.restore(head, len(code), func(from, to int) ([]byte, error) { return code[from:to], nil })
	}
}

// module decodes the entry's module with all functions, as phase A left them. It is another copy
// than the program's. base is the unit that it continues, nil if it stands alone.
func (c *diskCache) module(base *unit) (*ir.Module, error) {
	c.mu.Lock()
	im, err := image.OpenTrusted(c.entry.Image)
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return im.Decode(base.module())
}

// inputs returns what was read for the program.
func (c *diskCache) inputs() []filetree.Input {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entry.Inputs
}

// save writes the entry again if it has something new to keep: code of functions that were called,
// or renewed stamps.
func (c *diskCache) save(p *Program) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.register.compiled() == c.saved && p.native.compiled() == c.savedNative && !c.stale {
		return nil
	}
	return c.write(p)
}

func (c *diskCache) write(p *Program) error {
	c.saved = p.register.compiled()
	c.entry.Code = p.register.save()
	if p.native.made.Load() {
		c.savedNative = p.native.compiled() // maybe more by now, if others compile: written the next time
		c.entry.Native[0], c.entry.Native[1] = p.native.code.save()
	}
	c.stale = false
	err := c.dir.Put(c.name, c.entry.Encode())
	c.trouble.add(err)
	return err
}

// DefaultCache returns the directory that the command uses as Source.Cache: gyr in the user's cache
// directory.
func DefaultCache() (string, error) { return cache.DefaultPath() }

// CheckCache reports why a directory cannot be used as Source.Cache. It creates the directory if it
// does not exist.
func CheckCache(dir string) error {
	_, err := cache.Open(dir)
	return err
}

// CleanCache removes the entries of a cache directory, and the directory if nothing else is in it.
// It returns the number of entries and their size in bytes.
func CleanCache(dir string) (entries int, bytes int64, err error) {
	u, err := cache.Clean(dir)
	return u.Entries, u.Bytes, err
}

// CacheUsage returns the number of entries in a cache directory, and their size in bytes.
func CacheUsage(dir string) (entries int, bytes int64, err error) {
	u, err := cache.UsageOf(dir)
	return u.Entries, u.Bytes, err
}

// cacheNote returns an error of the cache as one line.
func cacheNote(err error) string {
	if err == nil {
		return ""
	}
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s
}

// treeSums keeps the sums of modules in the cache, an entry each. After an error of the cache they
// are computed again.
type treeSums struct{ dir *cache.Dir }

func (t treeSums) name(dir string) cache.Name {
	return cache.NameOf([]string{"sum of a module 1", dir})
}

func (t treeSums) Recall(dir string) []byte {
	data, _ := t.dir.Get(t.name(dir))
	return data
}

func (t treeSums) Keep(dir string, data []byte) { _ = t.dir.Put(t.name(dir), data) }

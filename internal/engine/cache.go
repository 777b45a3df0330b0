package engine

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// How a program is kept on disk: which entry of which cache is its, and when
// the entry is written. Package cache says what is in it and who may be trusted.

// The ways in which a compilation may have used the cache.
const (
	CacheOff  = "off"  // not asked for, or not usable
	CacheHit  = "hit"  // nothing was compiled
	CacheMiss = "miss" // compiled, and written for the next time
)

// A diskCache is the entry of one program.
type diskCache struct {
	dir  *cache.Dir
	name cache.Name

	mu          sync.Mutex
	entry       *cache.ProgramEntry
	saved       int  // functions whose register code is in the entry
	savedNative int  // functions that were compiled to machine code when it was written
	stale       bool // the entry's stamps were renewed
}

// openCache finds the entry for a source. Nil, with the reason, if there can be
// none.
func openCache(src *Source) (*diskCache, error) {
	if src.Cache == "" || src.Verify || src.Moved != nil || len(src.Cover) > 0 {
		return nil, nil
	}
	dir, err := cache.Open(src.Cache)
	if err != nil {
		return nil, err
	}
	parts, err := src.Identity()
	if err != nil {
		return nil, err
	}
	return &diskCache{dir: dir, name: cache.NameOf(parts)}, nil
}

// Identity is everything that decides what Compile gives, but for what it
// reads: each field of Source is in it, or changes nothing in the program.
func (src *Source) Identity() ([]string, error) {
	build, err := cache.BuildID()
	if err != nil {
		return nil, err
	}
	parts := []string{
		fmt.Sprintf("gyr determinism %d gas %d", DeterminismVersion, GasTableVersion), build, runtime.GOOS, runtime.GOARCH,
	}
	passes := append([]string{fmt.Sprint(len(src.NoPass))}, sorted(src.NoPass)...)
	if src.Image != nil {
		sum := sha256.Sum256(src.Image)
		return append(append(parts, "image", string(sum[:])), passes...), nil
	}
	goroot, release, err := load.FindGo(src.GOROOT)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(src.Dir)
	if err != nil {
		return nil, err
	}
	parts = append(parts, "source", goroot, release, dir,
		fmt.Sprintf("unsafe %t test %t fs %t exports %t base %t", src.Unsafe, src.Test, src.FS != nil, src.Exports,
			src.Base != nil))
	parts = append(parts, fmt.Sprint(src.Limits))
	for _, name := range load.EnvVars {
		parts = append(parts, name+"="+os.Getenv(name))
	}
	for _, list := range [][]string{src.Patterns, sorted(src.Tags), sorted(src.Cover)} {
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

// load makes p the program of the entry, if there is one that is good.
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
	current, renewed := e.Current(src.FS)
	if !current {
		return false
	}
	im, err := image.Open(e.Image)
	if err != nil {
		return false
	}
	base := src.Base
	switch {
	case len(e.Base) == 0:
		base = nil
	case !base.fits(src) || !bytes.Equal(e.Base, base.entry.Sum):
		return false
	}
	p.unit = unit{foreign: src.Image != nil}
	if _, err = p.restore(base.common(), im, e.Code, p.opt); err != nil {
		return false
	}
	snap, err := rt.ReadSnapshot(p.mod, e.Snapshot)
	if err != nil {
		return false
	}
	p.setBase(base)
	p.snapMade.Do(func() error { p.snap = snap; return nil })
	p.stats.Packages, p.stats.Functions, p.stats.Cached = e.Packages, e.Functions, CacheHit
	c.entry, c.saved, c.stale = e, p.code.Compiled(), renewed
	p.disk, p.restored = c, c.saved
	return true
}

// store writes the entry of a program that was compiled and of which nothing has
// run yet. That it cannot be written is told by CacheNote; an error is a bug.
func (c *diskCache) store(p *Program, inputs *load.Inputs) error {
	err := c.fill(p, inputs)
	if errors.As(err, new(*InternalError)) {
		return err
	}
	p.stats.CacheNote = cacheNote(err)
	if err == nil {
		p.disk, p.stats.Cached = c, CacheMiss
	}
	return nil
}

func (c *diskCache) fill(p *Program, inputs *load.Inputs) error {
	// Behind phase A, before phase B changes a function: the snapshot comes next.
	head := image.Header{Form: image.Optimised, Determinism: DeterminismVersion}
	var base []byte
	if p.base != nil {
		head.Form, base = image.Continued, p.base.entry.Sum
	}
	mod, err := image.Encode(p.mod, head)
	if err != nil {
		return err
	}
	sn, err := p.snapshot()
	if err != nil {
		return err
	}
	snap, err := sn.AppendBinary(nil)
	if err != nil {
		return err
	}
	c.entry = &cache.ProgramEntry{
		Inputs: inputs.List(), Packages: p.stats.Packages, Functions: p.stats.Functions, Base: base, Image: mod,
		Snapshot: snap,
	}
	return c.write(p)
}

// restore gives a program the machine code of the entry. Code that is not of this
// module and processor is made again.
func (c *diskCache) restore(n *nativeProgram) {
	c.mu.Lock()
	b := c.entry.Native
	c.mu.Unlock()
	if len(b) > 0 {
		_ = n.restore(b)
	}
}

// inputs is what was read for the program.
func (c *diskCache) inputs() []load.Input {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entry.Inputs
}

// save writes the entry again if more is known by now: code of functions that
// were called, stamps.
func (c *diskCache) save(p *Program) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.code.Compiled() == c.saved && p.native.compiled() == c.savedNative && !c.stale {
		return nil
	}
	return c.write(p)
}

func (c *diskCache) write(p *Program) error {
	c.entry.Code, c.saved = p.code.Save(nil)
	if p.native.made.Load() {
		c.savedNative = p.native.compiled() // or more, if others are at work: those are written the next time
		c.entry.Native = p.native.code.save()
	}
	c.stale = false
	return c.dir.Put(c.name, c.entry.Encode())
}

// DefaultCache is the directory that the command uses as Source.Cache: gyr in
// the user's directory for caches.
func DefaultCache() (string, error) { return cache.DefaultPath() }

// CheckCache reports why a directory cannot be used as Source.Cache. It makes
// the directory if it is not there.
func CheckCache(dir string) error {
	_, err := cache.Open(dir)
	return err
}

// CleanCache removes the entries of a cache directory, and the directory if
// nothing else is in it. It returns how many there were and their bytes.
func CleanCache(dir string) (entries int, bytes int64, err error) {
	u, err := cache.Clean(dir)
	return u.Entries, u.Bytes, err
}

// CacheUsage returns how many entries a cache directory holds, and their bytes.
func CacheUsage(dir string) (entries int, bytes int64, err error) {
	u, err := cache.UsageOf(dir)
	return u.Entries, u.Bytes, err
}

// cacheNote is an error of the cache as one line.
func cacheNote(err error) string {
	if err == nil {
		return ""
	}
	s, _, _ := strings.Cut(err.Error(), "\n")
	return s
}

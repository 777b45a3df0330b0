package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// A Base is a large part of the standard library, compiled once for all
// programs that continue it (Source.Base): they share its code and its types, so what
// such a program costs to compile is what is its own. Output and gas are those of the
// program compiled alone; addresses are not. A Base is safe for concurrent use.
type Base struct {
	entry *cache.BaseEntry
	dir   *cache.Dir // nil: kept nowhere
	name  cache.Name

	lower *lower.Base
	facts *opt.Base
	types *load.Base
	tags  []string

	unit
	native [2]nativeTier // without checks of what memory holds, and with them

	saveMu sync.Mutex
	saved  int // functions that were compiled when the entry was written

	freshMu sync.Mutex
	fresh   map[int32]*ir.Func // bodies as phase A left them, of functions that were inlined
	bodies  *image.Bodies
}

// BaseConfig says which base is wanted.
type BaseConfig struct {
	GOROOT   string             // as in Source
	Tags     []string           // as in Source: programs with others do not continue the base
	Cache    string             // as in Source
	Progress func(stage string) // as in Source
}

// basePackages are the packages in a base. What they import comes along. Not here is
// what few programs need, and what does something at its initialisation that others can see.
var basePackages = []string{
	"bufio", "bytes", "cmp", "container/heap", "container/list", "container/ring", "context",
	"encoding/base64", "encoding/binary", "encoding/csv", "encoding/hex", "encoding/json", "errors",
	"flag", "fmt", "hash/crc32", "hash/fnv", "html", "io", "io/fs", "iter", "log",
	"maps", "math", "math/big", "math/bits", "math/cmplx", "math/rand", "math/rand/v2",
	"os", "path", "path/filepath", "reflect", "regexp", "runtime/debug",
	"slices", "sort", "strconv", "strings", "sync", "sync/atomic",
	"testing", "testing/fstest", "testing/internal/testdeps", "testing/iotest", "testing/quick", "text/tabwriter",
	"text/template", "time",
	"unicode", "unicode/utf16", "unicode/utf8", "unique",
}

// OpenBase returns the base from the cache, or makes it, which takes some seconds of
// CPU time, and puts it there.
func OpenBase(ctx context.Context, cfg BaseConfig) (_ *Base, err error) {
	ctx = orBackground(ctx)
	told := &Source{Progress: cfg.Progress} // of the stages, for recover too
	defer told.recover(&err)
	cfg.Progress = func(s string) {
		if s != "placing gas" { // which takes no time
			told.stage(s + " the standard library")
		}
	}
	dir, name, err := cfg.place()
	if err != nil {
		return nil, err
	}
	if dir != nil {
		cfg.Progress("reading")
		if b := readBase(dir, name, &cfg); b != nil {
			return b, nil
		}
	}
	told.now = "loading the standard library"
	e, err := makeBase(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	b, err := openBase(e, &cfg)
	if err != nil {
		return nil, err
	}
	if dir != nil {
		b.dir, b.name = dir, name
		if err := dir.Put(name, e.Encode()); err != nil {
			b.dir = nil // a cache that cannot be written changes nothing but the time
		}
	}
	return b, nil
}

// place finds the entry of the base.
func (cfg *BaseConfig) place() (*cache.Dir, cache.Name, error) {
	if cfg.Cache == "" {
		return nil, cache.Name{}, nil
	}
	dir, err := cache.Open(cfg.Cache)
	if err != nil {
		return nil, cache.Name{}, nil // as with programs
	}
	src := Source{Dir: string(filepath.Separator), GOROOT: cfg.GOROOT, Tags: cfg.Tags} // the same wherever it is wanted
	parts, err := src.Identity()
	if err != nil {
		return nil, cache.Name{}, err
	}
	return dir, cache.NameOf(append(append(parts, "base"), basePackages...)), nil
}

func readBase(dir *cache.Dir, name cache.Name, cfg *BaseConfig) *Base {
	failure.At("reading a base")
	data, err := dir.Get(name)
	if data == nil || err != nil {
		return nil
	}
	e, err := cache.DecodeBase(data)
	if err != nil {
		return nil
	}
	if current, _ := e.Current(nil); !current {
		return nil
	}
	b, err := openBase(e, cfg)
	if err != nil {
		return nil
	}
	b.dir, b.name = dir, name
	return b
}

// makeBase compiles a base.
func makeBase(ctx context.Context, cfg *BaseConfig) (*cache.BaseEntry, error) {
	failure.At("making a base")
	var text strings.Builder
	text.WriteString("package main\n")
	for _, path := range basePackages {
		fmt.Fprintf(&text, "import _ %q\n", path)
	}
	text.WriteString("func main() {}\n")
	fsys, err := txtar.FS(&txtar.Archive{Files: []txtar.File{{Name: "main.go", Data: []byte(text.String())}}})
	if err != nil {
		return nil, err
	}
	var index lower.BaseIndex
	src := &Source{
		FS: fsys, Patterns: []string{"main.go"}, GOROOT: cfg.GOROOT, Tags: cfg.Tags, inputs: &load.Inputs{}, asBase: &index,
		Progress: cfg.Progress,
	}
	p := &Program{opt: &opt.Options{}}
	lp, err := p.lowered(ctx, src)
	if err != nil {
		if c := (*CompileError)(nil); errors.As(err, &c) {
			return nil, c.Err // not of the program
		}
		return nil, err
	}
	e := &cache.BaseEntry{Inputs: slices.DeleteFunc(src.inputs.List(), func(in load.Input) bool { return in.FS })}
	if e.Types, err = lp.BaseTypes(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(index); err != nil {
		return nil, err
	}
	e.Index = b.Bytes()
	if e.Facts, err = p.optimise(ctx, src); err != nil {
		return nil, err
	}
	e.Image, err = image.Encode(p.mod, image.Header{Form: image.Optimised, Determinism: DeterminismVersion})
	sum := sha256.Sum256(e.Image)
	e.Sum = sum[:]
	return e, err
}

// openBase makes a base of an entry, whether it comes from the cache or was made just now.
func openBase(e *cache.BaseEntry, cfg *BaseConfig) (*Base, error) {
	im, err := image.Open(e.Image)
	if err != nil {
		return nil, err
	}
	b := &Base{entry: e, tags: sorted(cfg.Tags), fresh: map[int32]*ir.Func{}}
	b.shared = true
	if b.bodies, err = b.restore(nil, im, e.Code, &opt.Options{}); err != nil {
		return nil, err
	}
	var index lower.BaseIndex
	if err := gob.NewDecoder(bytes.NewReader(e.Index)).Decode(&index); err != nil {
		return nil, err
	}
	b.lower = lower.NewBase(b.mod, index)
	if b.facts, err = opt.OpenBase(b.mod, e.Facts, b.body); err != nil {
		return nil, err
	}
	if b.types, err = load.OpenBase(e.Types, nil); err != nil {
		return nil, err
	}
	b.saved = b.code.Compiled()
	return b, nil
}

// common is what a base has in common with a program, nil of a nil base.
func (b *Base) common() *unit {
	if b == nil {
		return nil
	}
	return &b.unit
}

// machineCode returns the machine code of the base's functions, with checks of what memory
// holds or without.
func (b *Base) machineCode(checked bool) (*nativeTier, error) {
	i := 0
	if checked {
		i = 1
	}
	n := &b.native[i]
	err := n.make(func() (*nativeProgram, error) {
		code, err := newNativeBase(b, checked)
		if err == nil && len(b.entry.Native[i]) > 0 {
			_ = code.restore(b.entry.Native[i]) // code of another processor is made again
		}
		return code, err
	})
	return n, err
}

// body returns a function as phase A left it, for programs that inline it.
func (b *Base) body(f *ir.Func) (*ir.Func, error) {
	b.freshMu.Lock()
	defer b.freshMu.Unlock()
	if g := b.fresh[f.Index]; g != nil {
		return g, nil
	}
	g, err := b.bodies.Fresh(f)
	if err == nil {
		b.fresh[f.Index] = g
	}
	return g, err
}

// fits reports whether a source may continue the base, as far as that is known before
// it is loaded.
func (b *Base) fits(src *Source) bool {
	return b != nil && src.Image == nil && len(src.NoPass) == 0 && !src.Verify && src.Observer.Dump == nil &&
		src.Observer.Log == nil &&
		slices.Equal(b.tags, sorted(src.Tags))
}

// Save writes the base's entry again if functions of it were compiled that the entry
// does not have the code of, for the next process. Without a cache it does nothing.
func (b *Base) Save() error {
	b.saveMu.Lock()
	defer b.saveMu.Unlock()
	compiled := b.compiled()
	if b.dir == nil || compiled == b.saved {
		return nil
	}
	e := *b.entry
	e.Code, _ = b.code.Save(nil)
	for i := range b.native {
		if n := &b.native[i]; n.made.Load() {
			e.Native[i] = n.code.save()
		}
	}
	if err := b.dir.Put(b.name, e.Encode()); err != nil {
		return err
	}
	b.saved = compiled
	return nil
}

// compiled counts the functions that were compiled, those of the entry and others, in
// both tiers.
func (b *Base) compiled() int {
	count := b.code.Compiled()
	for i := range b.native {
		count += b.native[i].compiled()
	}
	return count
}

package hostile

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// victim is the program whose images and cache entries the tests damage.
const victim = `package main

import (
	"fmt"
	"os"
)

func main() {
	m := map[string]int{"a": 1}
	defer func() { fmt.Println(recover(), m) }()
	var p *int
	*p = len(os.Args)
}
`

const victimOutput = "runtime error: invalid memory address or nil pointer dereference map[a:1]\n"

func victimSource(t testing.TB) gyr.Source {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(victim), 0o666); err != nil {
		t.Fatal(err)
	}
	return gyr.Source{Dir: dir, Patterns: []string{"main.go"}}
}

// The frame of an image, as package image documents it: the magic, four words of
// 4 bytes (format, determinism version, form, CRC), then 12 bytes a section.
const (
	imageSections = 24
	sectionEntry  = 12
	numSections   = 10
	headerSize    = imageSections + numSections*sectionEntry
	bodies, data  = 3, 8 // numbers of sections
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// forge corrects all checksums, as an attacker who knows the format does.
func forge(b []byte) []byte {
	le := binary.LittleEndian
	at := uint64(headerSize)
	for i := range numSections {
		e := b[imageSections+i*sectionEntry:]
		n := le.Uint64(e)
		if n > uint64(len(b))-at {
			break
		}
		le.PutUint32(e[8:], crc32.Checksum(b[at:at+n], castagnoli))
		at += n
	}
	le.PutUint32(b[20:], 0)
	le.PutUint32(b[20:], crc32.Checksum(b[:headerSize], castagnoli))
	return b
}

// section returns the range of a section in an image.
func section(b []byte, number int) (from, to int) {
	from = headerSize
	for i := range number + 1 {
		n := int(binary.LittleEndian.Uint64(b[imageSections+i*sectionEntry:]))
		if i == number {
			return from, from + n
		}
		from += n
	}
	panic("no such section")
}

// put replaces a word of 4 bytes.
func put(b []byte, at int, v uint32) []byte {
	binary.LittleEndian.PutUint32(b[at:], v)
	return b
}

// flip changes one bit in the middle of [from, to).
func flip(b []byte, from, to int) []byte {
	b[(from+to)/2] ^= 1 << (from % 8)
	return b
}

// recoded decodes an image, changes it, and encodes it again.
func recoded(b []byte, change func(*ir.Module, *image.Header)) []byte {
	im, err := image.Open(b)
	if err != nil {
		panic(err)
	}
	m, err := im.Decode(nil)
	if err != nil {
		panic(err)
	}
	h := im.Header()
	change(m, &h)
	b, err = image.Encode(m, h)
	if err != nil {
		panic(err)
	}
	return b
}

// images are the damaged and forged images: how to change a good one, which may be overwritten, and
// the expected error.
var images = []struct {
	name string
	make func(b []byte) []byte
	says string
}{
	{"empty", func(b []byte) []byte { return b[:0] }, "not an image of gyr"},
	{"one byte", func(b []byte) []byte { return b[:1] }, "not an image of gyr"},
	{"only the magic", func(b []byte) []byte { return b[:8] }, "truncated header"},
	{"half a header", func(b []byte) []byte { return b[:headerSize/2] }, "truncated header"},
	{"only a header", func(b []byte) []byte { return b[:headerSize] }, "truncated: section meta ends behind the file"},
	{"half", func(b []byte) []byte { return b[:len(b)/2] }, "truncated: section"},
	{"a byte short", func(b []byte) []byte { return b[:len(b)-1] }, "truncated: section data ends behind the file"},
	{"a byte more", func(b []byte) []byte { return append(b, 0) }, "1 bytes behind the end"},
	{"twice", func(b []byte) []byte { return append(b, bytes.Clone(b)...) }, "bytes behind the end"},
	{"a program's text", func([]byte) []byte { return []byte(victim) }, "not an image of gyr"},
	{"sent as text", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }, "not an image of gyr"},
	{"seven bits", func(b []byte) []byte {
		for i := range b {
			b[i] &= 0x7f
		}
		return b
	}, "not an image of gyr"},
	{"a bit of the magic", func(b []byte) []byte { return flip(b, 0, 8) }, "not an image of gyr"},
	{"a bit of the header's checksum", func(b []byte) []byte { return flip(b, 20, 24) }, "damaged: checksum of the header"},
	{"a bit of a length", func(b []byte) []byte { return flip(b, imageSections, imageSections+8) }, "damaged: checksum of the header"},
	{"a bit of the bodies", func(b []byte) []byte {
		from, to := section(b, bodies)
		return flip(b, from, to)
	}, "damaged: checksum of section bodies"},
	{"a bit of the data", func(b []byte) []byte {
		from, to := section(b, data)
		return flip(b, from, to)
	}, "damaged: checksum of section data"},
	{"another format", func(b []byte) []byte { return forge(put(b, 8, image.Version+1)) }, fmt.Sprintf("format version %d, this gyr reads %d", image.Version+1, image.Version)},
	{"format 0", func(b []byte) []byte { return forge(put(b, 8, 0)) }, "format version 0"},
	{"another determinism version", func(b []byte) []byte { return forge(put(b, 12, gyr.DeterminismVersion+1)) },
		fmt.Sprintf("built for determinism version %d, this gyr has %d: build it again", gyr.DeterminismVersion+1, gyr.DeterminismVersion)},
	{"an entry of a cache", func(b []byte) []byte { return forge(put(b, 16, uint32(image.Optimised))) }, "not portable (optimised)"},
	{"a part of a program", func(b []byte) []byte { return forge(put(b, 16, uint32(image.Continued))) }, "meta: truncated"},
	{"machine code", func(b []byte) []byte { return forge(put(b, 16, 9)) }, "unknown form 9"},
	{"another release", func(b []byte) []byte {
		return recoded(b, func(_ *ir.Module, h *image.Header) { h.Go = "go1.99" })
	}, `built with the standard library of "go1.99"`},
	{"a length without end", func(b []byte) []byte {
		binary.LittleEndian.PutUint64(b[imageSections+bodies*sectionEntry:], 1<<63)
		return forge(b)
	}, "truncated: section bodies ends behind the file"},
	{"sections without contents", func(b []byte) []byte {
		b = b[:headerSize]
		clear(b[imageSections:])
		return forge(b)
	}, "image: "},
	{"bodies with right checksums", func(b []byte) []byte {
		from, to := section(b, bodies)
		for i := from; i < to; i += 7 {
			b[i] ^= 0xff
		}
		return forge(b)
	}, "image: "},
	{"a runtime of its own", func(b []byte) []byte {
		return recoded(b, func(m *ir.Module, _ *image.Header) {
			for _, f := range m.Funcs()[1:] {
				if f.Name == "runtime.charge" {
					f.Entry.Values[0].Aux++
					return
				}
			}
			panic("no such function")
		})
	}, "function runtime.charge is not that of the runtime"},
	{"a function of the runtime in another's place", func(b []byte) []byte {
		return recoded(b, func(m *ir.Module, _ *image.Header) {
			for _, f := range m.Funcs()[1:] {
				if f.Flags&ir.Runtime == 0 && strings.HasPrefix(f.Name, "main.main") {
					f.Flags |= ir.Runtime // would be free of gas
					return
				}
			}
			panic("no such function")
		})
	}, "is not that of the runtime"},
	{"charges of its own, in the form of a cache's entry", func(b []byte) []byte {
		b = recoded(b, func(m *ir.Module, h *image.Header) {
			h.Form = image.Optimised // where charges may stand
			for _, f := range m.Funcs()[1:] {
				if f.Name == "main.main" {
					v := f.NewValue(ir.OpGas, ir.Void)
					v.Aux, v.Block = -1<<40, f.Entry
					f.Entry.Values = append(f.Entry.Values, v)
				}
			}
		})
		return forge(put(b, 16, uint32(image.Lowered)))
	}, "image: function "},
	{"a pointer into the host", func(b []byte) []byte {
		return recoded(b, func(m *ir.Module, _ *image.Header) { m.Vars["gyr_others"] = 1 << 31 })
	}, `variable "gyr_others" lies outside of the data segment`},
}

// goodImage is the victim's image.
var goodImage = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "gyr-hostile")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(victim), 0o666); err != nil {
		return nil, err
	}
	return gyr.Build(context.Background(), gyr.Source{Dir: dir, Patterns: []string{"main.go"}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoBase: true}})
})

// runVictim runs a program with small limits.
func runVictim(p *gyr.Program) (string, error) {
	var out bytes.Buffer
	in, err := p.NewInstance(context.Background(), gyr.Config{Stdout: &out, Stderr: &out, Gas: 10_000_000, Memory: 32 << 20})
	if err != nil {
		return "", err
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = in.Run(ctx)
	return out.String(), err
}

// TestImages: a damaged or forged image is refused with the error that the table names.
func TestImages(t *testing.T) {
	good, err := goodImage()
	if err != nil {
		t.Fatal(err)
	}
	compile := func(b []byte) (*gyr.Program, error) {
		return gyr.CompileImage(context.Background(), b, nil)
	}
	p, err := compile(good)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := runVictim(p); got != victimOutput || err != nil {
		t.Fatalf("%q %v", got, err)
	}
	for _, c := range images {
		t.Run(c.name, func(t *testing.T) {
			p, err := compile(c.make(bytes.Clone(good)))
			if err == nil {
				out, err := runVictim(p)
				t.Fatalf("the image is taken, and prints %q, %v", out, err)
			}
			var refused *gyr.ImageError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("refused with %T %q, want %q", err, err, c.says)
			}
			if *observe {
				t.Log(err)
			}
		})
	}
}

// TestImageBits: whatever byte of an image changes, with right checksums or not, the image is
// refused, or its program ends by itself or at a limit.
func TestImageBits(t *testing.T) {
	good, err := goodImage()
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	const rounds = 12
	for i := range rounds {
		b := bytes.Clone(good)
		at := 8 + (len(b)-8)/rounds*i + i%7
		b[at] ^= 1 << (i % 8)
		if _, err := gyr.CompileImage(context.Background(), b, nil); err == nil {
			t.Errorf("byte %d: a damaged image is taken", at)
		}
		p, err := gyr.CompileImage(context.Background(), forge(b), nil)
		if err != nil {
			continue
		}
		taken++
		runVictim(p)
	}
	t.Logf("%d of %d forged images are taken", taken, rounds)
}

// TestEntries: a damaged or forged entry of a cache is not used: the program is compiled again and
// prints the same.
func TestEntries(t *testing.T) {
	daily.Turn(t, 3, false)
	src := victimSource(t)
	cache := filepath.Join(src.Dir, "cache")
	opts := &gyr.CompileOptions{Cache: cache, Debug: gyr.CompileDebug{NoBase: true}} // so that the entry is the only one
	run := func() (state, out string) {
		p, err := gyr.Compile(context.Background(), src, opts)
		if err != nil {
			t.Fatal(err)
		}
		out, err = runVictim(p)
		if err != nil {
			t.Fatal(err)
		}
		return p.Stats().Cached, out
	}
	run()
	list, err := filepath.Glob(filepath.Join(cache, "*.entry"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if state, _ := run(); state != gyr.CacheHit {
		t.Fatalf("the second run: cache %s", state)
	}
	good, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gyr.Compile(context.Background(), victimSource(t), opts); err != nil {
		t.Fatal(err)
	}
	var another []byte
	entries, _ := filepath.Glob(filepath.Join(cache, "*.entry"))
	for _, name := range entries {
		if name != list[0] {
			another, _ = os.ReadFile(name)
		}
	}
	damages := []struct {
		name string
		make func(b []byte) []byte
	}{
		{"empty", func(b []byte) []byte { return nil }},
		{"half", func(b []byte) []byte { return b[:len(b)/2] }},
		{"a byte short", func(b []byte) []byte { return b[:len(b)-1] }},
		{"a byte more", func(b []byte) []byte { return append(b, 0) }},
		{"first bit", func(b []byte) []byte { b[0] ^= 1; return b }},
		{"last bit", func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		{"a bit in the midst", func(b []byte) []byte { b[len(b)/2] ^= 1; return b }},
		{"zeros", func(b []byte) []byte { clear(b); return b }},
		{"a portable image", func([]byte) []byte {
			b, _ := goodImage()
			return b
		}},
		{"that of another program", func([]byte) []byte { return another }},
		{"another's end", func(b []byte) []byte { return append(b[:len(b)-32], another[len(another)-32:]...) }},
	}
	for _, c := range daily.Part(t, damages, (len(damages)+2)/3, *all) {
		if err := os.WriteFile(list[0], c.make(bytes.Clone(good)), 0o600); err != nil {
			t.Fatal(err)
		}
		if state, out := run(); state != gyr.CacheMiss || out != victimOutput {
			t.Errorf("%s: cache %s, output %q", c.name, state, out)
		}
	}
}

// TestLayerEntries damages the entries of the standard library, each section of them. Programs
// print the same, whether they are compiled on the remaining entries or come from the cache
// themselves.
func TestLayerEntries(t *testing.T) {
	daily.Turn(t, 3, false)
	src := victimSource(t)
	cache := filepath.Join(src.Dir, "cache")
	file := filepath.Join(src.Dir, "main.go")
	n := 0
	run := func(what string, changed bool) {
		t.Helper()
		if changed {
			n++
			text := fmt.Sprintf("%s\nvar changed = %d\n", victim, n)
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		base, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{Cache: cache}) // as another process does
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		p, err := gyr.Compile(t.Context(), src, &gyr.CompileOptions{Cache: cache, Base: base})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if out, err := runVictim(p); err != nil || out != victimOutput {
			t.Errorf("%s: %v, output %q", what, err, out)
		}
		if err := base.Save(); err != nil {
			t.Error(err)
		}
	}
	run("before", true)
	list, err := filepath.Glob(filepath.Join(cache, "*.entry"))
	if err != nil || len(list) != 3 {
		t.Fatalf("%d entries, %v: not one of a layer, of its code and of the program", len(list), err)
	}
	const header, row, head = 16 + 32, 8 + 32, 12 // see package cache
	type damage struct {
		file, what string
		bad        []byte
		changed    bool // the program changed, too
	}
	var damages []damage
	for _, name := range list {
		good, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		add := func(what string, bad []byte, changed bool) {
			damages = append(damages, damage{name, fmt.Sprintf("%d bytes, %s", len(good), what), bad, changed})
		}
		sections := int(binary.LittleEndian.Uint32(good[head:]))
		at := header + sections*row
		for s := range sections {
			size := int(binary.LittleEndian.Uint64(good[header+s*row:]))
			if size > 0 {
				bad := bytes.Clone(good)
				bad[at+size/2] ^= 1
				add(fmt.Sprint("section ", s), bad, s%2 == 0)
			}
			at += size
		}
		add("empty", nil, true)
		add("half", good[:len(good)/2], true)
		add("header", good[:header+row], true)
	}
	for _, d := range daily.Part(t, damages, (len(damages)+3)/4, *all) {
		if err := os.WriteFile(d.file, d.bad, 0o600); err != nil {
			t.Fatal(err)
		}
		run(d.what, d.changed)
	}
}

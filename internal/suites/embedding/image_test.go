package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
)

// smallImage is an image of a program that imports nothing.
func smallImage(t testing.TB) []byte {
	t.Helper()
	src := fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() { println(42) }\n")}}
	data, err := gyr.Build(context.Background(), gyr.Source{FS: src, Patterns: []string{"main.go"}},
		&gyr.CompileOptions{Tags: []string{"x"}, Debug: gyr.CompileDebug{NoBase: true}})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestImageRefused: images of other versions and forms are refused with a reason that says what to
// do.
func TestImageRefused(t *testing.T) {
	data := smallImage(t)
	im, err := image.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	h := im.Header()
	if !strings.HasPrefix(h.Go, "go1.26") || len(h.Tags) != 1 || h.Unsafe || h.Determinism != gyr.DeterminismVersion {
		t.Errorf("header %+v", h)
	}
	for _, c := range []struct {
		change func(h *image.Header)
		want   string
	}{
		{func(h *image.Header) { h.Determinism++ }, fmt.Sprintf("image: built for determinism version %d, this gyr has %d: build it again", gyr.DeterminismVersion+1, gyr.DeterminismVersion)},
		{func(h *image.Header) { h.Go = "go1.99.1" }, `image: built with the standard library of "go1.99.1", this gyr runs ` + release.Names() + `: build it again`},
		{func(h *image.Header) { h.Go = "go1.260" }, `image: built with the standard library of "go1.260", this gyr runs ` + release.Names() + `: build it again`},
		{func(h *image.Header) { h.Form = image.Optimised }, "image: not portable (optimised)"},
	} {
		m, err := im.Decode(nil)
		if err != nil {
			t.Fatal(err)
		}
		h := im.Header()
		c.change(&h)
		changed, err := image.Encode(m, h)
		if err != nil {
			t.Fatal(err)
		}
		_, err = gyr.CompileImage(context.Background(), changed, nil)
		if refused := (*gyr.ImageError)(nil); !errors.As(err, &refused) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := gyr.CompileImage(context.Background(), []byte{}, nil); err == nil || fmt.Sprint(err) != "image: not an image of gyr" {
		t.Errorf("empty image: %v", err)
	}
}

// rewritten returns an image with another header.
func rewritten(t *testing.T, data []byte, on *ir.Module, change func(h *image.Header)) []byte {
	t.Helper()
	im, err := image.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	m, err := im.Decode(on)
	if err != nil {
		t.Fatal(err)
	}
	h := im.Header()
	change(&h)
	data, err = image.Encode(m, h)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// An image says which front end lowered it. A whole image from another front end runs, and its
// program says which; an image on another standard library is refused with both names.
func TestImageFrontEnd(t *testing.T) {
	const foreign = "go1.26.99, golang.org/x/tools v0.99.0"
	source := gyr.Source{Patterns: []string{"main.go"}, FS: fstest.MapFS{
		"main.go": {Data: []byte("package main\n\nfunc main() { println(42) }\n")}}}
	p, err := gyr.Compile(t.Context(), source, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := p.Stats().FrontEnd
	if !strings.HasPrefix(own, runtime.Version()+", golang.org/x/tools ") {
		t.Errorf("a program is lowered by %q", own)
	}
	cache := t.TempDir()
	if err := os.Chmod(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{own, foreign} {
		data := rewritten(t, smallImage(t), nil, func(h *image.Header) {
			if h.FrontEnd != own {
				t.Errorf("the image names %q, the program %q", h.FrontEnd, own)
			}
			h.FrontEnd = name
		})
		for _, want := range []string{gyr.CacheMiss, gyr.CacheHit} {
			if p := cached(t, given{image: data, CompileOptions: gyr.CompileOptions{Cache: cache}}, want); p.Stats().FrontEnd != name {
				t.Errorf("cache %s: the program of an image by %q is lowered by %q", want, name, p.Stats().FrontEnd)
			}
		}
	}
	data, err := gyr.Build(t.Context(), source, nil)
	if err != nil {
		t.Fatal(err)
	}
	data = rewritten(t, data, firstLayer(), func(h *image.Header) {
		h.FrontEnd, h.Std = foreign, append([]byte{h.Std[0] ^ 1}, h.Std[1:]...)
	})
	_, err = gyr.CompileImage(t.Context(), data, nil)
	if err == nil || !strings.Contains(err.Error(), "by "+foreign+"; this gyr has ") || !strings.Contains(err.Error(), own) {
		t.Errorf("an image on another standard library: %v", err)
	}
}

package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/internal/cache"
)

// TestLayersBelow runs programs that continue each of the layers, and use packages of the layers below it that the
// layer's own packages do not import.
func TestLayersBelow(t *testing.T) {
	list := [...]string{"context", "encoding/json", "archive/zip", "net/mail", "net/http/cookiejar", "database/sql/driver",
		"image/color"}
	last := len(layers)
	if testing.Short() {
		last = 3
	}
	for k := range last {
		var path string
		for _, p := range list {
			if layerOf[p] == k {
				path = p
			}
		}
		if path == "" {
			t.Fatalf("no package of layer %d", k)
		}
		text := fmt.Sprintf("package main\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n\t_ %q\n)\n\n", path) +
			"func main() { fmt.Print(flag.CommandLine != nil, flag.Bool(\"x\", true, \"\") != nil) }\n"
		p, err := Compile(context.Background(), Source{
			FS: fstest.MapFS{"main.go": {Data: []byte(text)}}, Patterns: []string{"main.go"}})
		if err != nil {
			t.Fatal(err)
		}
		if p.base == nil || p.base.number != k {
			t.Errorf("a program with %s does not continue layer %d", path, k)
		}
		var out bytes.Buffer
		cfg := Config{}
		cfg.Stdout, cfg.Stderr = &out, &out
		in, err := p.NewInstance(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(context.Background()); err != nil || out.String() != "true true" {
			t.Errorf("on layer %d: %v, %q", k, err, out.String())
		}
		in.Close()
	}
}

var layerOrders = flag.Int("layers.orders", 1, "`number` of random orders in which TestOrders makes all layers")

// TestOrders makes the layers in random orders, one after the other and at once, and compares everything that is kept
// of them: what a program gets does not depend on which layers there are, nor on when they were made.
func TestOrders(t *testing.T) {
	last := 3
	if *layerOrders > 1 {
		last = len(layers)
	}
	if testing.Short() {
		last = 2
	}
	ctx := context.Background()
	want := make([][cache.NumParts][32]byte, last)
	for n := range 1 + *layerOrders {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		b, err := newBase(BaseConfig{})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for _, k := range r.Perm(last) {
			ask := func() {
				if _, err := b.layer(ctx, k, nil); err != nil {
					t.Error(err)
				}
			}
			if n%2 == 0 {
				ask()
			} else {
				wg.Go(ask)
			}
		}
		wg.Wait()
		for k := range last {
			l := b.layers[k].Load()
			if l == nil {
				t.Fatalf("layer %d was not made", k)
			}
			for part := range cache.NumParts {
				data, err := l.part(part)
				if err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256(data)
				if n == 0 {
					want[k][part] = sum
				} else if want[k][part] != sum {
					t.Errorf("order %d: part %d of layer %d is another one", n, part, k)
				}
			}
		}
	}
}

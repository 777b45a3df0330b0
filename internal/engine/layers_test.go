package engine

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/fstest"
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

package vet

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

func TestZZ(t *testing.T) {
	for range 2 {
		t0 := time.Now()
		src := engine.Source{Command: &load.Command{Path: "cmd/vet"}, Cache: "/tmp/vt/cache", Native: true}
		p, err := engine.Compile(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(time.Since(t0), p.Stats())
		for range 3 {
			t0 = time.Now()
			in, err := p.NewInstance(engine.Config{Config: rt.Config{Config: wasi.Config{Name: "vet", Args: []string{"help"}, Stdout: os.Stdout, Stderr: os.Stderr}}})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Println(in.Run(context.Background()))
			in.Close()
			fmt.Println(time.Since(t0))
		}
	}
}

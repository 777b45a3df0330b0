package declare

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/listing"
)

func TestScratch2(t *testing.T) {
	src, _ := os.ReadFile("/tmp/bd/m/m.go")
	m := newModule(t, Gyr, map[string]string{"m.go": string(src)})
	p, err := engine.Compile(context.Background(), m.source())
	if err != nil {
		t.Fatal(err)
	}
	view := p.View()
	env, ls := listing.NewEnv(view), &listing.Sources{}
	for _, f := range view.Mod.Funcs() {
		if f == nil || !strings.Contains(f.Name, "gyrBenchLoop") && !strings.Contains(f.Name, "main.") {
			continue
		}
		var b bytes.Buffer
		if err := listing.Asm(&b, view, f, env, ls, listing.AsmOptions{Syntax: "intel"}); err != nil {
			t.Fatal(err)
		}
		fmt.Println(f.String())
		fmt.Println(b.String())
	}
}

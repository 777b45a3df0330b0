package listing_test

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/amd64"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/engine"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
	"github.com/gyrvm/gyr/internal/tools/listing"
)

const program = `package main

import (
	"fmt"
	"math"
	"math/bits"
)

func mix(x float64, a, b uint) float64 {
	return math.FMA(x, float64(a<<b), math.Copysign(float64(bits.RotateLeft(a&^b, 7)), x)) + float64(int(a)>>b)
}

func main() { fmt.Println(mix(1, 2, 3)) }
`

func compileText(t *testing.T, text string, o engine.Observer) engine.View {
	t.Helper()
	src := engine.Source{Patterns: []string{writeFile(t, "main.go", text)}}
	src.Observer, src.NoBase = o, true // passes over the standard library are of interest, too
	p, err := engine.Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return p.View()
}

var unread = regexp.MustCompile(`(?m)^  [0-9a-f]{4}  \.byte`)

// Every instruction of the compiler can be disassembled in every syntax, and code is the same with
// and without notes.
func TestAsmReadsEverything(t *testing.T) {
	view := compileText(t, program, engine.Observer{})
	env, src := listing.NewEnv(view), &listing.Sources{}
	n := 0
	for i, f := range view.Mod.Funcs() {
		if f == nil || !strings.HasPrefix(f.Name, "main.") && i%4 != 0 {
			continue
		}
		var b bytes.Buffer
		o := listing.AsmOptions{Syntax: listing.Syntaxes[n%len(listing.Syntaxes)]}
		if err := listing.Asm(&b, view, f, env, src, o); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if b.Len() == 0 {
			continue
		}
		n++
		if unread.Match(b.Bytes()) {
			t.Fatalf("unread:\n%s", b.String())
		}
		noted, err := plan.Compile(amd64.CPU{}, f, env)
		if err != nil {
			t.Fatal(err)
		}
		plain := *env
		plain.Notes = false
		c, err := plan.Compile(amd64.CPU{}, f, &plain)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.Code, noted.Code) || len(c.Notes) != 0 {
			t.Fatalf("%s: notes change the code", f.Name)
		}
	}
	t.Logf("%d functions", n)
}

// Calls of routines have the names of their operations.
func TestAsmNamesRoutines(t *testing.T) {
	view := compileText(t, "package main\n\nimport \"os\"\n\nfunc main() {\n\tb := make([]byte, 100)\n\tcopy(b, os.Args[0])\n\tprintln(string(b[:5]))\n}\n", engine.Observer{})
	for _, f := range view.Mod.Funcs() {
		if f == nil || f.Name != "main.main" {
			continue
		}
		var b bytes.Buffer
		if err := listing.Asm(&b, view, f, listing.NewEnv(view), &listing.Sources{}, listing.AsmOptions{Syntax: listing.Syntaxes[0]}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "routine.moven ") {
			t.Errorf("no routine in\n%s", &b)
		}
	}
}

package main

import (
	"context"
	"fmt"
	"os"
"sort"
"strings"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/load"
	"github.com/gyrvm/gyr/internal/lower"
)

func main() {
	t := time.Now()
	p, err := load.Load(context.Background(), load.Config{Patterns: os.Args[2:], Unsafe: true})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("load", time.Since(t))
	t = time.Now()
	m, err := lower.Program(p)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("lower", time.Since(t), len(m.Funcs), len(m.Data), m.BSS)
	n := 0
	for _, f := range m.Funcs[1:] {
		n += f.NumValues()
		if err := ir.Verify(f); err != nil {
			fmt.Println(f.Name, err)
		}
	}
	fmt.Println("values", n); top(m)
	if err := ir.VerifyModule(m); err != nil {
		fmt.Println(err)
	}
}

func init() { top = func(m *ir.Module) {
	fs := append([]*ir.Func(nil), m.Funcs[1:]...)
	sort.Slice(fs, func(i, j int) bool { return fs[i].NumValues() > fs[j].NumValues() })
	stubs := 0
	for _, f := range fs { if strings.HasPrefix(f.Name, "reflect.pack") || strings.HasPrefix(f.Name, "reflect.unpack") { stubs += f.NumValues() } }
	fmt.Println("stubs", stubs, len(m.Shapes))
	for _, f := range fs[:15] { fmt.Println(f.NumValues(), f.Name) }
} }
var top func(*ir.Module)

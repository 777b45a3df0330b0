package gyr_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// TestOutOfGasNamesTheLine stops a program after every unit of its gas: the
// line of the charge that failed is named, whatever charges are made at once.
func TestOutOfGasNamesTheLine(t *testing.T) {
	src := strings.TrimPrefix(`
package main

var sink int

func main() {
	x, y := 40, 7
	for i := range 3 {
		x = work(x+i, y)
	}
	sink = x
}

//go:noinline
func work(x, y int) int {
	a := x / y
	b := a * x
	c := b % y
	if c > 3 {
		return a / 3
	}
	return b / 5 * c
}
`, "\n")
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	var reference []int
	for _, nopass := range [][]string{nil, {"phaseb"}} {
		p, err := gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}, NoPass: nopass})
		if err != nil {
			t.Fatal(err)
		}
		var lines []int
		for limit := int64(1); ; limit++ {
			in, err := p.NewInstance(gyr.Config{Gas: limit})
			if err != nil {
				t.Fatal(err)
			}
			err = in.Run(context.Background())
			used := in.Stats().Gas
			in.Close()
			if err == nil {
				break
			}
			var out *gyr.OutOfGasError
			if !errors.As(err, &out) || used != limit {
				t.Fatalf("limit %d: %v, %d used", limit, err, used)
			}
			lines = append(lines, out.Line)
		}
		if reference == nil {
			reference = lines
		}
		seen := map[int]bool{}
		for i, line := range lines {
			seen[line] = true
			if line != reference[i] {
				t.Fatalf("without %v unit %d is charged on line %d, else %d", nopass, i+1, line, reference[i])
			}
		}
		// Which lines have operations behind them.
		for _, line := range []int{8, 10, 15, 16, 17, 18, 19, 21} {
			if !seen[line] {
				t.Errorf("without %v no unit is charged on line %d: %v", nopass, line, lines)
			}
		}
	}
}

package main

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestTable: every program of programs/ has a row, every row a program.
func TestTable(t *testing.T) {
	dirs, err := filepath.Glob("../../../programs/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, p := range programs {
		have = append(have, p.name)
	}
	for _, d := range dirs {
		want = append(want, filepath.Base(filepath.Dir(d)))
	}
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("rows %v, programs %v", have, want)
	}
	for _, name := range core {
		if !slices.Contains(have, name) {
			t.Errorf("no row %s", name)
		}
	}
}

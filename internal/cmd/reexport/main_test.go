package main

import (
	"bytes"
	"os"
	"testing"
)

// TestFresh: reexport.go is the generator's current output for package api.
func TestFresh(t *testing.T) {
	want, err := generate("../../../api")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../reexport.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("reexport.go is stale: run go generate .")
	}
}

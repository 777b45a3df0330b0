package amd64

import (
	"slices"
	"strings"
	"testing"
)

// TestMissing: the error names the features that a processor lacks, and it gets no code.
func TestMissing(t *testing.T) {
	had := make([]bool, len(needed))
	for i, f := range needed {
		had[i] = *f.has
		defer func() { *f.has = had[i] }()
		*f.has = true
	}
	if (CPU{}).Missing() != "" {
		t.Errorf("with all extensions %q is missing", CPU{}.Missing())
	}
	var all []string
	for _, f := range needed {
		*f.has = false
		if (CPU{}).Missing() != f.name {
			t.Errorf("without %s, %q is missing", f.name, CPU{}.Missing())
		}
		*f.has = true
		all = append(all, f.name)
	}
	for _, f := range needed {
		*f.has = false
	}
	if got := strings.Split(CPU{}.Missing(), ", "); !slices.Equal(got, all) {
		t.Errorf("without all of them %q are missing", got)
	}
}

package release

import (
	"go/version"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for v, minor := range map[string]int{
		"go1.26": 26, "go1.26.8": 26, "go1.26rc1": 26, "go1.27.4": 27, "go1.27": 27,
		"go1.25.3": 0, "go1.260": 0, "go1.28": 0, "devel": 0, "": 0, "1.26": 0,
	} {
		if r := Of(v); (r == nil) != (minor == 0) || r != nil && (r.Minor != minor || r != OfMinor(minor)) {
			t.Errorf("Of(%q) = %v, want minor release %d", v, r, minor)
		}
	}
	if OfModule(0) != Oldest() || OfModule(27).Minor != 27 {
		t.Error("OfModule")
	}
}

// TestCheck: releases up to the one that built this test are served, in order, and the error for
// another release names them.
func TestCheck(t *testing.T) {
	for _, r := range all {
		served := version.Compare(r.Name(), version.Lang(runtime.Version())) <= 0
		got, err := Check(r.Name() + ".1")
		if served != (err == nil && got == r) {
			t.Errorf("Check(%s.1): %v, %v", r.Name(), got, err)
		}
		if !served && !strings.Contains(err.Error(), "GOTOOLCHAIN="+r.Name()+".0 go install ") {
			t.Errorf("%s: no cure in %v", r.Name(), err)
		}
	}
	if _, err := Check("go1.25.3"); err == nil || err.Error() != "this gyr runs "+Names() {
		t.Error(err)
	}
}

// TestCure: a newer release needs another gyr, an older one another installation.
func TestCure(t *testing.T) {
	list := Served()
	newest := list[len(list)-1].Name()
	for v, want := range map[string]string{
		"go1.25.3": "GOROOT= GOTOOLCHAIN=" + newest + ".0 go env GOROOT ", "": "GOROOT= GOTOOLCHAIN=" + newest + ".0 go env GOROOT ", "devel": "GOROOT= GOTOOLCHAIN=" + newest + ".0 go env GOROOT ",
		"go1.26": "GOROOT= GOTOOLCHAIN=go1.26.0 go env GOROOT ", "go1.26.1": "GOROOT= GOTOOLCHAIN=go1.26.1 go env GOROOT ", "go1.99": "go install github.com/gyrvm/gyr/cmd/gyr@latest ", "go1.99.1": "go install ",
	} {
		if got := Cure(v); !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("Cure(%q) = %s, want %s", v, got, want)
		}
	}
	for _, r := range all {
		if !slices.Contains(list, r) && !strings.HasPrefix(Cure(r.Name()), "GOTOOLCHAIN="+r.Name()+".0 go install ") {
			t.Error(Cure(r.Name()))
		}
		if OfState(r.InStates) != r {
			t.Errorf("OfState(%q)", r.InStates)
		}
	}
	if OfState("go1.99") != nil {
		t.Error("OfState")
	}
}

func TestEach(t *testing.T) {
	calls := 0
	f := Each(func(r *Release) int { calls++; return r.Minor })
	for range 2 {
		for _, r := range all {
			if f(r) != r.Minor {
				t.Error(r.Name())
			}
		}
	}
	if calls != len(all) {
		t.Errorf("%d calls for %d releases", calls, len(all))
	}
}

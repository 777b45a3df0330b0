package vet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/release"
)

// A Flag is a flag of cmd/vet.
type Flag struct {
	Name  string
	Bool  bool
	Usage string
}

// Analyzer reports whether the flag selects the analyzer of the same name.
func (f *Flag) Analyzer() bool {
	return f.Bool && strings.ReplaceAll(f.Usage, `"`, "") == "enable "+f.Name+" analysis" // quoted since Go 1.27
}

// Chooses reports whether the flag affects the findings: it selects an analyzer, belongs to an
// analyzer, or is an older name of such a flag. The other flags are about how cmd/vet works.
func (f *Flag) Chooses() bool {
	return f.Analyzer() || strings.Contains(f.Name, ".") || f.canonical() != f.Name
}

// canonical returns the flag's current name.
func (f *Flag) canonical() string {
	if name, ok := strings.CutPrefix(f.Usage, "deprecated alias for -"); ok {
		return name
	}
	return f.Name
}

// Flags returns the flags of cmd/vet, which the guest reports itself.
func (v *Vetter) Flags(ctx context.Context) (list []Flag, err error) {
	name := cache.NameOf(append([]string{"vet flags"}, v.parts...))
	if v.dir != nil {
		if data, err := v.dir.Get(name); data != nil && err == nil && json.Unmarshal(data, &list) == nil {
			return list, nil
		}
	}
	list, err = v.suite.flags(ctx)
	if data, e := json.Marshal(list); err == nil && e == nil && v.dir != nil {
		v.note(v.dir.Put(name, data))
	}
	return list, err
}

// A Choice collects flags of cmd/vet from a command line.
type Choice struct{ set []*chosen }

// A chosen is a flag of cmd/vet on a command line: a flag.Value.
type chosen struct {
	flag  Flag
	of    *Choice
	value string
}

// Flag returns a flag.Value that collects a flag.
func (c *Choice) Flag(f Flag) interface {
	String() string
	Set(string) error
} {
	return &chosen{flag: f, of: c}
}

func (x *chosen) String() string { return x.value }

// IsBoolFlag tells package flag whether the flag needs no value.
func (x *chosen) IsBoolFlag() bool { return x.flag.Bool }

func (x *chosen) Set(s string) error {
	if x.flag.Bool {
		on, err := strconv.ParseBool(s)
		if err != nil {
			return err
		}
		s = strconv.FormatBool(on)
	}
	x.value = s
	x.of.set = slices.DeleteFunc(x.of.set, func(y *chosen) bool { return y.flag.canonical() == x.flag.canonical() })
	x.of.set = append(x.of.set, x)
	return nil
}

// Flags returns the chosen flags, in an order that does not depend on the command line's.
func (c *Choice) Flags() (list []string) {
	for _, x := range c.set {
		list = append(list, fmt.Sprintf("-%s=%s", x.flag.canonical(), x.value))
	}
	slices.Sort(list)
	return list
}

// Usual returns the sorted names of the analyzers that go test of a release runs before tests.
func Usual(r *release.Release) []string {
	list := append([]string{"atomic", "bools", "buildtag", "directive", "errorsas", "ifaceassert", "nilfunc", "printf", "slog", "stringintconv", "tests"},
		r.TestAnalyzers...)
	slices.Sort(list)
	return list
}

// UsualForTest chooses the usual analyzers for an installation, which gomod.FindGo finds. Without
// an installation New reports the error.
func UsualForTest(goroot string) *ForTest {
	f := &ForTest{}
	if _, version, err := gomod.FindGo(goroot); err == nil {
		for _, name := range Usual(release.Of(version)) {
			f.Flags = append(f.Flags, "-"+name)
		}
	}
	return f
}

// ForTest names the analyzers that gyr test runs before tests.
type ForTest struct {
	Flags []string
	Asked bool // the user asked for it, so it is an error if it cannot be done
}

// New returns a Vetter for gyr test. If the user did not ask for it, New returns nil in two cases:
// there is no Go installation, or the analysis would take long because without a cache it repeats
// all of std.
func (f *ForTest) New(o Options) (*Vetter, error) {
	o.Flags = f.Flags
	v, err := New(o)
	if none := (*NoGoError)(nil); errors.As(err, &none) && !f.Asked {
		return nil, nil
	}
	if err == nil && v.dir == nil && !f.Asked {
		return nil, nil
	}
	return v, err
}

// ChooseForTest parses the value of -vet: all, or a list of analyzers.
func (v *Vetter) ChooseForTest(ctx context.Context, value string) (*ForTest, error) {
	f := &ForTest{Asked: true}
	if value == "all" {
		return f, nil
	}
	known, err := v.Flags(ctx)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(value, ",") {
		i := slices.IndexFunc(known, func(f Flag) bool { return f.Name == name && f.Chooses() && f.Bool })
		if i < 0 {
			return nil, &UnknownError{value, name}
		}
		f.Flags = append(f.Flags, "-"+known[i].canonical())
	}
	slices.Sort(f.Flags)
	return f, nil
}

// An UnknownError says that a value of -vet names an unknown analyzer.
type UnknownError struct{ Value, Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("invalid value %q for flag -vet: -vet argument must be a supported analyzer or a distinguished value; found %s",
		e.Value, e.Name)
}

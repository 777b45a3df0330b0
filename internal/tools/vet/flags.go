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

// Analyzer reports whether the flag chooses the analyzer of that name.
func (f *Flag) Analyzer() bool {
	return f.Bool && strings.ReplaceAll(f.Usage, `"`, "") == "enable "+f.Name+" analysis" // quoted since Go 1.27
}

// Chooses reports whether the flag decides what is looked for: it chooses an analyzer, is one of an analyzer's own, or is
// an older name of such a flag. The others are about how cmd/vet works.
func (f *Flag) Chooses() bool {
	return f.Analyzer() || strings.Contains(f.Name, ".") || f.canonical() != f.Name
}

// canonical returns the name that a flag has by now.
func (f *Flag) canonical() string {
	if name, ok := strings.CutPrefix(f.Usage, "deprecated alias for -"); ok {
		return name
	}
	return f.Name
}

// Flags returns the flags of cmd/vet, which knows them best.
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

// Flag returns the value of a flag for package flag.
func (c *Choice) Flag(f Flag) interface {
	String() string
	Set(string) error
} {
	return &chosen{flag: f, of: c}
}

func (x *chosen) String() string { return x.value }

// IsBoolFlag is for package flag.
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

// Flags returns what was chosen, in an order that does not depend on that of the command line.
func (c *Choice) Flags() (list []string) {
	for _, x := range c.set {
		list = append(list, fmt.Sprintf("-%s=%s", x.flag.canonical(), x.value))
	}
	slices.Sort(list)
	return list
}

// Usual are the names of the analyzers with which go test of a release looks at packages before their tests run, sorted.
func Usual(r *release.Release) []string {
	list := append([]string{"atomic", "bools", "buildtag", "directive", "errorsas", "ifaceassert", "nilfunc", "printf", "slog", "stringintconv", "tests"},
		r.TestAnalyzers...)
	slices.Sort(list)
	return list
}

// UsualForTest chooses them for an installation, which gomod.FindGo finds. If there is none New says so.
func UsualForTest(goroot string) *ForTest {
	f := &ForTest{}
	if _, version, err := gomod.FindGo(goroot); err == nil {
		for _, name := range Usual(release.Of(version)) {
			f.Flags = append(f.Flags, "-"+name)
		}
	}
	return f
}

// ForTest says with which analyzers gyr test looks at packages before their tests run.
type ForTest struct {
	Flags []string
	Asked bool // somebody asked for it, so it is an error if it cannot be done
}

// New returns a Vetter for gyr test. If nobody asked for it, it is nil where packages cannot be looked at, since there is no
// Go installation, or where that would take long: each time all of std without a cache.
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

// ChooseForTest reads the value of -vet: nothing, all, or a list of analyzers.
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

// An UnknownError says that a value of -vet names an analyzer that there is not.
type UnknownError struct{ Value, Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("invalid value %q for flag -vet: -vet argument must be a supported analyzer or a distinguished value; found %s",
		e.Value, e.Name)
}

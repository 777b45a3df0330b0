package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// compileVersion compiles a version of a library that upgrades another one, or none if before is
// nil.
func compileVersion(t testing.TB, before *gyr.Program, src string, noPass ...string) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: versionFS(src), Exports: true, Unsafe: gyr.UnsafeAll},
		&gyr.CompileOptions{State: true, Upgrades: before, Debug: gyr.CompileDebug{NoPass: noPass}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func versionFS(src string) fstest.MapFS {
	return fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(src)}}
}

// kept returns a state in a file.
func kept(t testing.TB, in *gyr.Instance) (state.Hash, gyr.Saved) {
	t.Helper()
	s, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := state.Write(&b, nil, &s.Tree, s.Sections, s.Page); err != nil {
		t.Fatal(err)
	}
	f, err := state.Read(&b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Root, f
}

// do calls a function that must succeed.
func do(t testing.TB, in *gyr.Instance, name string, args ...any) []any {
	t.Helper()
	out, err := in.Call(t.Context(), name, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// versionOne has something of everything that depends on the addresses of a program's types and
// functions: interfaces, maps keyed by them, types of reflection, function values with and without
// captures, method values, constants, initialised memory.
const versionOne = `package lib

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
)

type Account struct {
	Name    string
	Balance int
	Tags    []string
}

type Owner interface{ Owns() string }

func (a *Account) Owns() string { return a.Name }

type Firm string

func (f Firm) Owns() string { return "firm " + string(f) }

var (
	accounts = map[string]*Account{}
	owners   []Owner
	byOwner  = map[Owner]int{}
	byType   = map[reflect.Type]int{}
	fee      = 1
	price    = plain
	later    func() int
	held     any
	errs     []error
	levels   = []int{1, 2, 3}
	first    = &Account{Name: "zero"}
)

func plain(n int) int { return n + fee }

func helper() int { return 40 }

type Passing struct{ N int }

func Open(name string) error {
	if accounts[name] != nil {
		err := fmt.Errorf("account %s exists", name)
		errs = append(errs, err)
		return err
	}
	a := &Account{Name: name, Tags: []string{"new"}}
	accounts[name] = a
	owners = append(owners, a, Firm(name))
	for _, o := range owners {
		byOwner[o]++
		byType[reflect.TypeOf(o)]++
	}
	return nil
}

func Pay(name string, n int) int {
	accounts[name].Balance += price(n)
	levels[0]++
	first.Balance += n
	return accounts[name].Balance
}

func Keep(n int)          { later = func() int { return n + 1 } }
func KeepHelper()         { later = helper }
func KeepStatic()         { later = func() int { return 7 } }
func KeepMethod(n string) { f := accounts[n].Owns; held = f }
func Hold(n int)          { held = Passing{n} }
func HoldMade()           { held = reflect.New(reflect.SliceOf(reflect.TypeOf(int16(0)))).Interface() }
func HoldVar()            { held = &fee }
func Drop()               { held, later = nil, nil }
func Later() int          { return later() }
func Held() string        { return fmt.Sprintf("%T %v", held, held) }

func Report() string {
	var b strings.Builder
	names := make([]string, 0, len(accounts))
	for name := range accounts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%+v ", *accounts[name])
	}
	for _, o := range owners {
		fmt.Fprintf(&b, "%s %d %d ", o.Owns(), byOwner[o], byType[reflect.TypeOf(o)])
	}
	fmt.Fprint(&b, errs, levels, *first, fee)
	return b.String()
}
`

// change returns version one with replacements.
func change(t testing.TB, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(versionOne, pairs[i]) {
			t.Fatalf("no %q in version one", pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(versionOne)
}

const newDeclarations = `
type Receipt struct {
	Of    string
	Lines []Line
}

type Line struct{ N int }

func (l Line) Owns() string { return fmt.Sprint("line ", l.N) }

var (
	receipts map[string]*Receipt
	added    = "!"
	numbers  = []int{4, 5, 6}
)

func Another(name string) (string, error) {
	a := accounts[name]
	if a == nil {
		return "", fmt.Errorf("no account %s", name)
	}
	r := &Receipt{name, []Line{{a.Balance}}}
	if receipts == nil {
		receipts = map[string]*Receipt{}
	}
	receipts[name] = r
	var o Owner = r.Lines[0]
	owners = append(owners, o)
	byOwner[o] = numbers[1]
	byType[reflect.TypeOf(o)]++
	sort.SliceStable(r.Lines, func(i, j int) bool { return r.Lines[i].Owns() < r.Lines[j].Owns() })
	return fmt.Sprintf("%v %v%s", *r, o.Owns(), added), nil
}

`

// changedFunctions is a version with other functions, texts, types and variables before and after
// the old ones, and new uses of these.
func changedFunctions(t testing.TB) string {
	return change(t,
		"return n + fee", "if n < 0 {\n\t\tpanic(fmt.Sprint(\"negative: \", n))\n\t}\n\treturn 2*n + fee",
		"account %s exists", "there is an account named %q already",
		"func plain(", newDeclarations+"func plain(",
		"return 40", "return 41",
		"func Report(", "func Zero() int { return len(receipts) }\n\nfunc Report(")
}

// TestUpgrade: a version with other functions continues from a state of the previous version. The
// new functions replace the old ones even in variables that hold them. All instances that do so
// have equal roots, gas and results after each step: in any tier, with passes of phase B off, from
// a file and from a store, and restored in between. An instance that does not upgrade has another
// root, and gets an error.
func TestUpgrade(t *testing.T) {
	ctx := t.Context()
	one, oneWithout := compileVersion(t, nil, versionOne), compileVersion(t, nil, versionOne, "phaseb")
	two, without := compileVersion(t, one, changedFunctions(t)), compileVersion(t, oneWithout, changedFunctions(t), "phaseb")
	cfg := gyr.Config{Gas: 1 << 40, Memory: 64 << 20, Seed: 5}
	in := newInstance(t, one, cfg)
	for _, name := range []string{"ada", "bob", "cid"} {
		do(t, in, "Open", name)
		do(t, in, "Pay", name, 10)
	}
	if _, err := in.Call(ctx, "Open", "ada"); err == nil {
		t.Fatal("ada was opened twice")
	}
	do(t, in, "KeepHelper")
	do(t, in, "HoldVar")
	root, file := kept(t, in)
	stored := inStore(t, in)
	report := do(t, in, "Report")[0]

	steps := []struct {
		name string
		args []any
		want string // "": the result of the first one
	}{
		{"Report", nil, fmt.Sprint([]any{report}, nil)},
		{"Later", nil, "[41] <nil>"},
		{"Pay", []any{"ada", 10}, "[32] <nil>"},
		{"Open", []any{"ada"}, `[] there is an account named "ada" already`},
		{"Another", []any{"ada"}, "[{ada [{32}]} line 32!] <nil>"},
		{"Another", []any{"eve"}, "[] no account eve"},
		{"Zero", nil, "[1] <nil>"},
		{"Open", []any{"dan"}, "[] <nil>"},
		{"Held", nil, ""},
		{"Report", nil, ""},
	}
	var first []string
	for _, tier := range tiers() {
		if tier == gyr.TierNative && one.NativeError() != nil {
			continue
		}
		cfg.Tier = tier
		for name, p := range map[string]*gyr.Program{"": two, " without phase B": without} {
			for i, saved := range []gyr.Saved{file, stored} {
				name := fmt.Sprint(tier, name, ", ", []string{"file", "store"}[i])
				up, err := p.Upgrade(ctx, cfg, root, saved)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				defer func() { up.Close() }()
				var all []string
				for n, s := range steps {
					out, stats, err := up.CallWith(ctx, gyr.CallOptions{}, s.name, s.args...)
					got := fmt.Sprint(out, err)
					if s.want != "" && got != s.want {
						t.Errorf("%s: %s%v: %s\nwant %s", name, s.name, s.args, got, s.want)
					}
					st, saved := kept(t, up)
					all = append(all, fmt.Sprint(s.name, s.args, " ", got, " gas ", stats.Gas, " root ", st))
					if n%4 == 2*i { // from here on in another tier
						up.Close()
						if up, err = p.Restore(ctx, otherTier(cfg, p), st, saved); err != nil {
							t.Fatalf("%s: %v", name, err)
						}
					}
				}
				if first == nil {
					first = all
				} else if !slices.Equal(all, first) {
					t.Errorf("%s:\n%s\nthe first:\n%s", name, strings.Join(all, "\n"), strings.Join(first, "\n"))
				}
			}
		}
	}
	if still, _ := kept(t, in); strings.Contains(first[0], still.String()) {
		t.Error("one that did not upgrade has the same root")
	}
	up, err := two.Upgrade(ctx, cfg, root, file)
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	newRoot, newState := kept(t, up)
	for name, f := range map[string]func() (*gyr.Instance, error){
		"Restore of a new state by the old program": func() (*gyr.Instance, error) { return one.Restore(ctx, cfg, newRoot, newState) },
		"Restore of an old state by the new one":    func() (*gyr.Instance, error) { return two.Restore(ctx, cfg, root, file) },
		"Upgrade of what is new already":            func() (*gyr.Instance, error) { return two.Upgrade(ctx, cfg, newRoot, newState) },
		"Upgrade by a program that follows none":    func() (*gyr.Instance, error) { return one.Upgrade(ctx, cfg, root, file) },
		"Upgrade with other limits":                 func() (*gyr.Instance, error) { return two.Upgrade(ctx, gyr.Config{}, root, file) },
	} {
		if in, err := f(); in != nil || !errors.As(err, new(*gyr.StateError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A third version, and a node that has it as an image.
	three := compileVersion(t, two, strings.ReplaceAll(changedFunctions(t), "2*n + fee", "3*n + fee"))
	last, err := three.Upgrade(ctx, cfg, newRoot, newState)
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	do(t, last, "Another", "bob")
	if got := do(t, last, "Pay", "ada", 10); got[0] != 42 {
		t.Errorf("version three: %v", got)
	}
	image, err := gyr.Build(ctx, gyr.Source{FS: versionFS(strings.ReplaceAll(changedFunctions(t), "2*n + fee", "3*n + fee")), Exports: true},
		&gyr.CompileOptions{Upgrades: two})
	if err != nil {
		t.Fatal(err)
	}
	same, err := gyr.CompileImage(ctx, image, &gyr.CompileOptions{State: true})
	if err != nil {
		t.Fatal(err)
	}
	lastRoot, lastState := kept(t, last)
	if in, err := same.Restore(ctx, cfg, lastRoot, lastState); err != nil {
		t.Error(err)
	} else {
		in.Close()
	}
}

// otherTier is a configuration with the other tier, if there is one.
func otherTier(cfg gyr.Config, p *gyr.Program) gyr.Config {
	if cfg.Tier == gyr.TierInterp && p.NativeError() == nil {
		cfg.Tier = gyr.TierNative
	} else {
		cfg.Tier = gyr.TierInterp
	}
	return cfg
}

// inStore returns a state in a store.
func inStore(t testing.TB, in *gyr.Instance) gyr.Saved {
	t.Helper()
	s, err := store.New(store.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	st, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Commit(store.Change{Name: "a", Seq: 1, Tree: st.Tree, Sections: st.Sections, Page: st.Page}); err != nil {
		t.Fatal(err)
	}
	v, err := s.Open("a", 1)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestUpgradeRefuses: a part of the state that the new version does not have in the same form is
// named. A part that the state does not contain does not matter.
func TestUpgradeRefuses(t *testing.T) {
	ctx := t.Context()
	one := compileVersion(t, nil, versionOne)
	lib := "example.com/lib."
	cells := change(t, "func Keep(n int)          { later = func() int { return n + 1 } }",
		"type cell struct{ more, n int }\n\n//go:noinline\nfunc get(c *cell) int { return c.n }\n\nfunc Keep(n int) { c := &cell{n: n}; later = func() int { return get(c) } }")
	withCells := compileVersion(t, nil, cells)
	for _, c := range []struct {
		name   string
		source string
		calls  [][]any // before the state is taken
		want   string  // of the error; "": none
	}{
		{"the same", versionOne, nil, ""},
		{"a field's type", change(t, "Balance int", "Balance int32", ".Balance += n", ".Balance += int32(n)", "Balance += price(n)", "Balance += int32(price(n))", "return accounts[name].Balance", "return int(accounts[name].Balance)"), nil,
			"type " + lib + "Account: field Balance was int, is int32"},
		{"a new field", change(t, "	Balance int", "	Balance int\n	More string"), nil, "type " + lib + "Account: field More is new"},
		{"a field that is gone", change(t, "	Balance int\n	Tags    []string", "	Balance int", `, Tags: []string{"new"}`, ""), nil, "type " + lib + "Account: field Tags is gone"},
		{"the order of fields", change(t, "	Name    string\n	Balance int", "	Balance int\n	Name    string"), nil, "type " + lib + "Account: the order of its fields has changed"},
		{"a variable's type", change(t, "byOwner  = map[Owner]int{}", "byOwner  = map[Owner]int8{}"), nil, "variable " + lib + "byOwner: was map["},
		{"a type that is no struct", change(t, "type Firm string", "type Firm []byte", "byOwner[o]++", "_ = byOwner"), nil, "type " + lib + "Firm: was string, is []uint8"},
		{"an interface", change(t, "Owns() string }\n\nfunc (a", "Owns() string; Tell() int }\n\nfunc (Firm) Tell() int { return 1 }\n\nfunc (*Account) Tell() int { return 2 }\n\nfunc (a"), nil, "type " + lib + "Owner: was interface"},
		{"an initial value", change(t, "fee      = 1", "fee      = 2"), nil, "variable " + lib + "fee: its initial value has changed"},
		{"an initial value that is zero now", change(t, "fee      = 1", "fee      = 0"), nil, "its initial"},
		{"an initial element", change(t, "{1, 2, 3}", "{1, 2, 4}"), nil, "what a variable is initialised with, of type"},
		{"initialisation", change(t, "func helper", "func init() { levels = append(levels, 4) }\n\nfunc helper"), nil, "package example.com/lib: its initialisation has changed"},
		{"what initialisation calls", change(t, "var (\n", "var made = make5()\n\nvar (\n", "func helper", "func make5() map[int]int { return map[int]int{5: len(levels)} }\n\nfunc helper"), nil, "package example.com/lib: its initialisation"},
		{"a method more", change(t, "func helper", "func (a *Account) String() string { return a.Name }\n\nfunc helper"), nil, "type *" + lib + "Account"},
		{"another layer of std", change(t, `"sort"`, `"encoding/json"; "sort"`, "return 40", `b, _ := json.Marshal(40); return len(b)`), nil, "the standard library: was layer 0"},
		{"unsafe", change(t, `"sort"`, `"sort"; "unsafe"`, "return 40", `return int(unsafe.Sizeof(fee))`), nil, "imports unsafe"},
		{"a literal that is held", change(t, "return n + 1", "return n + 2"), [][]any{{"Keep", 1}}, "function example.com/lib.Keep.func1: has no name that only it has"},
		{"a literal that is not held any more", change(t, "return n + 1", "return n + 2"), [][]any{{"Keep", 1}, {"Drop"}}, ""},
		{"a literal that stays", change(t, "return 40", "return 41"), [][]any{{"Keep", 1}}, ""},
		{"a literal with other captures", change(t, "func() int { return n + 1 }", "func() int { n++; return n }"), [][]any{{"Keep", 1}}, "function example.com/lib.Keep.func1"},
		{"the type of what a literal captures", strings.Replace(cells, "more, n int", "n, more int", 1), [][]any{{"Keep", 1}}, "type " + lib + "cell: the order of its fields"},
		{"a static literal that is held", change(t, "return 7", "return 8"), [][]any{{"KeepStatic"}}, "function example.com/lib.KeepStatic.func1"},
		{"a static literal that is not", change(t, "return 7", "return 8"), nil, ""},
		{"another literal before it", change(t, "later = func() int { return 7 }", "f := func() int { return fee }; later = func() int { return 7 }; fee = f()"), [][]any{{"KeepStatic"}}, "function example.com/lib.KeepStatic.func1"},
		{"a function that is gone", change(t, "func helper() int { return 40 }", "func helper2() int { return 40 }", "later = helper", "later = helper2"), [][]any{{"KeepHelper"}}, "function example.com/lib.helper: is gone"},
		{"one with other parameters", change(t, "func helper() int { return 40 }", "func helper(n ...int) int { return 40 }", "later = helper", "later = func() int { return helper() }"), [][]any{{"KeepHelper"}}, "function example.com/lib.helper: is gone"},
		{"a method value of a method that has changed", change(t, "return a.Name", "return a.Name + a.Name"), [][]any{{"Open", "ada"}, {"KeepMethod", "ada"}}, "Owns-fm"},
		{"a type that is gone", change(t, "type Passing struct{ N int }", "type Other struct{ N int }", "Passing{n}", "Other{n}"), [][]any{{"Hold", 1}}, "type " + lib + "Passing: is gone, and memory refers to it"},
		{"a type that is gone and not held", change(t, "type Passing struct{ N int }", "type Other struct{ N int }", "Passing{n}", "Other{n}"), [][]any{{"Hold", 1}, {"Drop"}}, ""},
		{"a variable that is gone", change(t, "fee      = 1\n", "", "n + fee", "n", "held = &fee", "held = &levels", "*first, fee)", "*first)"), [][]any{{"HoldVar"}}, "variable " + lib + "fee: is gone"},
		{"a variable that is gone and not held", change(t, "fee      = 1\n", "", "n + fee", "n", "held = &fee", "held = &levels", "*first, fee)", "*first)"), nil, ""},
		{"a type that reflection has made", change(t, "return 40", "any1 := any([]int16{int16(fee)}); return len(any1.([]int16))"), [][]any{{"HoldMade"}}, "type []int16: is new in the program, and reflection may have made it"},
		{"a type that reflection has made and dropped", change(t, "return 40", "any1 := any([]int16{int16(fee)}); return len(any1.([]int16))"), nil, ""},
		{"too much data", change(t, "return 40", "return len(`"+strings.Repeat("x", 300<<10)+"`[fee:])"), nil, "the data of the program: needs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := one
			if strings.Contains(c.source, "type cell ") {
				one = withCells
			}
			in := newInstance(t, one, gyr.Config{Tier: gyr.TierInterp})
			for _, x := range c.calls {
				do(t, in, x[0].(string), x[1:]...)
			}
			root, saved := kept(t, in)
			two := compileVersion(t, one, c.source)
			up, err := two.Upgrade(ctx, gyr.Config{Tier: gyr.TierInterp}, root, saved)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				do(t, up, "Report")
				up.Close()
				return
			}
			var wrong *gyr.ChangeError
			if up != nil || !errors.As(err, new(*gyr.StateError)) || !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
			// A plain Restore is refused in any case, with the same message about types.
			if up, err := two.Restore(ctx, gyr.Config{}, root, saved); up != nil || !errors.As(err, &wrong) {
				t.Errorf("Restore: %v", err)
			} else if strings.HasPrefix(c.want, "type ") && wrong.Why == "" && strings.Contains(c.want, " was ") && !strings.Contains(err.Error(), c.want) {
				t.Errorf("Restore: %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestUpgradeKeepsLayouts: an object of a layout that only optimisation of the earlier version made
// keeps its pointers, although the new version has more layouts.
func TestUpgradeKeepsLayouts(t *testing.T) {
	const lib = `package lib

import (
	"runtime"
	"strings"
)

var long = strings.Repeat("x", 1000)

var held func() string

// The closure has words of each variable instead of addresses.
func Keep(name string, n int) {
	a, b, c := name+long, name+long+"b", name+long+"c"
	list := []int{n, n, n}
	held = func() string { return strings.Repeat(a+b+c, n-list[1]+1) }
}

func Fill() {
	runtime.GC()
	for range 20000 {
		filled = []byte(strings.Repeat("y", 1000))
	}
}

var filled []byte

func Held() string { return held() }
`
	one := compileVersion(t, nil, lib)
	in := newInstance(t, one, gyr.Config{})
	do(t, in, "Keep", "name ", 5)
	want := do(t, in, "Held")
	root, saved := kept(t, in)
	two := compileVersion(t, one, lib+`
type odd struct {
	a [30]int
	p *int
	b [10]int
	q *odd
}

var odds *odd

func More() { odds = &odd{q: odds} }
`)
	up, err := two.Upgrade(t.Context(), gyr.Config{}, root, saved)
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	do(t, up, "More")
	do(t, up, "Fill")
	if got := do(t, up, "Held"); got[0] != want[0] {
		t.Errorf("after the upgrade %.100q, want %.100q", got[0], want[0])
	}
}

// TestUpgradeBringsMaps: the first function with a map among its parameters and results comes with an
// upgrade. Such values need something of the guest's heap, which an upgraded instance has at another
// address than the program's start; so its state is restored with that address.
func TestUpgradeBringsMaps(t *testing.T) {
	const lib = "package lib\n\nvar items = map[string]int64{}\n\nfunc Set(name string, n int64) { items[name] = n }\n"
	one := compileVersion(t, nil, lib)
	in := newInstance(t, one, gyr.Config{})
	do(t, in, "Set", "tea", int64(7))
	root, saved := kept(t, in)
	two := compileVersion(t, one, lib+"\nfunc All() map[string]int64 { return items }\n\nfunc Any() any { return items }\n")
	next, err := two.Upgrade(t.Context(), gyr.Config{}, root, saved)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()
	root, saved = kept(t, next)
	restored, err := two.Restore(t.Context(), gyr.Config{}, root, saved)
	if err != nil {
		t.Fatal(err)
	}
	defer restored.Close()
	for _, f := range []string{"All", "Any"} {
		want := do(t, next, f)
		if got := do(t, restored, f); fmt.Sprint(got) != fmt.Sprint(want) || !strings.Contains(fmt.Sprint(got), "tea:7") {
			t.Errorf("%s: %v, want %v", f, got, want)
		}
	}
}

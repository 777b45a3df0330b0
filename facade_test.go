package gyr

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// TestSettingsArrive gives each field of Source and Config a value in turn, and holds that the engine is told of it.
func TestSettingsArrive(t *testing.T) {
	check := func(name string, field reflect.Value, zero any, told func() any) {
		t.Helper()
		field.Set(someValue(t, field.Type()))
		if got := told(); reflect.DeepEqual(got, zero) {
			t.Errorf("%s does not reach the engine", name)
		}
	}
	for i := range exported[Source]() {
		var src Source
		v := reflect.ValueOf(&src).Elem()
		check("Source."+v.Type().Field(i).Name, v.Field(i), engine.Source{}, func() any { return src.engine() })
	}
	for i := range exported[Config]() {
		var cfg Config
		v := reflect.ValueOf(&cfg).Elem()
		check("Config."+v.Type().Field(i).Name, v.Field(i), engine.Config{}, func() any {
			c, err := cfg.engine()
			if err != nil {
				t.Error(err)
			}
			return c
		})
	}
}

// exported returns the indices of the exported fields of a struct.
func exported[T any]() iter.Seq[int] {
	return func(yield func(int) bool) {
		typ := reflect.TypeFor[T]()
		for i := range typ.NumField() {
			if typ.Field(i).IsExported() && !yield(i) {
				return
			}
		}
	}
}

// notOffered are the settings of a run that embedders have no field for, with why.
var notOffered = map[string]string{
	"Context": "Instance.Run has it", "Stop": "it is gyr test's", "Accounts": "they are gyr test's",
	"Fuzz": "it is gyr test's", "Observer": "it is that of filetests", "Seen": "it is gyr test's", "MaxFiles": "the default",
	"Watch": "the engine decides", "HostFuncs": "Source.Host has them", "Types": "of the program", "Debug": "package gyrdev has them",
}

// TestSettingsAreOffered: what the engine can be told of a run, a Config can say.
func TestSettingsAreOffered(t *testing.T) {
	var all func(typ reflect.Type)
	all = func(typ reflect.Type) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Anonymous {
				all(f.Type)
				continue
			}
			_, offered := reflect.TypeFor[Config]().FieldByName(f.Name)
			if _, excused := notOffered[f.Name]; f.IsExported() && offered == excused {
				t.Errorf("%s of %s: Config has it: %v, there is a reason why not: %v", f.Name, typ, offered, excused)
			}
		}
	}
	all(reflect.TypeFor[engine.Config]())
}

// someValue is a value that is not the zero one.
func someValue(t *testing.T, typ reflect.Type) reflect.Value {
	switch typ {
	case reflect.TypeFor[*Base]():
		return reflect.ValueOf(&Base{&engine.Base{}})
	case reflect.TypeFor[*Program]():
		return reflect.ValueOf(&Program{&engine.Program{}})
	case reflect.TypeFor[*slog.Logger]():
		return reflect.ValueOf(slog.Default())
	case reflect.TypeFor[fs.FS]():
		return reflect.ValueOf(os.DirFS("."))
	}
	v := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Slice:
		v.Set(reflect.Append(v, someValue(t, typ.Elem())))
	case reflect.Struct:
		v.Field(0).Set(someValue(t, v.Field(0).Type()))
	case reflect.Func:
		v.Set(reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Interface:
		v.Set(reflect.ValueOf(os.Stdin))
	default:
		t.Fatalf("no value of type %s: add one", typ)
	}
	return v
}

// engineErrors are errors of the engine of all types that embedders know by another.
func engineErrors() []error {
	at := failure.Position{Func: "main.f", File: "main.go", Line: 3}
	inner := &wasi.HostPanicError{Method: "Write", Value: errors.New("x")}
	return []error{
		&rt.OutOfGasError{Limit: 5, Used: 4, Position: at}, &rt.MemoryLimitError{Limit: 1 << 20, Position: at},
		&rt.StackLimitError{Limit: 3 << 10, Position: at}, &rt.OutputLimitError{Limit: 3 << 10, Position: at},
		&rt.DeadlineError{Err: inner, Position: at},
		&rt.HostError{Op: "write", Err: inner, Position: at}, inner, &rt.ExitError{Code: 3}, &engine.GuestError{Func: "F", Text: "no"},
		&rt.ConfigError{Field: "Gas", Err: inner}, &engine.CompileError{Err: inner}, &engine.ImageError{Err: inner},
		&budget.Error{Limit: "Nesting", Max: 3, What: "an expression", Position: at, Column: 4},
		&rt.ReadOnlyError{Position: at}, &rt.MemoryFaultError{Class: rt.FaultLow, Position: at}, &rt.BufferError{Size: 3, Err: inner},
		&failure.Error{Stage: "lowering", Position: at, Value: inner, Stack: []byte("s")}, &wasi.HostPanicError{Method: "Read", Value: inner},
		&rt.PanicError{Value: "v", Frames: []rt.Position{at}, Position: at}, &rt.PanicError{Value: "v", Fatal: true},
		&engine.StateError{What: "root", Err: inner}, &engine.StateError{What: "program", Err: &engine.ChangeError{What: "type a.T", Field: "F", Was: "int", Is: "string"}}, &engine.TransactionError{Op: "Begin", Reason: "x", Err: inner}, &engine.CallError{Func: "F", Err: inner}, &engine.EndedError{Cause: inner}, &rt.OutOfGasError{Limit: 5, Used: 5, Position: at, Call: true},
		&rt.MemoryLimitError{Limit: 1 << 20, Call: true}, &rt.DeadlineError{Err: inner, Call: true}, &rt.ConfigError{Field: "CallOptions.Gas", Err: inner},
		&engine.ChangeError{What: "package a", Why: "x"}, &engine.HostPackageError{Path: "a", Err: inner}, &engine.StdError{Err: inner, Cure: "c"}, &engine.NeedsGoError{What: "w"},
	}
}

// parts are err and all errors that it wraps.
func parts(err error) (list []error) {
	list = append(list, err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			list = append(list, parts(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if inner != nil {
				list = append(list, parts(inner)...)
			}
		}
	}
	return list
}

// A several is a host's own way to join errors.
type several struct {
	name string
	list []error
}

func (e *several) Error() string        { return fmt.Sprint(e.name, e.list) }
func (e *several) Unwrap() []error      { return e.list }
func (e *several) Is(target error) bool { return target == fs.ErrPermission }

// A temporary error is a host's own that wraps another.
type temporary struct{ error }

func (e temporary) Unwrap() error   { return e.error }
func (e temporary) Temporary() bool { return true }

// TestPublicErrors: errors of the engine reach embedders as errors of this package, with the same text, wherever they stand
// in a chain or a tree, and what stands around them is found as before.
func TestPublicErrors(t *testing.T) {
	other := errors.New("another")
	ways := map[string]func(error) error{
		"alone":              func(err error) error { return err },
		"wrapped":            func(err error) error { return fmt.Errorf("gyr: more: %w", err) },
		"of the host's type": func(err error) error { return temporary{err} },
		"joined":             func(err error) error { return errors.Join(other, err) },
		"joined first":       func(err error) error { return errors.Join(err, other) },
		"two verbs":          func(err error) error { return fmt.Errorf("%w of %w", err, other) },
		"twice": func(err error) error {
			return fmt.Errorf("%w, %w", fmt.Errorf("first: %w", err), errors.Join(other, err))
		},
		"several": func(err error) error { return &several{"s", []error{nil, other, err, nil}} },
		"deep": func(err error) error {
			return fmt.Errorf("x: %w", errors.Join(other, temporary{fmt.Errorf("%w %w", other, &several{"t", []error{err}})}))
		},
	}
	seen := map[string]bool{}
	for _, err := range engineErrors() {
		alone := public(err)
		seen[fmt.Sprintf("%T", alone)] = true
		for name, way := range ways {
			err := way(err)
			got := public(err)
			if got.Error() != err.Error() {
				t.Errorf("%s: %T: text %q, want %q", name, err, got, err)
			}
			found := false
			for _, e := range parts(got) {
				if name := reflect.TypeOf(e).String(); strings.HasPrefix(name, "*rt.") || strings.HasPrefix(name, "*engine.") || strings.HasPrefix(name, "*wasi.") ||
					strings.HasPrefix(name, "*budget.") || strings.HasPrefix(name, "*failure.") {
					t.Errorf("%T: %s in the chain", err, name)
				}
				found = found || reflect.TypeOf(e) == reflect.TypeOf(alone)
			}
			if as := reflect.New(reflect.TypeOf(alone)); !found || !errors.As(got, as.Interface()) {
				t.Errorf("%s: %T is not found", name, alone)
			}
			if errors.Is(err, other) != errors.Is(got, other) || errors.Is(err, fs.ErrPermission) != errors.Is(got, fs.ErrPermission) || errors.Is(got, fs.ErrExist) {
				t.Errorf("%s: %T: what is joined with it is lost", name, err)
			}
			if list := new(*several); errors.As(err, list) != errors.As(got, list) {
				t.Errorf("%s: %T: the host's type is lost", name, err)
			}
			if x := new(interface{ Temporary() bool }); errors.As(err, x) != errors.As(got, x) {
				t.Errorf("%s: %T: a method is lost", name, err)
			}
			if as := new(*HostPanicError); errors.As(err, new(*wasi.HostPanicError)) != errors.As(got, as) {
				t.Errorf("%s: %T: what it wraps is lost", name, err)
			}
		}
	}
	for name := range errorTypes(t) {
		if made := map[string]bool{"MigrateError": true}; !seen["*gyr."+name] && !made[name] { // made by this package
			t.Errorf("no error of the engine becomes a *gyr.%s here", name)
		}
	}
	for _, err := range []error{
		nil, ErrBusy, fmt.Errorf("x: %w", ErrBusy), fs.ErrNotExist, errors.Join(ErrBusy, other), &several{}, &several{"s", []error{nil, other}}, temporary{other},
		fmt.Errorf("%w %w", ErrBusy, &ExitError{3}),
	} {
		if got := public(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
}

// errorTypes are the exported error types of this package's files.
func errorTypes(t *testing.T) map[string]bool {
	names := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.Name == "Error" && f.Name.Name == "gyr" && !strings.HasSuffix(name, "_test.go") {
				if typ, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok && ast.IsExported(typ.X.(*ast.Ident).Name) {
					names[typ.X.(*ast.Ident).Name] = true
				}
			}
		}
	}
	return names
}

// TestNoAliases: types of this package are its own, so that go doc shows their fields and %T their names.
func TestNoAliases(t *testing.T) {
	for _, v := range []any{
		Source{}, Limits{}, CompileStats{}, Config{}, Dir{}, Stats{}, Progress{}, CoverBlock{}, LineGas{}, Position{}, BaseConfig{}, BaseStats{}, LayerStats{}, Diagnostic{},
		Tier(""), Profile(0), CallOptions{}, CallStats{},
		Program{}, Instance{}, Base{}, Func[int, int]{}, CompileError{}, ImageError{}, CompileLimitError{}, InternalError{}, OutOfGasError{},
		MemoryLimitError{}, MemoryFaultError{}, StackLimitError{}, OutputLimitError{}, DeadlineError{}, HostError{}, PanicError{}, HostPanicError{}, CallError{}, Export{}, Param{}, ExitError{}, GuestError{}, StdError{}, NeedsGoError{}, ConfigError{},
		Buffer{}, BufferError{}, ReadOnlyError{}, HostPackage{}, HostFunc{}, HostPackageError{}, TransactionError{}, State{}, StateError{}, ChangeError{}, Migration{}, MigrateError{},
	} {
		typ := reflect.TypeOf(v)
		if typ.PkgPath() != "github.com/gyrvm/gyr" {
			t.Errorf("%s is of %s", typ, typ.PkgPath())
		}
		if typ.Kind() != reflect.Struct {
			continue
		}
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && strings.Contains(f.Type.PkgPath(), "/internal/") {
				t.Errorf("%s.%s has type %s", typ, f.Name, f.Type)
			}
		}
	}
}

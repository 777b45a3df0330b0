package gyr

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
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
	"Watch": "the engine decides", "HostFuncs": "Source.Host has them", "Debug": "package gyrdev has them",
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

// TestPublicErrors: errors of the engine reach embedders as errors of this package, with the same text, wherever they stand
// in a chain.
func TestPublicErrors(t *testing.T) {
	at := failure.Position{Func: "main.f", File: "main.go", Line: 3}
	inner := &wasi.HostPanicError{Method: "Write", Value: errors.New("x")}
	for _, err := range []error{
		&rt.OutOfGasError{Limit: 5, Used: 4, Position: at}, &rt.MemoryLimitError{Limit: 1 << 20, Position: at},
		&rt.StackLimitError{Limit: 3 << 10, Position: at}, &rt.OutputLimitError{Limit: 3 << 10, Position: at},
		&rt.DeadlineError{Err: inner, Position: at},
		&rt.HostError{Op: "write", Err: inner, Position: at}, inner, &rt.ExitError{Code: 3}, &engine.GuestError{Func: "F", Text: "no"},
		&rt.ConfigError{Field: "Gas", Err: inner}, &engine.CompileError{Err: inner}, &engine.ImageError{Err: inner},
		&budget.Error{Limit: "Nesting", Max: 3, What: "an expression", Position: at, Column: 4},
		&rt.ReadOnlyError{Position: at}, &rt.MemoryFaultError{Class: rt.FaultLow, Position: at}, &rt.BufferError{Size: 3, Err: inner},
		&failure.Error{Stage: "lowering", Position: at, Value: inner, Stack: []byte("s")},
		&rt.PanicError{Value: "v", Frames: []rt.Position{at}, Position: at}, &rt.PanicError{Value: "v", Fatal: true},
		&engine.StateError{What: "root", Err: inner}, &engine.StateError{What: "program", Err: &engine.ChangeError{What: "type a.T", Field: "F", Was: "int", Is: "string"}}, &engine.TransactionError{Op: "Begin", Reason: "x", Err: inner}, &engine.CallError{Func: "F", Err: inner}, &engine.EndedError{Cause: inner}, &rt.OutOfGasError{Limit: 5, Used: 5, Position: at, Call: true},
		&rt.MemoryLimitError{Limit: 1 << 20, Call: true}, &rt.DeadlineError{Err: inner, Call: true}, &rt.ConfigError{Field: "CallOptions.Gas", Err: inner},
	} {
		for _, err := range []error{err, fmt.Errorf("gyr: more: %w", err)} {
			got := public(err)
			if got.Error() != err.Error() {
				t.Errorf("%T: text %q, want %q", err, got, err)
			}
			for e := got; e != nil; e = errors.Unwrap(e) {
				if name := fmt.Sprintf("%T", e); !strings.HasPrefix(name, "*gyr.") && !strings.HasPrefix(name, "*errors.") {
					t.Errorf("%T: %s in the chain", err, name)
				}
			}
			if err, ok := err.(interface{ Unwrap() error }); ok && errors.Is(err.Unwrap(), inner) && !errors.As(got, new(*HostPanicError)) {
				t.Errorf("%T: what it wraps is lost", err)
			}
		}
	}
	for _, err := range []error{nil, ErrBusy, fmt.Errorf("x: %w", ErrBusy), fs.ErrNotExist} {
		if got := public(err); got != err {
			t.Errorf("%v became %v", err, got)
		}
	}
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

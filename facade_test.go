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
)

// TestSettingsArrive sets each field of Source and of CompileOptions in turn, and checks that the
// engine gets it.
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
		check("Source."+v.Type().Field(i).Name, v.Field(i), engine.Source{}, func() any { return (*CompileOptions)(nil).engine(src, nil) })
	}
	for i := range exported[CompileOptions]() {
		var opts CompileOptions
		v := reflect.ValueOf(&opts).Elem()
		if v.Type().Field(i).Name == "Hooks" {
			continue // of package gyr: TestHooks
		}
		check("CompileOptions."+v.Type().Field(i).Name, v.Field(i), engine.Source{}, func() any { return opts.engine(Source{}, nil) })
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

// notOffered are the settings of a run without a field for embedders, with the reason.
var notOffered = map[string]string{
	"Context": "Instance.Run has it", "Stop": "it is gyr test's", "Accounts": "they are gyr test's",
	"Fuzz": "it is gyr test's", "Observer": "it is that of filetests", "Seen": "it is gyr test's", "MaxFiles": "the default",
	"World": "a child's", "Child": "a child's", "Starter": "the engine makes children",
	"Watch": "the engine decides", "HostFuncs": "CompileOptions.Host has them", "Types": "of the program", "Unsafe": "of the program",
}

// TestSettingsAreOffered checks that a Config has every setting of a run that the engine takes.
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

// someValue returns a value other than the zero value.
func someValue(t *testing.T, typ reflect.Type) reflect.Value {
	switch typ {
	case reflect.TypeFor[*Base]():
		return reflect.ValueOf(&Base{&engine.Base{}})
	case reflect.TypeFor[*Program]():
		return reflect.ValueOf(&Program{&engine.Program{}})
	case reflect.TypeFor[*slog.Logger]():
		return reflect.ValueOf(slog.Default())
	case reflect.TypeFor[*Hooks]():
		return reflect.ValueOf(&Hooks{})
	case reflect.TypeFor[map[string]Executable]():
		return reflect.ValueOf(map[string]Executable{"x": &Program{&engine.Program{}}})
	case reflect.TypeFor[map[string]string]():
		return reflect.ValueOf(map[string]string{"x": "y"})
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

// everyError returns an error of each type, with a wrapped error where it can have one.
func everyError() []error {
	at := Position{Func: "main.f", File: "main.go", Line: 3}
	inner := &HostPanicError{Method: "Write", Value: errors.New("x")}
	return []error{
		&OutOfGasError{Limit: 5, Used: 4, Position: at}, &MemoryLimitError{Limit: 1 << 20, Position: at},
		&StackLimitError{Limit: 3 << 10, Position: at}, &OutputLimitError{Limit: 3 << 10, Position: at},
		&DeadlineError{Err: inner, Position: at}, &HostError{Op: "write", Err: inner, Position: at}, inner, &ExitError{Code: 3},
		&GuestError{Func: "F", Text: "no"}, &EndedError{Cause: inner}, &ConfigError{Field: "Gas", Err: inner}, &CompileError{Err: inner}, &ImageError{Err: inner},
		&CompileLimitError{Limit: "Nesting", Max: 3, What: "an expression", Position: at, Column: 4},
		&ReadOnlyError{Position: at}, &MemoryFaultError{Class: FaultLow, Position: at}, &BufferError{Size: 3, Err: inner},
		&InternalError{Stage: "lowering", Position: at, Value: inner, Stack: []byte("s")},
		&PanicError{Value: "v", Frames: []Position{at}, Position: at}, &StateError{What: "root", Err: inner},
		&TransactionError{Op: "Begin", Reason: "x", Err: inner}, &CallError{Func: "F", Err: inner},
		&ChangeError{What: "package a", Why: "x"}, &HostPackageError{Path: "a", Err: inner}, &StdError{Err: inner, Cure: "c"},
		&NeedsGoError{What: "w", Err: inner}, &MigrateError{Func: "F", Err: inner},
	}
}

// A several is a host's own way to join errors.
type several struct {
	name string
	list []error
}

func (e *several) Error() string        { return fmt.Sprint(e.name, e.list) }
func (e *several) Unwrap() []error      { return e.list }
func (e *several) Is(target error) bool { return target == fs.ErrPermission }

// A temporary error is a host's own wrapper of another error.
type temporary struct{ error }

func (e temporary) Unwrap() error   { return e.error }
func (e temporary) Temporary() bool { return true }

// TestErrorsThroughJoins checks that errors.As finds an error of gyr through all wrappers and
// joins, and also finds what is joined with it.
func TestErrorsThroughJoins(t *testing.T) {
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
	for _, err := range everyError() {
		seen[reflect.TypeOf(err).Elem().Name()] = true
		for name, way := range ways {
			got := way(err)
			if as := reflect.New(reflect.TypeOf(err)); !errors.As(got, as.Interface()) || as.Elem().Interface() != any(err) {
				t.Errorf("%s: %T is not found", name, err)
			}
			if wraps := errors.Unwrap(err) != nil && reflect.TypeOf(errors.Unwrap(err)) == reflect.TypeFor[*HostPanicError](); wraps && !errors.As(got, new(*HostPanicError)) {
				t.Errorf("%s: %T: what it wraps is lost", name, err)
			}
			if strings.Contains(name, "join") && !errors.Is(got, other) {
				t.Errorf("%s: %T: what is joined with it is lost", name, err)
			}
		}
	}
	for name := range errorTypes(t) {
		if !seen[name] {
			t.Errorf("everyError has no %s", name)
		}
	}
}

// errorTypes returns the exported error types of packages gyr and api.
func errorTypes(t *testing.T) map[string]bool {
	names := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("api/*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, more...)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv != nil && d.Name.Name == "Error" && (f.Name.Name == "gyr" || f.Name.Name == "api") && !strings.HasSuffix(name, "_test.go") {
				if typ, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok && ast.IsExported(typ.X.(*ast.Ident).Name) {
					names[typ.X.(*ast.Ident).Name] = true
				}
			}
		}
	}
	return names
}

// TestPublicTypes checks that no type of this package, and no type of a field, belongs to an
// internal package.
func TestPublicTypes(t *testing.T) {
	for _, v := range []any{
		Source{}, Limits{}, CompileStats{}, Config{}, Dir{}, Stats{}, Progress{}, CoverBlock{}, LineGas{}, Position{}, BaseConfig{}, BaseStats{}, LayerStats{}, Diagnostic{},
		Tier(""), Profile(0), CallOptions{}, CallStats{},
		Program{}, Instance{}, Base{}, Func[int, int]{}, CompileError{}, ImageError{}, CompileLimitError{}, InternalError{}, OutOfGasError{},
		MemoryLimitError{}, MemoryFaultError{}, StackLimitError{}, OutputLimitError{}, DeadlineError{}, HostError{}, PanicError{}, HostPanicError{}, CallError{}, Export{}, Param{}, ExitError{}, GuestError{}, StdError{}, NeedsGoError{}, ConfigError{},
		Buffer{}, BufferError{}, ReadOnlyError{}, HostPackage{}, HostFunc{}, HostPackageError{}, TransactionError{}, State{}, StateError{}, ChangeError{}, Migration{}, MigrateError{},
	} {
		typ := reflect.TypeOf(v)
		if path := typ.PkgPath(); path != "github.com/gyrvm/gyr" && path != "github.com/gyrvm/gyr/api" {
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

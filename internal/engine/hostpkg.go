package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/hostpkg"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/gofunc"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// The highest prices of host functions, in units of gas.
const (
	MaxHostGas        = 1 << 40
	MaxHostGasPerByte = 1 << 20
)

// A fastFunc is a function of the host over two structs: see Fast.
type fastFunc struct {
	args, results reflect.Type
	new           func() (args, results []reflect.Value, call func(context.Context) error)
}

// Fast makes a function of the host from one over two structs. Their exported fields are the
// parameters and the results without a final error.
func Fast[A, R any](f func(ctx context.Context, args *A, results *R) error) any {
	return fastFunc{reflect.TypeFor[A](), reflect.TypeFor[R](), func() (args, results []reflect.Value, call func(context.Context) error) {
		v := &struct {
			args    A
			results R
		}{}
		// Both are structs: see fields.
		args, _, _ = fieldsOf(reflect.ValueOf(&v.args).Elem())
		results, _, _ = fieldsOf(reflect.ValueOf(&v.results).Elem())
		return args, results, func(ctx context.Context) error {
			var zero R
			v.results = zero
			return f(ctx, &v.args, &v.results)
		}
	}}
}

// A hostPackage is a HostPackage whose declaration and binding were compared.
type hostPackage struct {
	*hostpkg.Package
	first  int // the number of its first function
	error1 int // the number of its first sentinel
	errors []error
	source string
	funcs  []*rt.HostFunc
	sum    [sha256.Size]byte // hash of the source that it would have alone
}

// hostPackages reads and compares the declarations, sorted by path.
func hostPackages(list []api.HostPackage) ([]*hostPackage, error) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b api.HostPackage) int { return strings.Compare(a.Path, b.Path) })
	var out []*hostPackage
	next, nextError := 0, 0
	for i := range list {
		if i > 0 && list[i].Path == list[i-1].Path {
			return nil, &api.HostPackageError{Path: list[i].Path, Err: errors.New("it is declared twice")}
		}
		p, err := newHostPackage(&list[i], next, nextError)
		if err != nil {
			return nil, err
		}
		next, nextError = next+len(p.funcs), nextError+len(p.errors)
		out = append(out, p)
	}
	return out, nil
}

// HostStubs returns a declaration with bodies that panic.
func HostStubs(path, source string) ([]byte, error) {
	d, err := parseHost(path, source)
	if err != nil {
		return nil, err
	}
	return format.Source([]byte(d.Stubs()))
}

// parseHost reads a declaration.
func parseHost(path, source string) (*hostpkg.Package, error) {
	d, err := hostpkg.Parse(path, source)
	if err != nil {
		var e *hostpkg.Error
		if errors.As(err, &e) {
			err = errors.New(e.Msg)
		}
		return nil, &api.HostPackageError{Path: path, Err: err}
	}
	return d, nil
}

func newHostPackage(h *api.HostPackage, first, firstError int) (*hostPackage, error) {
	d, err := parseHost(h.Path, h.Source)
	if err != nil {
		return nil, err
	}
	p := &hostPackage{Package: d, first: first, error1: firstError}
	for _, name := range slices.Sorted(maps.Keys(h.Funcs)) {
		if d.Func(name) == nil {
			return nil, &api.HostPackageError{Path: h.Path, Func: name, Bound: fmt.Sprintf("%T", h.Funcs[name]), Err: errors.New("not declared")}
		}
	}
	sentinels := map[string]string{}
	var errs []error
	for _, name := range d.Errors {
		e := h.Errors[name]
		if e == nil {
			return nil, &api.HostPackageError{Path: h.Path, Func: name, Declared: "error", Err: errors.New("nothing is bound")}
		}
		sentinels[name] = e.Error()
		errs = append(errs, e)
	}
	for _, name := range slices.Sorted(maps.Keys(h.Errors)) {
		if !slices.Contains(d.Errors, name) {
			return nil, &api.HostPackageError{Path: h.Path, Func: name, Bound: "error", Err: errors.New("not declared")}
		}
	}
	p.errors = errs
	prices := map[string]hostpkg.Price{}
	for _, f := range d.Funcs {
		bound, ok := h.Funcs[f.Name]
		if !ok || bound == nil {
			return nil, &api.HostPackageError{Path: h.Path, Func: f.Name, Declared: d.Signature(f), Err: errors.New("nothing is bound")}
		}
		terms, ok := bound.(api.HostFunc)
		if !ok {
			terms = api.HostFunc{Func: bound}
		}
		fn, err := bindHost(d, f, &terms)
		if err != nil {
			what := fmt.Sprintf("%T", terms.Func)
			if ff, ok := terms.Func.(fastFunc); ok {
				what = fmt.Sprintf("a function over %s and %s", ff.args, ff.results)
			}
			return nil, &api.HostPackageError{Path: h.Path, Func: f.Name, Declared: d.Signature(f), Bound: what, Err: err}
		}
		fn.Name, fn.Path = d.Name+"."+f.Name, h.Path
		p.funcs = append(p.funcs, fn)
		prices[f.Name] = hostpkg.Price{Call: terms.Gas, PerByte: terms.GasPerByte}
	}
	l := hostpkg.Linked{First: first, FirstError: firstError, Price: func(name string) hostpkg.Price { return prices[name] }, Errors: sentinels}
	p.source = d.Link(l)
	l.First, l.FirstError = 0, 0
	p.sum = sha256.Sum256([]byte(d.Link(l)))
	return p, nil
}

// bindHost compares a declared function with what is bound, and completes the terms.
func bindHost(d *hostpkg.Package, f *hostpkg.Func, terms *api.HostFunc) (*rt.HostFunc, error) {
	switch {
	case terms.Free && (terms.Gas != 0 || terms.GasPerByte != 0):
		return nil, errors.New("it is free and has a price")
	case terms.Gas < 0 || terms.Gas > MaxHostGas:
		return nil, fmt.Errorf("a price of %d units: it has to be from 0 to %d", terms.Gas, int64(MaxHostGas))
	case terms.GasPerByte < 0 || terms.GasPerByte > MaxHostGasPerByte:
		return nil, fmt.Errorf("a price of %d units a byte: it has to be from 0 to %d", terms.GasPerByte, MaxHostGasPerByte)
	case !terms.Free && terms.Gas == 0 && terms.GasPerByte == 0:
		terms.Gas, terms.GasPerByte = api.DefaultHostGas, api.DefaultHostGasPerByte
	}
	fn := &rt.HostFunc{Fails: f.Fails, Callbacks: f.Callbacks(), Deterministic: terms.Deterministic, Borrows: terms.Borrows}
	var err error
	if fn.OnError, err = outcome(terms.OnError, f.Fails, f.Fails); err != nil {
		return nil, err
	}
	if fn.OnPanic, err = outcome(terms.OnPanic, f.Fails, false); err != nil {
		return nil, err
	}
	if fast, ok := terms.Func.(fastFunc); ok {
		if fn.Params, err = fieldTypes(fast.args); err == nil {
			fn.Results, err = fieldTypes(fast.results)
		}
		fn.New = fast.new
	} else {
		err = plainHost(terms.Func, fn)
	}
	if err != nil {
		return nil, err
	}
	if m := d.FitsFunc(f, fn.Params, fn.Results); m != nil {
		return nil, m
	}
	return fn, nil
}

func fieldTypes(t reflect.Type) ([]reflect.Type, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a struct", t)
	}
	_, types, err := fieldsOf(reflect.New(t).Elem())
	return types, err
}

// outcome returns the outcome of an error or panic in a function that returns an error (fails), or
// none.
func outcome(o api.Outcome, fails, byDefault bool) (rt.Outcome, error) {
	switch {
	case o == api.GuestFailure && !fails:
		return 0, errors.New("it cannot fail with an error of the guest: none is declared as the last result")
	case o == api.GuestFailure, o == api.DefaultOutcome && byDefault:
		return rt.GuestFails, nil
	case o == api.GuestPanic:
		return rt.GuestPanic, nil
	case o > api.GuestFailure:
		return 0, fmt.Errorf("outcome %d does not exist", o)
	}
	return rt.EndRun, nil
}

// plainHost prepares an ordinary function.
func plainHost(f any, fn *rt.HostFunc) error {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func || v.IsNil() {
		return errors.New("it is no function")
	}
	t := v.Type()
	first := 0
	if t.NumIn() > 0 && t.In(0) == reflect.TypeFor[context.Context]() {
		first = 1
	}
	for i := first; i < t.NumIn(); i++ {
		fn.Params = append(fn.Params, t.In(i))
	}
	n, fails := t.NumOut(), false
	if n > 0 && t.Out(n-1) == reflect.TypeFor[error]() {
		n, fails = n-1, true
	}
	for i := range n {
		fn.Results = append(fn.Results, t.Out(i))
	}
	call := v.Call
	if t.IsVariadic() {
		call = v.CallSlice
	}
	fn.New = func() (args, results []reflect.Value, run func(context.Context) error) {
		in := make([]reflect.Value, t.NumIn())
		for i := range in {
			in[i] = reflect.New(t.In(i)).Elem()
		}
		results = make([]reflect.Value, n)
		for i := range results {
			results[i] = reflect.New(t.Out(i)).Elem()
		}
		if prepared := gofunc.Prepare(v, in, results); prepared != nil {
			if first == 0 {
				return in, results, func(context.Context) error { return prepared() }
			}
			first := in[0].Addr().Interface().(*context.Context)
			return in[1:], results, func(ctx context.Context) error {
				*first = ctx
				err := prepared()
				*first = nil
				return err
			}
		}
		return in[first:], results, func(ctx context.Context) error {
			if first == 1 {
				in[0].Set(reflect.ValueOf(&ctx).Elem())
			}
			out := call(in)
			for i, r := range results {
				r.Set(out[i])
			}
			if fails {
				err, _ := out[n].Interface().(error)
				return err
			}
			return nil
		}
	}
	return nil
}

// hostOptions returns the packages in the loader's form.
func hostOptions(list []*hostPackage) (out []load.HostPackage) {
	for _, p := range list {
		out = append(out, load.HostPackage{Path: p.Path, Source: p.source})
	}
	return out
}

// hostModule lists for the module the host packages that the program imports.
func hostModule(list []*hostPackage, imported []string) (out []ir.HostPackage) {
	for _, p := range list {
		if slices.Contains(imported, p.Path) {
			out = append(out, ir.HostPackage{Path: p.Path, Sum: p.sum, First: p.first, Funcs: len(p.funcs),
				FirstError: p.error1, Errors: len(p.errors)})
		}
	}
	return out
}

// hostFuncs returns the functions of the packages that a module imports, by their numbers there. A
// module that was read may come from another host: the packages that it was compiled against must
// be those of this host.
func hostFuncs(m *ir.Module, list []*hostPackage) (funcs []*rt.HostFunc, sentinels []error, err error) {
	for i := range m.HostPackages {
		h := &m.HostPackages[i]
		k := slices.IndexFunc(list, func(p *hostPackage) bool { return p.Path == h.Path })
		switch {
		case k < 0:
			return nil, nil, &api.HostPackageError{Path: h.Path, Err: errors.New("the program imports it, and CompileOptions.Host does not supply it")}
		case list[k].sum != h.Sum || len(list[k].funcs) != h.Funcs || len(list[k].errors) != h.Errors:
			return nil, nil, &api.HostPackageError{Path: h.Path, Err: errors.New("the program was compiled with another declaration, other prices or other texts of errors")}
		}
		funcs = placed(funcs, h.First, list[k].funcs)
		sentinels = placed(sentinels, h.FirstError, list[k].errors)
	}
	return funcs, sentinels, nil
}

// placed puts values into a list, from an index on.
func placed[T any](list []T, at int, values []T) []T {
	var none T
	for len(list) < at+len(values) {
		list = append(list, none)
	}
	copy(list[at:], values)
	return list
}

// Nondeterministic lists the imported host functions that no HostFunc declares deterministic, as
// path.Name, sorted by package. The program's behaviour may depend on their answers.
func (p *Program) Nondeterministic() (names []string) {
	for _, f := range p.hostFuncs {
		if f != nil && !f.Deterministic {
			_, name, _ := strings.Cut(f.Name, ".")
			names = append(names, f.Path+"."+name)
		}
	}
	return names
}

package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

const hostValuesSource = `// Package db has functions whose values are of all kinds.
package db

import "time"

var ErrNotFound error
var ErrClosed error

// A Conn is an object of the host.
type Conn struct{ n uint64 }

// A Cursor is another.
type Cursor uint64

type Row struct {
	Key   string
	Cells map[string]any
	At    time.Time
	Took  time.Duration
	Err   error
	Next  *Row
}

func Open(name string) (Conn, error)
func Name(c Conn) string
func Rows(c Conn, n int) (Cursor, error)
func Next(c Cursor) (*Row, error)
func Echo(r *Row) (*Row, error)
func Errors(list []error, x any) ([]error, any)
func Check(err error) string
`

const hostValuesGuest = `package lib

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/host/db"
)

func Use() (string, error) {
	var b strings.Builder
	c, err := db.Open("main")
	if err != nil {
		return "", err
	}
	again, _ := db.Open("main")
	_, none := db.Open("none")
	fmt.Fprintln(&b, db.Name(c), c == again, none == db.ErrNotFound, errors.Is(none, db.ErrNotFound), errors.Is(none, db.ErrClosed), none)
	cur, err := db.Rows(c, 3)
	if err != nil {
		return "", err
	}
	for {
		r, err := db.Next(cur)
		if r == nil {
			fmt.Fprintln(&b, err)
			break
		}
		e, err := db.Echo(r)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&b, e.Key, e.Cells, e.At.Format(time.RFC3339), e.Took, e.Err, errors.Is(e.Err, db.ErrClosed), e.Next == nil)
	}
	mine := errors.New("mine")
	list, x := db.Errors([]error{db.ErrNotFound, fmt.Errorf("with text: %w", db.ErrClosed), nil, mine, errors.Join(db.ErrClosed, db.ErrNotFound)}, db.ErrNotFound)
	fmt.Fprintln(&b, len(list), list[0] == db.ErrNotFound, errors.Is(list[1], db.ErrClosed), list[1], list[2] == nil, list[3], list[3] == mine,
		errors.Is(list[4], db.ErrNotFound), errors.Is(list[4], db.ErrClosed), x == db.ErrNotFound)
	fmt.Fprintln(&b, db.Check(nil), db.Check(db.ErrClosed), db.Check(fmt.Errorf("x: %w", db.ErrNotFound)), db.Check(mine))
	return b.String(), nil
}

func Cyclic() error { r := &db.Row{}; r.Next = r; _, err := db.Echo(r); return err }

type chain struct{ next any }

func Shared() error {
	var x any = "leaf"
	for range 60 {
		x = []any{x, x}
	}
	_, y := db.Errors(nil, x)
	_ = y
	return nil
}

func Forged(n uint64) string { return db.Name(db.Conn{}) + string(rune('0'+n)) }
func Wrong(n uint64) (string, error) { r, err := db.Next(db.Cursor(n)); return fmt.Sprint(r), err }
`

func TestHostValues(t *testing.T) {
	notFound, closed := errors.New("db: not found"), errors.New("db: closed")
	type connection struct{ name string }
	type cursor struct{ left int }
	type row struct {
		Key   string
		Cells map[string]any
		At    time.Time
		Took  time.Duration
		Err   error
		Next  *row
	}
	main := &connection{"main"}
	var seen []error
	host := gyr.HostPackage{
		Path: "example.com/host/db", Source: hostValuesSource,
		Errors: map[string]error{"ErrNotFound": notFound, "ErrClosed": closed},
		Funcs: map[string]any{
			"Open": func(name string) (gyr.Handle[*connection], error) {
				if name != "main" {
					return gyr.Handle[*connection]{}, fmt.Errorf("open %s: %w", name, notFound)
				}
				return gyr.NewHandle(main), nil
			},
			"Name": func(c gyr.Handle[*connection]) string {
				if c.Value() == nil {
					return "nil"
				}
				return c.Value().name
			},
			"Rows": func(c gyr.Handle[*connection], n int) (gyr.Handle[*cursor], error) {
				return gyr.NewHandle(&cursor{n}), nil
			},
			"Next": func(c gyr.Handle[*cursor]) (*row, error) {
				x := c.Value()
				if x.left == 0 {
					return nil, io.EOF
				}
				x.left--
				return &row{fmt.Sprint("row", x.left), map[string]any{"n": x.left, "list": []any{1.5, "x", nil}}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("CET", 3600)),
					time.Minute, fmt.Errorf("in a row: %w", closed), nil}, nil
			},
			"Echo":   func(r *row) (*row, error) { return r, nil },
			"Errors": func(list []error, x any) ([]error, any) { seen = list; return list, x },
			"Check": func(err error) string {
				return fmt.Sprintf("%v:%v:%v;", err, errors.Is(err, notFound), errors.Is(err, closed))
			},
		},
	}
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(hostValuesGuest)}}, Exports: true},
		&gyr.CompileOptions{Host: []gyr.HostPackage{host}, Debug: gyr.CompileDebug{Verify: true}})
	if err != nil {
		t.Fatal(err)
	}
	const want = `main true false true false open none: db: not found
row2 map[list:[1.5 x <nil>] n:2] 2026-01-02T03:04:05+01:00 1m0s in a row: db: closed true true
row1 map[list:[1.5 x <nil>] n:1] 2026-01-02T03:04:05+01:00 1m0s in a row: db: closed true true
row0 map[list:[1.5 x <nil>] n:0] 2026-01-02T03:04:05+01:00 1m0s in a row: db: closed true true
EOF
5 true true with text: db: closed true mine false true true true
<nil>:false:false; db: closed:false:true; x: db: not found:true:false; mine:false:false;
`
	gas := int64(0)
	valuesIn(t, p, func(t *testing.T, in *gyr.Instance) {
		got := call(t, in, "Use")
		if got[0] != want {
			t.Errorf("%s, want %s", got[0], want)
		}
		if seen[0] != notFound || !errors.Is(seen[1], closed) || errors.Is(seen[1], notFound) || errors.Is(seen[3], closed) || !errors.Is(seen[4], notFound) || !errors.Is(seen[4], closed) {
			t.Errorf("the host has seen %v", seen)
		}
		if used := in.Stats().Gas; gas != 0 && gas != used {
			t.Errorf("gas %d, and %d in the other tier", used, gas)
		} else {
			gas = used
		}
		for name, c := range map[string]struct {
			args []any
			err  string
		}{
			"Cyclic": {nil, "contains itself"}, "Shared": {nil, "shares its parts"},
			"Wrong": {[]any{uint64(1)}, "handle 1 is a *embedding_test.connection, not a *embedding_test.cursor"},
		} {
			var stderr strings.Builder
			if err := in.Reset(gyr.Config{Gas: 1_000_000_000, Stderr: &stderr}); err != nil {
				t.Fatal(err)
			}
			call(t, in, "Use")
			if _, err := in.Call(context.Background(), name, c.args...); err == nil || !strings.Contains(stderr.String(), c.err) {
				t.Errorf("%s: %v, %s", name, err, stderr.String())
			}
		}
	})
}

// The charge for the bytes of a value does not depend on its direction.
func TestHostValuesArePaid(t *testing.T) {
	const price = 1 << 20
	type part struct {
		Name string
		Data []byte
		Tags map[string][]int32
		Any  any
		Err  error
		At   time.Time
		Next *part
	}
	x := &part{"name", make([]byte, 100), map[string][]int32{"a": {1, 2}, "bc": nil}, map[string]any{"x": []any{1, "two", 3.5, nil}},
		errors.New("an error"), time.Unix(1e9, 0), &part{Name: "next", Any: int8(1)}}
	take := func(x *part) {}
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(`package lib

import "example.com/host/paid"

var x *paid.Part

func Give() { x = paid.Give() }
func Take() { paid.Take(x) }
func Shared() (text string) {
	var a any = "leaf"
	for range 60 {
		a = []any{a, a}
	}
	defer func() { text = recover().(error).Error() }()
	paid.Take(&paid.Part{Any: a})
	return ""
}
`)}}, Exports: true}, &gyr.CompileOptions{Host: []gyr.HostPackage{{
		Path: "example.com/host/paid", Source: `package paid

import "time"

type Part struct {
	Name string
	Data []byte
	Tags map[string][]int32
	Any  any
	Err  error
	At   time.Time
	Next *Part
}

func Give() *Part
func Take(x *Part)
`,
		Funcs: map[string]any{
			"Give": gyr.HostFunc{Func: func() *part { return x }, GasPerByte: price},
			"Take": gyr.HostFunc{Func: take, GasPerByte: price},
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	valuesIn(t, p, func(t *testing.T, in *gyr.Instance) {
		call(t, in, "Give")
		given := in.Stats().Gas / price
		call(t, in, "Take")
		if taken := in.Stats().Gas/price - given; taken != given || given < 300 {
			t.Errorf("%d bytes given, %d taken", given, taken)
		}
		// A value that is refused is paid for as far as the host has looked at it.
		before := in.Stats().Gas / price
		if got := call(t, in, "Shared")[0].(string); !strings.Contains(got, "shares its parts") {
			t.Error(got)
		}
		if n := in.Stats().Gas/price - before; n < 1<<20 {
			t.Errorf("%d bytes were paid for", n)
		}
		if err := in.Reset(gyr.Config{Gas: 1000 * price}); err != nil {
			t.Fatal(err)
		}
		var out *gyr.OutOfGasError
		if _, err := in.Call(context.Background(), "Shared"); !errors.As(err, &out) {
			t.Errorf("%v", err)
		}
	})
}

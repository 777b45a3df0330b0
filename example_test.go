package gyr_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// A program is compiled once and runs within limits.
func Example() {
	ctx := context.Background()
	upload := fstest.MapFS{"main.go": {Data: []byte(`package main

import (
	"fmt"
	"os"
)

func main() { fmt.Println("hello,", os.Args[1]) }
`)}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Patterns: []string{"main.go"}, Limits: gyr.UntrustedLimits()}, nil)
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(ctx, gyr.Config{
		Args: []string{"gopher"}, Stdout: os.Stdout, Stderr: os.Stderr,
		Gas: 10_000_000, Memory: 32 << 20,
	})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: hello, gopher
}

// Errors of the program come as text and as data.
func ExampleCompile() {
	upload := fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() { fmt.Println(1) }\n")}}
	_, err := gyr.Compile(context.Background(), gyr.Source{FS: upload, Patterns: []string{"main.go"}}, nil)
	var refused *gyr.CompileError
	if errors.As(err, &refused) {
		for _, d := range refused.List() {
			fmt.Printf("line %d, column %d: %s\n", d.Line, d.Column, d.Text)
		}
	}
	// Output: line 3, column 15: undefined: fmt
}

// The error of a run names the limit that ended it.
func ExampleInstance_Run() {
	ctx := context.Background()
	upload := fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() {\n\tfor {\n\t}\n}\n")}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Patterns: []string{"main.go"}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(ctx, gyr.Config{Gas: 1_000_000})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	err = in.Run(ctx)
	var gas *gyr.OutOfGasError
	if errors.As(err, &gas) {
		fmt.Println(gas.Limit, gas.Position)
	}
	fmt.Println(err)
	// Output:
	// 1000000 main.main (main.go:3)
	// out of gas: limit of 1000000 units reached in main.main (main.go:3)
}

// A package of the host is declared in Go, and its functions are Go functions of the host.
func ExampleHostPackage() {
	ctx := context.Background()
	prices := map[string]int{"tea": 3}
	shop := gyr.HostPackage{
		Path: "example.com/shop",
		Source: `package shop

// Price returns the price of an item.
func Price(item string) (int, error)
`,
		Funcs: map[string]any{"Price": func(ctx context.Context, item string) (int, error) {
			if p, ok := prices[item]; ok {
				return p, nil
			}
			return 0, fmt.Errorf("no %s here", item)
		}},
	}
	upload := fstest.MapFS{"main.go": {Data: []byte(`package main

import (
	"fmt"

	"example.com/shop"
)

func main() {
	fmt.Println(shop.Price("tea"))
	fmt.Println(shop.Price("gold"))
}
`)}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Patterns: []string{"main.go"}},
		&gyr.CompileOptions{Host: []gyr.HostPackage{shop}})
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(ctx, gyr.Config{Stdout: os.Stdout})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 3 <nil>
	// 0 no gold here
}

// Rollback undoes as a whole what calls have changed since Begin.
func ExampleInstance_Begin() {
	ctx := context.Background()
	upload := fstest.MapFS{"bank.go": {Data: []byte(`package bank

var balance = 100

func Pay(n int) int { balance -= n; return balance }
`)}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Exports: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(ctx, gyr.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	var pay func(n int) (int, error)
	if err := in.Bind(ctx, "Pay", &pay); err != nil {
		log.Fatal(err)
	}
	if err := in.Begin(ctx); err != nil {
		log.Fatal(err)
	}
	if left, err := pay(130); err != nil || left < 0 {
		fmt.Println(left, err, "is refused:", in.Rollback())
	}
	fmt.Println(pay(30))
	// Output:
	// -30 <nil> is refused: <nil>
	// 70 <nil>
}

// A state is data: another instance goes on from it, on any machine.
func ExampleProgram_Restore() {
	ctx := context.Background()
	upload := fstest.MapFS{"counter.go": {Data: []byte("package counter\n\nvar n int\n\nfunc Next() int { n++; return n }\n")}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Exports: true}, &gyr.CompileOptions{State: true})
	if err != nil {
		log.Fatal(err)
	}
	first, err := p.NewInstance(ctx, gyr.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer first.Close()
	fmt.Println(first.Call(ctx, "Next"))
	s, err := first.State(ctx)
	if err != nil {
		log.Fatal(err)
	}
	second, err := p.Restore(ctx, gyr.Config{}, s.Root, s.Saved())
	if err != nil {
		log.Fatal(err)
	}
	defer second.Close()
	fmt.Println(second.Call(ctx, "Next"))
	// Output:
	// [1] <nil>
	// [2] <nil>
}

func ExampleInstance_Call() {
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"rule.go": {Data: []byte(`
package rule

import "strings"

func Shout(words ...string) (string, int) {
	s := strings.ToUpper(strings.Join(words, " "))
	return s, len(s)
}
`)}}, Patterns: []string{"rule.go"}, Exports: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(context.Background(), gyr.Config{Gas: 1_000_000, Memory: 16 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	results, err := in.Call(context.Background(), "Shout", []string{"hello", "gyr"})
	fmt.Println(results, err)
	// Output: [HELLO GYR 9] <nil>
}

func ExampleInstance_Bind() {
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"rule.go": {Data: []byte(`
package rule

import "errors"

type Order struct {
	Item  string
	Count int
}

func Price(o Order) (int, error) {
	if o.Count <= 0 {
		return 0, errors.New("nothing ordered")
	}
	return 3 * o.Count, nil
}
`)}}, Patterns: []string{"rule.go"}, Exports: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(context.Background(), gyr.Config{Gas: 1_000_000})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	type order struct {
		Item  string
		Count int
	}
	var price func(order) (int, error)
	if err := in.Bind(context.Background(), "Price", &price); err != nil {
		log.Fatal(err)
	}
	fmt.Println(price(order{"tea", 2}))
	fmt.Println(price(order{"tea", 0}))
	// Output:
	// 6 <nil>
	// 0 nothing ordered
}

func ExampleFuncOf() {
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"rule.go": {Data: []byte("package rule\n\nfunc Price(count, each int) int { return count * each }\n")}}, Patterns: []string{"rule.go"}, Exports: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	in, err := p.NewInstance(ctx, gyr.Config{Gas: 1_000_000})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	price, err := gyr.FuncOf[struct{ Count, Each int }, struct{ Total int }](ctx, in, "Price")
	if err != nil {
		log.Fatal(err)
	}
	total := 0
	for n := range 1000 {
		r, err := price.Call(ctx, struct{ Count, Each int }{n, 3})
		if err != nil {
			log.Fatal(err)
		}
		total += r.Total
	}
	fmt.Println(total)
	// Output: 1498500
}

func ExampleFunc_CallWith() {
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"rule.go": {Data: []byte(`package rule

func Sum(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}
`)}}, Patterns: []string{"rule.go"}, Exports: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	in, err := p.NewInstance(context.Background(), gyr.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	sum, err := gyr.FuncOf[struct{ N int }, struct{ Sum int }](ctx, in, "Sum")
	if err != nil {
		log.Fatal(err)
	}
	opts := gyr.CallOptions{Gas: 10_000, Memory: 1 << 20, Timeout: time.Second}
	r, stats, err := sum.CallWith(ctx, opts, struct{ N int }{1000})
	fmt.Println(r.Sum, stats.Gas, err)
	_, stats, err = sum.CallWith(ctx, opts, struct{ N int }{1_000_000})
	fmt.Println(stats.Gas, err)
	// Output:
	// 499500 1039 <nil>
	// 10000 out of gas: limit of 10000 units of the call reached in command-line-arguments.Sum (rule.go:5)
}

func ExampleProgram_Exports() {
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"rule.go": {Data: []byte(`package rule

type Order struct{ Count, Each int }

func Price(o Order) (int, error)  { return o.Count * o.Each, nil }
func Watch(prices chan<- int)     {}
func Max[T int | string](a, b T) T { return max(a, b) }
`)}}, Patterns: []string{"rule.go"}, Exports: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range p.Exports() {
		fmt.Println(e)
	}
	for _, e := range p.Uncallable() {
		fmt.Printf("%s: %s\n", e.Name, e.Refusal)
	}
	// Output:
	// func Price(o Order) (int, error)
	// Watch: parameter 0 (prices): chan<- int does not cross
	// Max: it is generic
}

// A program is built where Go is installed, and runs from its image elsewhere.
func ExampleBuild() {
	ctx := context.Background()
	source := fstest.MapFS{"main.go": {Data: []byte(`package main

import "fmt"

func main() { fmt.Println("hello from an image") }
`)}}
	data, err := gyr.Build(ctx, gyr.Source{FS: source, Patterns: []string{"main.go"}}, nil)
	if err != nil {
		log.Fatal(err)
	}

	p, err := gyr.CompileImage(ctx, data, nil)
	if err != nil {
		log.Fatal(err) // an *ImageError if the image is damaged or of another version
	}
	in, err := p.NewInstance(ctx, gyr.Config{Stdout: os.Stdout})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: hello from an image
}

// ExamplePool serves each request with a fresh instance.
func ExamplePool() {
	ctx := context.Background()
	source := fstest.MapFS{"lib.go": {Data: []byte("package lib\n\nvar n int\n\nfunc Next() int { n++; return n }\n")}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: source, Exports: true}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Gas: 1_000_000, Stderr: os.Stderr}, MaxLive: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	for range 3 {
		in, err := pool.Get(ctx)
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := in.Call(ctx, "Next")
		fmt.Println(out, err)
		pool.Put(in)
	}
	// Output:
	// [1] <nil>
	// [1] <nil>
	// [1] <nil>
}

func ExampleHandle() {
	ctx := context.Background()
	p, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"rule.go": {Data: []byte(`
package rule

// A Session is an object of the host.
type Session struct{ n uint64 }

var sessions = map[string]Session{}

func Login(user string, s Session) { sessions[user] = s }
func Of(user string) Session       { return sessions[user] }
`)}}, Patterns: []string{"rule.go"}, Exports: true}, nil)
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(ctx, gyr.Config{Gas: 1_000_000})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	type session struct{ address string }
	var login func(string, gyr.Handle[*session]) error
	var of func(string) (gyr.Handle[*session], error)
	if err := errors.Join(in.Bind(ctx, "Login", &login), in.Bind(ctx, "Of", &of)); err != nil {
		log.Fatal(err)
	}
	if err := login("ada", gyr.NewHandle(&session{"10.0.0.1"})); err != nil {
		log.Fatal(err)
	}
	s, err := of("ada")
	fmt.Println(s.Value().address, err)
	s, err = of("nobody")
	fmt.Println(s.Value(), err)
	// Output:
	// 10.0.0.1 <nil>
	// <nil> <nil>
}

// A column of a million numbers is filled once and summed where it lies.
func ExampleInstance_NewBuffer() {
	ctx := context.Background()
	p, err := gyr.Compile(ctx, gyr.Source{Exports: true, FS: fstest.MapFS{
		"go.mod": {Data: []byte("module score\n\ngo 1.26\n")},
		"score.go": {Data: []byte(`package score

func Sum(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

func Scale(xs []float64, by float64) {
	for i := range xs {
		xs[i] *= by
	}
}
`)},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	in, err := p.NewInstance(ctx, gyr.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	const rows = 1_000_000
	column, err := in.NewBuffer(8 * rows)
	if err != nil {
		log.Fatal(err)
	}
	for i := range rows {
		binary.LittleEndian.PutUint64(column.Bytes()[8*i:], math.Float64bits(0.5))
	}
	results, err := in.Call(ctx, "Sum", column)
	fmt.Println(results, err)
	_, err = in.Call(ctx, "Scale", column, 2.0)
	fmt.Println(err)
	// Output:
	// [500000] <nil>
	// write to a lent buffer in score.Scale (score.go:12)
}

// Rules is a small host: it compiles the package in a directory and calls its function Discount to
// decide about orders, with limits on gas, memory and time.
//
//	go run ./examples/rules ./examples/rules/discount
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gyrvm/gyr"
)

// An Item and an Order have the fields of the guest's types.
type Item struct {
	Name  string
	Cents int
	Count int
}

type Order struct {
	Customer string
	Items    []Item
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rules DIRECTORY")
		os.Exit(64)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	ctx := context.Background()
	program, err := gyr.Compile(ctx, gyr.Source{Dir: dir, Exports: true}, nil)
	if err != nil {
		return err
	}
	instance, err := program.NewInstance(ctx, gyr.Config{Gas: 10_000_000, Memory: 32 << 20, Stderr: os.Stderr})
	if err != nil {
		return err
	}
	defer instance.Close()
	var discount func(context.Context, Order) (int, error)
	if err := instance.Bind(ctx, "Discount", &discount); err != nil {
		return err
	}
	for _, o := range []Order{
		{"ada", []Item{{"tea", 450, 2}, {"cup", 1200, 1}}},
		{"bob", []Item{{"kettle", 8900, 1}, {"tea", 450, 10}}},
		{"eve", nil},
	} {
		before := instance.Stats().Gas
		limited, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		cents, err := discount(limited, o)
		cancel()
		var refused *gyr.GuestError
		switch {
		case errors.As(err, &refused):
			fmt.Printf("%s: refused: %s\n", o.Customer, refused.Text)
		case err != nil:
			return err // a limit: the instance has ended
		default:
			fmt.Printf("%s: %d.%02d off\n", o.Customer, cents/100, cents%100)
		}
		fmt.Fprintf(os.Stderr, "%s: %d gas\n", o.Customer, instance.Stats().Gas-before)
	}
	return nil
}

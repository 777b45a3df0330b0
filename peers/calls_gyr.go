package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"unsafe"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/peers/host"
)

// Arguments and results of functions, as structs for gyr.Fast and gyr.FuncOf.
type (
	pairArgs struct{ A, B int64 }
	textArgs struct {
		S string
		P []byte
	}
	number    struct{ N int64 }
	orderArgs struct{ Order order }
	order     struct {
		Item        string
		Count, Each int64
	}
	described struct {
		Text  string
		Total int64
	}
	text    struct{ Text string }
	rowArgs struct {
		Amount        float64
		Items         int32
		Country, Hour uint8
	}
	score     struct{ Score float64 }
	batchArgs struct{ Amount, Items, Country, Hour *gyr.Buffer }
	scores    struct{ Scores []float64 }
	none      struct{}
)

// gyrEmbedder compiles package guest in this process, with gas. Batches are filled into lent
// buffers.
func gyrEmbedder(ctx context.Context, dir string) (*embedder, error) {
	declared := gyr.HostPackage{
		Path: "github.com/gyrvm/gyr/peers/host",
		Source: `package host

func Add(a, b int64) int64
func Text(s string, p []byte) int64
func Back(f func(int64) int64) int64
`,
		Funcs: map[string]any{
			"Add": gyr.Fast(func(_ context.Context, a *pairArgs, r *number) error {
				r.N = host.Add(a.A, a.B)
				return nil
			}),
			"Text": gyr.HostFunc{Borrows: true, Func: gyr.Fast(func(_ context.Context, a *textArgs, r *number) error {
				r.N = host.Text(a.S, a.P)
				return nil
			})},
			"Back": host.Back,
		},
	}
	p, err := gyr.Compile(ctx, gyr.Source{Dir: filepath.Join(dir, "guest"), Exports: true},
		&gyr.CompileOptions{Host: []gyr.HostPackage{declared}})
	if err != nil {
		return nil, err
	}
	cfg := gyr.Config{Gas: 1 << 60}
	in, err := p.NewInstance(ctx, cfg)
	if err != nil {
		return nil, err
	}
	fresh, err := p.NewInstance(ctx, cfg)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	add, err1 := gyr.FuncOf[pairArgs, number](ctx, in, "Add")
	describe, err2 := gyr.FuncOf[orderArgs, described](ctx, in, "Describe")
	handle, err3 := gyr.FuncOf[text, text](ctx, in, "Handle")
	handleFresh, err4 := gyr.FuncOf[text, text](ctx, fresh, "Handle")
	payment, err5 := gyr.FuncOf[rowArgs, score](ctx, in, "Payment")
	payments, err6 := gyr.FuncOf[batchArgs, scores](ctx, in, "Payments")
	buffer, err7 := in.NewBuffer(14 * batchRows)
	// loop makes a doer from a function that calls the host.
	loop := func(name string) doer {
		f, err := gyr.FuncOf[number, number](ctx, in, name)
		return numbered(func(n int64) (int64, error) {
			if err != nil {
				return 0, err
			}
			r, err := f.Call(ctx, number{n})
			return r.N, err
		})
	}
	e := &embedder{
		name:  "gyr, " + in.Tier(),
		close: func() { in.Close(); fresh.Close() },
		doers: map[string]doer{
			hostNumbers: loop("CallAdd"), hostText: loop("CallText"), hostBack: loop("CallBack"),
			guestNumbers: eachPair(func(a, b int64) (int64, error) {
				r, err := add.Call(ctx, pairArgs{a, b})
				return r.N, err
			}),
			guestStruct: eachOrder(func(item string, count, each int64) (string, int64, error) {
				r, err := describe.Call(ctx, orderArgs{order{item, count, each}})
				return r.Text, r.Total, err
			}),
			warmHandler: eachRequest(func(s string) (string, error) {
				r, err := handle.Call(ctx, text{s})
				return r.Text, err
			}),
			freshHandler: eachRequest(func(s string) (string, error) {
				if err := fresh.Reset(cfg); err != nil {
					return "", err
				}
				r, err := handleFresh.Call(ctx, text{s})
				return r.Text, err
			}),
			newEmpty: func(n int) (string, error) {
				for range n {
					in, err := p.NewInstance(ctx, cfg)
					if err != nil {
						return "", err
					}
					_, err = in.Call(ctx, "Empty")
					if err := errors.Join(err, in.Close()); err != nil {
						return "", err
					}
				}
				return "", nil
			},
			rowByRow: eachRow(func(amount float64, items int32, country, hour uint8) (float64, error) {
				r, err := payment.Call(ctx, rowArgs{amount, items, country, hour})
				return r.Score, err
			}),
			inBatches: eachBatch(func(c columns) ([]float64, error) {
				n := len(c.amount)
				args := batchArgs{buffer.Slice(0, 8*n), buffer.Slice(8*n, 12*n), buffer.Slice(12*n, 13*n), buffer.Slice(13*n, 14*n)}
				c.copyTo(buffer.Bytes())
				r, err := payments.Call(ctx, args)
				return r.Scores, err
			}),
		},
	}
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7); err != nil {
		e.close()
		return nil, fmt.Errorf("gyr: %w", err)
	}
	return e, nil
}

// copyTo writes columns one after the other, in the form of little-endian memory.
func (c *columns) copyTo(p []byte) {
	n := len(c.amount)
	copy(p, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(c.amount))), 8*n))
	copy(p[8*n:], unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(c.items))), 4*n))
	copy(p[12*n:], c.country)
	copy(p[13*n:], c.hour)
}

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"

	"github.com/gyrvm/gyr/peers/host"
)

// yaegiEmbedder interprets package guest. As usual with yaegi, encoding/json and the host's
// functions are compiled code of this process.
func yaegiEmbedder(dir string) (*embedder, error) {
	source, err := os.ReadFile(filepath.Join(dir, "guest", "guest.go"))
	if err != nil {
		return nil, err
	}
	list := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/gyrvm/gyr/examples/udf/score")
	list.Dir, list.Stderr = dir, os.Stderr
	scoreDir, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	score, err := rewritten(filepath.Join(strings.TrimSpace(string(scoreDir)), "score.go"))
	if err != nil {
		return nil, err
	}
	symbols := interp.Exports{
		"github.com/gyrvm/gyr/peers/host/host": {
			"Add": reflect.ValueOf(host.Add), "Text": reflect.ValueOf(host.Text), "Back": reflect.ValueOf(host.Back),
		},
		"encoding/json/json": stdlib.Symbols["encoding/json/json"],
		"math/math":          stdlib.Symbols["math/math"],
	}
	instance := func() (*interp.Interpreter, error) {
		i := interp.New(interp.Options{})
		if err := i.Use(symbols); err != nil {
			return nil, err
		}
		_, err := i.Eval(string(source))
		return i, err
	}
	i, err := instance()
	if err != nil {
		return nil, fmt.Errorf("yaegi: %w", err)
	}
	if _, err := i.Eval(string(score)); err != nil {
		return nil, fmt.Errorf("yaegi: %w", err)
	}
	type (
		loop    = func(int64) int64
		handler = func(string) string
		row     = func(float64, int32, uint8, uint8) float64
		batch   = func([]float64, []int32, []uint8, []uint8) []float64
	)
	callAdd, err1 := evaluated[loop](i, "guest.CallAdd")
	callText, err2 := evaluated[loop](i, "guest.CallText")
	callBack, err3 := evaluated[loop](i, "guest.CallBack")
	add, err4 := evaluated[func(a, b int64) int64](i, "guest.Add")
	handle, err5 := evaluated[handler](i, "guest.Handle")
	payment, err6 := evaluated[row](i, "score.Payment")
	payments, err7 := evaluated[batch](i, "score.Payments")
	describe, err8 := i.Eval("guest.Describe")
	if err := errors.Join(err1, err2, err3, err4, err5, err6, err7, err8); err != nil {
		return nil, err
	}
	order := describe.Type().In(0)
	return &embedder{
		name:  "yaegi",
		close: func() {},
		doers: map[string]doer{
			hostNumbers:  numbered(func(n int64) (int64, error) { return callAdd(n), nil }),
			hostText:     numbered(func(n int64) (int64, error) { return callText(n), nil }),
			hostBack:     numbered(func(n int64) (int64, error) { return callBack(n), nil }),
			guestNumbers: eachPair(func(a, b int64) (int64, error) { return add(a, b), nil }),
			guestStruct: eachOrder(func(item string, count, each int64) (string, int64, error) {
				o := reflect.New(order).Elem() // a type of the interpreter, which the host's functions cannot name
				o.Field(0).SetString(item)
				o.Field(1).SetInt(count)
				o.Field(2).SetInt(each)
				r := describe.Call([]reflect.Value{o})
				return r[0].String(), r[1].Int(), nil
			}),
			warmHandler: eachRequest(func(text string) (string, error) { return handle(text), nil }),
			freshHandler: eachRequest(func(text string) (string, error) {
				i, err := instance()
				if err != nil {
					return "", err
				}
				handle, err := evaluated[handler](i, "guest.Handle")
				if err != nil {
					return "", err
				}
				return handle(text), nil
			}),
			newEmpty: func(n int) (string, error) {
				for range n {
					i, err := instance()
					if err != nil {
						return "", err
					}
					empty, err := evaluated[func()](i, "guest.Empty")
					if err != nil {
						return "", err
					}
					empty()
				}
				return "", nil
			},
			rowByRow: eachRow(func(amount float64, items int32, country, hour uint8) (float64, error) {
				return payment(amount, items, country, hour), nil
			}),
			inBatches: eachBatch(func(c columns) ([]float64, error) { return payments(c.amount, c.items, c.country, c.hour), nil }),
		},
	}, nil
}

// evaluated returns a function of the interpreter.
func evaluated[F any](i *interp.Interpreter, name string) (f F, err error) {
	v, err := i.Eval(name)
	if err != nil {
		return f, err
	}
	f, ok := v.Interface().(F)
	if !ok {
		return f, fmt.Errorf("yaegi: %s has type %s", name, v.Type())
	}
	return f, nil
}

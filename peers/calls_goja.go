package main

import (
	"errors"
	"os"
	"path/filepath"
	"unsafe"

	"github.com/dop251/goja"

	"github.com/gyrvm/gyr/peers/host"
)

// gojaEmbedder interprets the same functions in JavaScript.
func gojaEmbedder(dir string) (*embedder, error) {
	file := filepath.Join(dir, "guest", "guest.js")
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	program, err := goja.Compile(file, string(source), true)
	if err != nil {
		return nil, err
	}
	// instance makes a runtime with the host's functions, and runs the program in it.
	instance := func() (*goja.Runtime, error) {
		vm := goja.New()
		functions := vm.NewObject()
		err := errors.Join(
			functions.Set("add", func(call goja.FunctionCall) goja.Value {
				return vm.ToValue(host.Add(call.Argument(0).ToInteger(), call.Argument(1).ToInteger()))
			}),
			functions.Set("text", func(call goja.FunctionCall) goja.Value {
				return vm.ToValue(host.Text(call.Argument(0).String(), call.Argument(1).Export().(goja.ArrayBuffer).Bytes()))
			}),
			functions.Set("back", func(call goja.FunctionCall) goja.Value {
				f, ok := goja.AssertFunction(call.Argument(0))
				if !ok {
					panic(vm.NewTypeError("not a function"))
				}
				return vm.ToValue(host.Back(func(x int64) int64 {
					r, err := f(goja.Undefined(), vm.ToValue(x))
					if err != nil {
						panic(err)
					}
					return r.ToInteger()
				}))
			}),
			vm.Set("host", functions))
		if err == nil {
			_, err = vm.RunProgram(program)
		}
		return vm, err
	}
	vm, err := instance()
	if err != nil {
		return nil, err
	}
	function := func(vm *goja.Runtime, name string) goja.Callable {
		f, _ := goja.AssertFunction(vm.Get(name))
		return f
	}
	loop := func(name string) doer {
		f := function(vm, name)
		return numbered(func(n int64) (int64, error) {
			r, err := f(goja.Undefined(), vm.ToValue(n))
			if err != nil {
				return 0, err
			}
			return r.ToInteger(), nil
		})
	}
	handler := func(vm *goja.Runtime) func(string) (string, error) {
		f := function(vm, "handle")
		return func(text string) (string, error) {
			r, err := f(goja.Undefined(), vm.ToValue(text))
			if err != nil {
				return "", err
			}
			return r.String(), nil
		}
	}
	add, describe, payment, payments := function(vm, "add"), function(vm, "describe"), function(vm, "payment"), function(vm, "payments")
	buffer := func(p unsafe.Pointer, n int) goja.Value {
		return vm.ToValue(vm.NewArrayBuffer(unsafe.Slice((*byte)(p), n)))
	}
	scores := make([]float64, batchRows)
	return &embedder{
		name:  "goja",
		close: func() {},
		doers: map[string]doer{
			hostNumbers: loop("callAdd"), hostText: loop("callText"), hostBack: loop("callBack"),
			guestNumbers: eachPair(func(a, b int64) (int64, error) {
				r, err := add(goja.Undefined(), vm.ToValue(a), vm.ToValue(b))
				if err != nil {
					return 0, err
				}
				return r.ToInteger(), nil
			}),
			guestStruct: eachOrder(func(item string, count, each int64) (string, int64, error) {
				o := vm.NewObject()
				if err := errors.Join(o.Set("item", item), o.Set("count", count), o.Set("each", each)); err != nil {
					return "", 0, err
				}
				r, err := describe(goja.Undefined(), o)
				if err != nil {
					return "", 0, err
				}
				both := r.ToObject(vm)
				return both.Get("0").String(), both.Get("1").ToInteger(), nil
			}),
			warmHandler: eachRequest(handler(vm)),
			freshHandler: eachRequest(func(text string) (string, error) {
				vm, err := instance()
				if err != nil {
					return "", err
				}
				return handler(vm)(text)
			}),
			newEmpty: func(n int) (string, error) {
				for range n {
					vm, err := instance()
					if err != nil {
						return "", err
					}
					if _, err := function(vm, "empty")(goja.Undefined()); err != nil {
						return "", err
					}
				}
				return "", nil
			},
			rowByRow: eachRow(func(amount float64, items int32, country, hour uint8) (float64, error) {
				r, err := payment(goja.Undefined(), vm.ToValue(amount), vm.ToValue(items), vm.ToValue(country), vm.ToValue(hour))
				if err != nil {
					return 0, err
				}
				return r.ToFloat(), nil
			}),
			inBatches: eachBatch(func(c columns) ([]float64, error) {
				n := len(c.amount)
				_, err := payments(goja.Undefined(), buffer(unsafe.Pointer(unsafe.SliceData(c.amount)), 8*n), buffer(unsafe.Pointer(unsafe.SliceData(c.items)), 4*n),
					buffer(unsafe.Pointer(unsafe.SliceData(c.country)), n), buffer(unsafe.Pointer(unsafe.SliceData(c.hour)), n),
					buffer(unsafe.Pointer(unsafe.SliceData(scores)), 8*n))
				return scores, err
			}),
		},
	}, nil
}

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/gyrvm/gyr/peers/host"
)

// buildReactor builds package guest as a module for WebAssembly.
func buildReactor(ctx context.Context, dir, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-o", out, "./reactor")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build for wasip1: %w", err)
	}
	return nil
}

// A wasmHost is a wazero runtime with the functions of package host.
type wasmHost struct {
	ctx     context.Context
	runtime wazero.Runtime
}

// newWasmHost makes a host. With stopped, its calls end with ctx.
func newWasmHost(ctx context.Context, stopped bool) (*wasmHost, error) {
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCloseOnContextDone(stopped))
	i64, i32 := api.ValueTypeI64, api.ValueTypeI32
	var back api.Function
	var backOf api.Module // the module whose function back calls
	_, err := r.NewHostModuleBuilder("env").
		NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
		stack[0] = uint64(host.Add(int64(stack[0]), int64(stack[1])))
	}), []api.ValueType{i64, i64}, []api.ValueType{i64}).Export("add").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, stack []uint64) {
		s, ok1 := m.Memory().Read(uint32(stack[0]), uint32(stack[1]))
		p, ok2 := m.Memory().Read(uint32(stack[2]), uint32(stack[3]))
		if !ok1 || !ok2 {
			panic("out of memory's bounds")
		}
		stack[0] = uint64(host.Text(unsafe.String(unsafe.SliceData(s), len(s)), p)) // Text keeps neither argument
	}), []api.ValueType{i32, i32, i32, i32}, []api.ValueType{i64}).Export("text").
		NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, m api.Module, stack []uint64) {
		if backOf != m {
			back, backOf = m.ExportedFunction("callback"), m
		}
		stack[0] = uint64(host.Back(func(x int64) int64 {
			var args [1]uint64
			args[0] = uint64(x)
			if err := back.CallWithStack(ctx, args[:]); err != nil {
				panic(err)
			}
			return int64(args[0])
		}))
	}), nil, []api.ValueType{i64}).Export("back").
		Instantiate(ctx)
	if err == nil {
		_, err = wasi_snapshot_preview1.Instantiate(ctx, r)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return &wasmHost{ctx, r}, nil
}

// numbers makes a doer from an exported function with a loop.
func (h *wasmHost) numbers(m api.Module, name string) doer {
	f := m.ExportedFunction(name)
	return numbered(func(n int64) (int64, error) {
		r, err := f.Call(h.ctx, uint64(n))
		if err != nil {
			return 0, err
		}
		return int64(r[0]), nil
	})
}

// add makes a doer from the exported function add.
func (h *wasmHost) add(m api.Module) doer {
	f := m.ExportedFunction("add")
	var stack [2]uint64
	return eachPair(func(a, b int64) (int64, error) {
		stack = [2]uint64{uint64(a), uint64(b)}
		err := f.CallWithStack(h.ctx, stack[:])
		return int64(stack[0]), err
	})
}

// empties makes a doer that makes instances and calls empty.
func (h *wasmHost) empties(code wazero.CompiledModule, config wazero.ModuleConfig) doer {
	return func(n int) (string, error) {
		for range n {
			m, err := h.runtime.InstantiateModule(h.ctx, code, config)
			if err != nil {
				return "", err
			}
			_, err = m.ExportedFunction("empty").Call(h.ctx)
			if err := errors.Join(err, m.Close(h.ctx)); err != nil {
				return "", err
			}
		}
		return "", nil
	}
}

// wazeroEmbedder runs package guest as Go builds it for WebAssembly, compiled by wazero. Nothing is
// metered. stopped is for hosts that do not trust the guest: calls can be stopped.
func wazeroEmbedder(ctx context.Context, file string, stopped bool) (*embedder, error) {
	cancel := func() {}
	if stopped {
		ctx, cancel = context.WithCancel(ctx)
	}
	h, err := newWasmHost(ctx, stopped)
	if err != nil {
		cancel()
		return nil, err
	}
	e, err := h.reactor(file)
	if err != nil {
		err = errors.Join(err, h.runtime.Close(ctx))
		cancel()
		return nil, err
	}
	if stopped {
		e.name += ", with WithCloseOnContextDone"
	}
	done := e.close
	e.close = func() { done(); cancel() }
	return e, nil
}

func (h *wasmHost) reactor(file string) (*embedder, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	code, err := h.runtime.CompileModule(h.ctx, data)
	if err != nil {
		return nil, err
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	m, err := h.runtime.InstantiateModule(h.ctx, code, config)
	if err != nil {
		return nil, err
	}
	handler := func(m api.Module) (func(text string) (string, error), error) {
		f := m.ExportedFunction("handle")
		buffer, err := m.ExportedFunction("buffer").Call(h.ctx)
		if err != nil {
			return nil, err
		}
		return func(text string) (string, error) {
			if !m.Memory().WriteString(uint32(buffer[0]), text) {
				return "", errors.New("out of memory's bounds")
			}
			r, err := f.Call(h.ctx, uint64(len(text)))
			if err != nil {
				return "", err
			}
			return readText(m, r[0])
		}, nil
	}
	warm, err := handler(m)
	if err != nil {
		return nil, err
	}
	at, err := m.ExportedFunction("buffer").Call(h.ctx)
	if err != nil {
		return nil, err
	}
	buffer := uint32(at[0])
	if at, err = m.ExportedFunction("total").Call(h.ctx); err != nil {
		return nil, err
	}
	total := uint32(at[0])
	describe, payment, payments := m.ExportedFunction("describe"), m.ExportedFunction("payment"), m.ExportedFunction("payments")
	var stack [4]uint64
	scores := make([]float64, batchRows)
	return &embedder{
		name:  "wazero, Go",
		close: func() { h.runtime.Close(h.ctx) },
		doers: map[string]doer{
			hostNumbers: h.numbers(m, "call_add"), hostText: h.numbers(m, "call_text"), hostBack: h.numbers(m, "call_back"),
			guestNumbers: h.add(m),
			guestStruct: eachOrder(func(item string, count, each int64) (string, int64, error) {
				if !m.Memory().WriteString(buffer, item) {
					return "", 0, errors.New("out of memory's bounds")
				}
				r, err := describe.Call(h.ctx, uint64(len(item)), uint64(count), uint64(each))
				if err != nil {
					return "", 0, err
				}
				text, err := readText(m, r[0])
				n, _ := m.Memory().ReadUint64Le(total)
				return text, int64(n), err
			}),
			warmHandler: eachRequest(warm),
			freshHandler: eachRequest(func(text string) (string, error) {
				m, err := h.runtime.InstantiateModule(h.ctx, code, config)
				if err != nil {
					return "", err
				}
				defer m.Close(h.ctx)
				handle, err := handler(m)
				if err != nil {
					return "", err
				}
				return handle(text)
			}),
			newEmpty: h.empties(code, config),
			rowByRow: eachRow(func(amount float64, items int32, country, hour uint8) (float64, error) {
				stack = [4]uint64{api.EncodeF64(amount), api.EncodeI32(items), uint64(country), uint64(hour)}
				err := payment.CallWithStack(h.ctx, stack[:])
				return api.DecodeF64(stack[0]), err
			}),
			inBatches: eachBatch(func(c columns) ([]float64, error) {
				n := len(c.amount)
				p, ok := m.Memory().Read(buffer, uint32(14*n))
				if !ok {
					return nil, errors.New("out of memory's bounds")
				}
				c.copyTo(p)
				r, err := payments.Call(h.ctx, uint64(n))
				if err != nil {
					return nil, err
				}
				if p, ok = m.Memory().Read(uint32(r[0]), uint32(8*n)); !ok {
					return nil, errors.New("out of memory's bounds")
				}
				for i := range n {
					scores[i] = math.Float64frombits(binary.LittleEndian.Uint64(p[8*i:]))
				}
				return scores, nil
			}),
		},
	}, nil
}

// readText copies a text out of a module's memory: its address and, in the lower half, its length.
func readText(m api.Module, at uint64) (string, error) {
	p, ok := m.Memory().Read(uint32(at>>32), uint32(at))
	if !ok {
		return "", errors.New("out of memory's bounds")
	}
	return string(p), nil
}

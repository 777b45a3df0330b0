package main

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
)

// bareEmbedder runs a module of a few functions written directly in WebAssembly. It shows the cost
// of wazero's calls without the runtime that Go adds to a module.
func bareEmbedder(ctx context.Context) (*embedder, error) {
	h, err := newWasmHost(ctx, false)
	if err != nil {
		return nil, err
	}
	compiled, err := h.runtime.CompileModule(ctx, bareModule())
	if err != nil {
		return nil, errors.Join(err, h.runtime.Close(ctx))
	}
	config := wazero.NewModuleConfig().WithName("")
	m, err := h.runtime.InstantiateModule(ctx, compiled, config)
	if err != nil {
		return nil, errors.Join(err, h.runtime.Close(ctx))
	}
	const byHand = "the module written by hand has neither texts nor JSON nor rows"
	return &embedder{
		name:  "wazero, by hand",
		close: func() { h.runtime.Close(ctx) },
		doers: map[string]doer{
			hostNumbers: h.numbers(m, "call_add"), hostText: h.numbers(m, "call_text"), hostBack: h.numbers(m, "call_back"),
			guestNumbers: h.add(m),
			newEmpty:     h.empties(compiled, config),
		},
		gaps: map[string]string{guestStruct: byHand, warmHandler: byHand, freshHandler: byHand, rowByRow: byHand, inBatches: byHand},
	}, nil
}

// Opcodes and types of WebAssembly, as far as bareModule needs them.
const (
	opBlock, opLoop, opEnd, opBr, opBrIf, opCall = 0x02, 0x03, 0x0b, 0x0c, 0x0d, 0x10
	opLocalGet, opLocalSet, opLocalTee           = 0x20, 0x21, 0x22
	opGlobalGet, opGlobalSet                     = 0x23, 0x24
	opI32Const, opI64Const, opI64GeS, opI64Add   = 0x41, 0x42, 0x59, 0x7c
	typeI32, typeI64, typeNone                   = 0x7f, 0x7e, 0x40
)

// code encodes a function: its size, its locals and its body.
func code(locals, body []byte) []byte {
	if locals == nil {
		locals = []byte{0}
	}
	return append(append([]byte{byte(len(locals) + len(body))}, locals...), body...)
}

// bareModule returns the module in the binary format:
// https://webassembly.github.io/spec/core/binary.
func bareModule() []byte {
	section := func(id byte, parts ...[]byte) []byte {
		body := []byte{byte(len(parts))}
		for _, p := range parts {
			body = append(body, p...)
		}
		return append([]byte{id, byte(len(body)) | 0x80, byte(len(body) >> 7)}, body...) // two bytes of LEB128
	}
	name := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	join := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	// loop is a function of a number n: for i := 0; i < n; i++ { s = body }, with s and i as its
	// locals 1 and 2. It returns s.
	loop := func(body ...byte) []byte {
		return code([]byte{1, 2, typeI64}, join([]byte{
			opBlock, typeNone, opLoop, typeNone,
			opLocalGet, 2, opLocalGet, 0, opI64GeS, opBrIf, 1,
		}, body, []byte{
			opLocalSet, 1,
			opLocalGet, 2, opI64Const, 1, opI64Add, opLocalSet, 2,
			opBr, 0, opEnd, opEnd, opLocalGet, 1, opEnd,
		}))
	}
	const i64ToI64, pairToI64, textToI64, noneToI64, noneToNone = 0, 1, 2, 3, 4
	const add, text, back = 0, 1, 2 // imports; own functions follow
	all := make([]byte, 100)
	for i := range all {
		all[i] = byte('a' + i%26)
	}
	return join([]byte{0, 'a', 's', 'm', 1, 0, 0, 0},
		section(1, // types
			[]byte{0x60, 1, typeI64, 1, typeI64}, []byte{0x60, 2, typeI64, typeI64, 1, typeI64},
			[]byte{0x60, 4, typeI32, typeI32, typeI32, typeI32, 1, typeI64}, []byte{0x60, 0, 1, typeI64}, []byte{0x60, 0, 0}),
		section(2, // imports
			join(name("env"), name("add"), []byte{0, pairToI64}), join(name("env"), name("text"), []byte{0, textToI64}),
			join(name("env"), name("back"), []byte{0, noneToI64})),
		section(3, []byte{i64ToI64}, []byte{i64ToI64}, []byte{i64ToI64}, []byte{i64ToI64}, []byte{pairToI64}, []byte{noneToNone}), // functions
		section(5, []byte{0, 1}),                             // one page of memory
		section(6, []byte{typeI64, 1, opI64Const, 0, opEnd}), // a variable: i, for callback
		section(7, // exports
			join(name("memory"), []byte{2, 0}), join(name("call_add"), []byte{0, 3}), join(name("call_text"), []byte{0, 4}),
			join(name("call_back"), []byte{0, 5}), join(name("callback"), []byte{0, 6}), join(name("add"), []byte{0, 7}), join(name("empty"), []byte{0, 8})),
		section(10, // code
			loop(opLocalGet, 1, opLocalGet, 2, opCall, add),
			loop(opLocalGet, 1, opI32Const, 0, opI32Const, 0xe4, 0, opI32Const, 0, opI32Const, 0xe4, 0, opCall, text, opI64Add),
			loop(opLocalGet, 2, opGlobalSet, 0, opLocalGet, 1, opCall, back, opI64Add),
			code(nil, []byte{opLocalGet, 0, opGlobalGet, 0, opI64Add, opEnd}),
			code(nil, []byte{opLocalGet, 0, opLocalGet, 1, opI64Add, opEnd}),
			code(nil, []byte{opEnd})),
		section(11, join([]byte{0, opI32Const, 0, opEnd, byte(len(all))}, all))) // memory from 0 on
}

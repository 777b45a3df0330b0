//go:build wasip1

// Command hosts is the guests of the three hosts as a WebAssembly module whose functions a host
// calls. Texts pass through a buffer of the module.
package main

import (
	"unsafe"

	"github.com/gyrvm/gyr/peers/guest/ledger"
	"github.com/gyrvm/gyr/peers/guest/plugin"
	"github.com/gyrvm/gyr/peers/guest/stream"
)

var buffer [64 << 10]byte // the arguments

var kept string // the last result, until the next one

//go:wasmexport buffer
func bufferAt() uint32 { return uint32(uintptr(unsafe.Pointer(&buffer))) }

func keep(s string) uint64 {
	kept = s
	return uint64(uintptr(unsafe.Pointer(unsafe.StringData(s))))<<32 | uint64(len(s))
}

//go:wasmexport handle
func handle(n uint32) uint64 { return keep(plugin.Handle(string(buffer[:n]))) }

//go:wasmexport event
func event(n uint32) uint64 { return keep(stream.Handle(string(buffer[:n]))) }

// open takes a name and returns nothing, or an error.
//
//go:wasmexport open
func open(n uint32, coins int64) uint64 {
	if err := ledger.Open(string(buffer[:n]), coins); err != nil {
		return keep(err.Error())
	}
	return 0
}

// transfer takes two names, one after the other.
//
//go:wasmexport transfer
func transfer(from, to uint32, coins int64) uint64 {
	receipt, err := ledger.Transfer(string(buffer[:from]), string(buffer[from:from+to]), coins)
	if err != nil {
		receipt = err.Error()
	}
	return keep(receipt)
}

func main() {}

//go:build wasip1

// Command reactor is package guest as a WebAssembly module whose functions a host calls:
// GOOS=wasip1 go build -buildmode=c-shared. Texts and columns pass through a buffer of the module.
package main

import (
	"unsafe"

	"github.com/gyrvm/gyr/peers/guest"
)

// The host writes the arguments of functions to these buffers: texts, and batches of at most
// maxRows rows, column after column, the widest first.
var (
	words  [maxRows * 14 / 8]uint64 // aligned
	buffer = unsafe.Slice((*byte)(unsafe.Pointer(&words)), len(words)*8)
)

const maxRows = 8192

// The last results in memory, kept until the next ones.
var (
	kept  string
	total int64
)

//go:wasmexport buffer
func bufferAt() uint32 { return uint32(uintptr(unsafe.Pointer(&words))) }

func keep(s string) uint64 {
	kept = s
	return uint64(uintptr(unsafe.Pointer(unsafe.StringData(s))))<<32 | uint64(len(s))
}

//go:wasmexport call_add
func callAdd(n int64) int64 { return guest.CallAdd(n) }

//go:wasmexport call_text
func callText(n int64) int64 { return guest.CallText(n) }

//go:wasmexport call_back
func callBack(n int64) int64 { return guest.CallBack(n) }

//go:wasmexport add
func add(a, b int64) int64 { return guest.Add(a, b) }

//go:wasmexport empty
func empty() { guest.Empty() }

// describe returns the address and length of the text; the number is left for total.
//
//go:wasmexport describe
func describe(n uint32, count, each int64) uint64 {
	text, sum := guest.Describe(guest.Order{Item: string(buffer[:n]), Count: count, Each: each})
	total = sum
	return keep(text)
}

//go:wasmexport total
func totalAt() uint32 { return uint32(uintptr(unsafe.Pointer(&total))) }

//go:wasmexport handle
func handle(n uint32) uint64 { return keep(guest.Handle(string(buffer[:n]))) }

//go:wasmexport payment
func payment(amount float64, items int32, country, hour uint32) float64 {
	return guest.Payment(amount, items, uint8(country), uint8(hour))
}

// payments returns the address of the results for n rows.
//
//go:wasmexport payments
func payments(n uint32) uint32 {
	at := unsafe.Pointer(&words)
	out := guest.Payments(unsafe.Slice((*float64)(at), n), unsafe.Slice((*int32)(unsafe.Add(at, 8*n)), n),
		unsafe.Slice((*uint8)(unsafe.Add(at, 12*n)), n), unsafe.Slice((*uint8)(unsafe.Add(at, 13*n)), n))
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(out))))
}

func main() {}

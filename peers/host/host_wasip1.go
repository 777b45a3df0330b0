package host

import "unsafe"

//go:wasmimport env add
func Add(a, b int64) int64

//go:wasmimport env text
func text(s unsafe.Pointer, sn uint32, p unsafe.Pointer, pn uint32) int64

//go:wasmimport env back
func back() int64

func Text(s string, p []byte) int64 {
	return text(unsafe.Pointer(unsafe.StringData(s)), uint32(len(s)), unsafe.Pointer(unsafe.SliceData(p)), uint32(len(p)))
}

// callback is the function that the host calls back.
var callback func(int64) int64

func Back(f func(int64) int64) int64 {
	callback = f
	return back()
}

//go:wasmexport callback
func callBack(x int64) int64 { return callback(x) }

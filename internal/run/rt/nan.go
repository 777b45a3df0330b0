package rt

import (
	"encoding/binary"
	"reflect"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/guesttype"
)

// # NaNs of the host
//
// A NaN that comes from the host may have any bits. In the memory of a program without package unsafe it
// gets those that all NaNs have there (ir.MemoryNaN64): code relies on it.

// float returns the bits in memory of a float of the host.
func (vm *VM) float(t ir.Type, bits uint64) uint64 {
	if vm.Config.Unsafe {
		return bits
	}
	return ir.MemoryNaN(t, bits)
}

// floats changes the NaNs among the values of type t that b holds.
func (vm *VM) floats(t *guesttype.Type, b []byte) {
	if !vm.Config.Unsafe && hasFloats(t) {
		setNaNs(t, b)
	}
}

func hasFloats(t *guesttype.Type) bool {
	switch t.Kind {
	case reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return hasFloats(t.Elem)
	case reflect.Struct:
		for i := range t.Fields {
			if hasFloats(t.Fields[i].Type) {
				return true
			}
		}
	}
	return false
}

func setNaNs(t *guesttype.Type, b []byte) {
	le := binary.LittleEndian
	switch t.Kind {
	case reflect.Float32, reflect.Complex64:
		for ; len(b) >= 4; b = b[4:] {
			if x := le.Uint32(b); ir.IsNaN(ir.F32, uint64(x)) {
				le.PutUint32(b, ir.MemoryNaN32)
			}
		}
	case reflect.Float64, reflect.Complex128:
		for ; len(b) >= 8; b = b[8:] {
			if x := le.Uint64(b); ir.IsNaN(ir.F64, x) {
				le.PutUint64(b, ir.MemoryNaN64)
			}
		}
	case reflect.Array:
		if t.Size > 0 {
			setNaNs(t.Elem, b)
		}
	case reflect.Struct:
		for n := uint32(0); t.Size > 0 && uint64(n)+uint64(t.Size) <= uint64(len(b)); n += t.Size {
			for _, f := range t.Fields {
				if hasFloats(f.Type) {
					setNaNs(f.Type, b[n+f.Offset:][:f.Type.Size])
				}
			}
		}
	}
}

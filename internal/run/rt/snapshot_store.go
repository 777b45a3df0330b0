package rt

import (
	"encoding/binary"
	"errors"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// AppendBinary appends the snapshot to b: the numbers of the live packages, then
// memory.
func (sn *Snapshot) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(sn.Live)))
	for _, n := range sn.Live {
		b = binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	if err := sn.Mod.LoadData(); err != nil {
		return nil, err
	}
	return sn.memory.AppendBinary(b, sn.Mod.Data)
}

var errSnapshot = errors.New("a snapshot of another module")

// ReadSnapshot reads the output of AppendBinary for the same module.
func ReadSnapshot(mod *ir.Module, b []byte) (*Snapshot, error) {
	if len(b) < 4 {
		return nil, errSnapshot
	}
	n := uint64(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if n > uint64(len(mod.Inits)) || n*4 > uint64(len(b)) {
		return nil, errSnapshot
	}
	sn := &Snapshot{Mod: mod}
	for range n {
		i := binary.LittleEndian.Uint32(b)
		if i >= uint32(len(mod.Inits)) || !mod.Inits[i].Std {
			return nil, errSnapshot
		}
		sn.Live = append(sn.Live, int32(i))
		b = b[4:]
	}
	var err error
	if sn.memory, err = memory.ReadSnapshot(b, mod.DataSize(), mod.ReadData); err != nil {
		return nil, err
	}
	if sn.memory.Data() != dataSize(mod) {
		return nil, errSnapshot
	}
	return sn, nil
}

package rt

import (
	crand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"

	"github.com/gyrvm/gyr/internal/ir"
)

// random is the instance's randomness: two streams of ChaCha8 (https://c2sp.org/chacha8rand), so
// that the program's own draws do not change the order of its maps.
//
// The 32-byte key of a stream is the seed, little endian, followed by the stream's label padded
// with zeros. The bytes and numbers are those of math/rand/v2.ChaCha8, whose specification fixes
// them for ever.
type random struct {
	runtime *rand.ChaCha8 // host_rand: map seeds, select, math/rand's seeds
	bytes   *rand.ChaCha8 // random_get: crypto/rand
	real    bool
}

const (
	runtimeStream  = "gyr runtime stream"
	bytesStream    = "gyr bytes stream"
	snapshotStream = "gyr snapshot stream" // of map seeds, while a snapshot is made
)

func (r *random) init(seed uint64, real bool, stream string) error {
	r.real = real
	key := func(label string) (k [32]byte) {
		binary.LittleEndian.PutUint64(k[:], seed)
		copy(k[8:], label)
		return k
	}
	k := key(stream)
	if real {
		if _, err := crand.Read(k[:]); err != nil {
			return err
		}
	}
	if r.runtime == nil {
		r.runtime, r.bytes = new(rand.ChaCha8), new(rand.ChaCha8)
	}
	r.runtime.Seed(k)
	r.bytes.Seed(key(bytesStream))
	return nil
}

// fill makes p random.
func (r *random) fill(p []byte) {
	if r.real {
		crand.Read(p) // never fails (Go 1.24)
		return
	}
	r.bytes.Read(p)
}

// randomHosts are the host functions in this file, by their names in ir.Primitives.
var randomHosts = map[string]Func{
	"rand":    hostRand,
	"maprand": hostRand,
}

func hostRand(vm *VM, a *ir.Args) Status {
	a[0] = vm.rng.runtime.Uint64()
	return OK
}

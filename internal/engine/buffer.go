package engine

import (
	"runtime/debug"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// NewBuffer makes a buffer of size bytes that the host lends to the guest's functions. See
// gyr.Instance.NewBuffer.
func (in *Instance) NewBuffer(size int) (b *rt.Buffer, err error) {
	was, err := in.take()
	if err != nil {
		return nil, err
	}
	next := was
	defer func() {
		if in.put(was, next) {
			b, err = nil, api.ErrClosed
		}
	}()
	switch {
	case was == stateEnded || was == stateFailed:
		return nil, in.ended()
	case in.prog.mod.Exports == nil:
		return nil, api.ErrNotExports
	}
	next = stateFailed // in case the collector does not return
	defer in.recovered(&err)
	old := debug.SetPanicOnFault(true) // the collector reads memory that the guest has written
	defer debug.SetPanicOnFault(old)
	b, st, err := in.vm.NewBuffer(size, was == stateReady)
	if st != rt.OK {
		return nil, asClosed(in.vm.Finish(st))
	}
	next = was
	return b, err
}

// FreeBuffer releases a buffer of the instance. It does nothing if the buffer is gone.
func (in *Instance) FreeBuffer(b *rt.Buffer) error {
	if !b.Alive() {
		return nil
	}
	was, err := in.take()
	switch {
	case err == api.ErrClosed: // Close releases it
		return nil
	case err != nil:
		return err
	}
	defer in.put(was, was)
	in.vm.FreeBuffer(b)
	return nil
}

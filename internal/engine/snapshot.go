package engine

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// snapshot returns the snapshot that instances start from. The context bounds the time to make it.
func (p *Program) snapshot(ctx context.Context) (*rt.Snapshot, error) {
	err := p.snapMade.Do(func() (err error) {
		defer failure.Recover(&err, "initialising the standard library", nil)
		failure.At("snapshot")
		code, err := p.program()
		if err != nil {
			return err
		}
		used := int64(0)
		p.snap, err = rt.NewSnapshot(ctx, p.mod, func(vm *rt.VM) (rt.Status, error) {
			m, err := interp.New(vm, code, interp.Options{})
			if err != nil {
				return 0, err
			}
			st := m.Run()
			m.FreeStacks()
			units, _ := m.Free()
			if used += units; used > snapshotAllowance {
				return 0, errors.New("gyr: the initialisation of the standard library does not end")
			}
			return st, nil
		})
		return err
	})
	return p.snap, err
}

// snapshotAllowance is the gas that all attempts at a snapshot may use together.
const snapshotAllowance = 1 << 28

//go:build amd64 || arm64

package engine

import (
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/back/native/jitinfo"
)

// tell announces the code to other programs, from now on.
func (p *nativeProgram) tell(kinds []string, irLines bool) error {
	t, err := jitinfo.New(kinds, irLines)
	if err != nil {
		return err
	}
	return p.code.Observe(func(c native.Published) error {
		return t.Tell(&jitinfo.Code{Func: c.Func, Start: c.Start, Bytes: c.Bytes, Mod: c.Mod})
	})
}

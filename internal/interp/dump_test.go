package interp

import (
	"testing"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/interp/irtest"
)

func TestDumpTmp(t *testing.T) {
	e := irtest.NewEval(irtest.Random(42, 40, true))
	_, err := e.Call(e.Mod.Entry, nil)
	t.Log(err, e.Gas)
	for _, o := range []bytecode.Options{{}, {NoFuse: true}, {NoCoalesce: true}} {
		t.Run("", func(t *testing.T) { compare(t, irtest.Random(42, 40, true), 0, o) })
	}
}

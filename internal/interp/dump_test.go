package interp

import (
	"os"
	"testing"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/interp/irtest"
	"github.com/gyrvm/gyr/internal/ir"
)

func TestDumpTmp(t *testing.T) {
	mod := irtest.Random(42, 40, true)
	ir.Print(os.Stdout, mod)
	p, _ := bytecode.NewProgram(mod)
	for i := range mod.Funcs[1:] {
		fc, err := p.Compile(int32(i + 1))
		if err != nil {
			t.Fatal(err)
		}
		fc.Print(os.Stdout)
	}
}

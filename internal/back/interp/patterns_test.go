package interp

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestPatterns: every superinstruction, and every other shape with an instruction of its own, is
// found where it should be. It computes the same as its operations for all triples of boundary
// operands.
func TestPatterns(t *testing.T) {
	fused := 0
	for _, p := range irtest.Today(t) {
		t.Run(p.Name, func(t *testing.T) {
			mod, err := p.Module()
			if err != nil {
				t.Fatal(err)
			}
			started.Compare(t, mod, 0, 0)
			if p.Code == "" {
				return
			}
			if mod, err = p.Module(); err != nil {
				t.Fatal(err)
			}
			irtest.AddTraps(mod)
			prog, err := bytecode.NewModule(nil, mod)
			if err != nil {
				t.Fatal(err)
			}
			fc, err := prog.Compile(2)
			if err != nil {
				t.Fatal(err)
			}
			var code bytes.Buffer
			fc.Print(&code)
			if !regexp.MustCompile(` ` + p.Code + ` `).Match(code.Bytes()) {
				t.Errorf("no %s in\n%s", p.Code, code.Bytes())
			}
			fused++
		})
	}
	t.Logf("%d patterns found as one instruction", fused)
}

package opt_test

import (
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// BenchmarkPhases optimises everything that fmt.Println reaches.
func BenchmarkPhases(b *testing.B) {
	lowered := lowered(b, hello)
	copyModule := func() *ir.Module {
		m := *lowered
		m.Pos = append([]ir.PosEntry(nil), m.Pos...)
		m.Layouts = append([]ir.Layout(nil), m.Layouts...)
		list := make([]*ir.Func, lowered.NumFuncs())
		twin := map[*ir.Func]*ir.Func{}
		for i, f := range lowered.Funcs() {
			if f != nil {
				g := f.Copy()
				g.Module = &m
				list[i] = g
				twin[f] = g
			}
		}
		m.SetFuncs(list)
		for _, f := range list[1:] {
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					if v.Fn != nil {
						v.Fn = twin[v.Fn]
					}
				}
			}
		}
		return &m
	}
	b.Run("A", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			m := copyModule()
			b.StartTimer()
			if err := opt.PhaseA(m, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("B", func(b *testing.B) {
		for range b.N {
			b.StopTimer()
			m := copyModule()
			if err := opt.PhaseA(m, nil); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			for _, f := range m.Own() {
				if err := opt.PhaseB(f, nil); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

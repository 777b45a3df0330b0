package gyr

import (
	"github.com/gyrvm/gyr/internal/inspect"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/rt"
)

func init() {
	inspect.Of = func(program any) inspect.View {
		p := program.(*Program)
		return inspect.View{Mod: p.mod, Checked: p.unsafe, Prepare: func(f *ir.Func) error {
			if err := p.body(f); err != nil || f.Entry == nil {
				return err
			}
			return p.prepare(f, nil)
		}}
	}
	inspect.Account = func(config any, a *rt.Accounts) { config.(*Config).accounts = a }
	inspect.Move = func(source any, moved func(string) string) { source.(*Source).moved = moved }
	inspect.Observe = func(source any, o inspect.Observer) { source.(*Source).observer = o }
}

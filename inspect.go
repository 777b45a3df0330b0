package gyr

import (
	"slices"

	"github.com/gyrvm/gyr/internal/inspect"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/load"
)

func init() {
	inspect.Of = func(program any) inspect.View {
		p := program.(*Program)
		return inspect.View{Mod: p.mod, Checked: p.unsafe, Prepare: func(f *ir.Func) error {
			if err := p.bodyOf(f); err != nil || f.Entry == nil {
				return err
			}
			return p.readyOf(f).prepare(f, nil)
		}}
	}
	inspect.Run = func(config any, w inspect.Watch) { config.(*Config).watch = w }
	inspect.Covered = func(instance any) any { return instance.(*Instance).covered() }
	inspect.Identity = func(source any) ([]string, error) { return source.(*Source).identity() }
	inspect.Inputs = func(program any) []load.Input {
		p := program.(*Program)
		if p.disk == nil {
			return nil
		}
		list := p.disk.inputs()
		if p.base != nil {
			list = append(slices.Clip(list), p.base.entry.Inputs...)
		}
		return list
	}
	inspect.Move = func(source any, moved func(string) string) { source.(*Source).moved = moved }
	inspect.Observe = func(source any, o inspect.Observer) { source.(*Source).observer = o }
}

package native

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Piece is machine code at its address, for samplers of addresses. Code is never moved and never
// replaced while its program is in use: an address that belonged to a function stays its own.
type Piece struct {
	Start, End uintptr
	Func       *ir.Func // nil: of the stubs
	Name       string
	Code       *abi.Func // with the frame and the sites of the code; of a stub that of all stubs
}

// Pieces returns all present code, that of the bases too, by address.
func (p *Module) Pieces() (list []Piece) {
	for ; p != nil; p = p.base {
		for _, c := range *p.index.Load() {
			if c.Fn != nil {
				list = append(list, Piece{c.start, c.end, c.Fn, c.Fn.Name, c.Func})
				continue
			}
			list = append(list, p.stubPieces(c)...)
		}
	}
	slices.SortFunc(list, func(x, y Piece) int { return int(int64(x.Start) - int64(y.Start)) })
	return list
}

// stubPieces returns the stubs, each under a name of its own.
func (p *Module) stubPieces(c *code) (list []Piece) {
	s := p.stubs
	add := func(at int, name string) {
		list = append(list, Piece{Start: c.start + uintptr(at), Name: name, Code: c.Func})
	}
	add(s.Exit, "stub.exit")
	add(s.Yield, "stub.yield")
	add(s.Compile, "stub.compile")
	add(s.Main, "stub.main")
	add(s.Closure, "stub.closure")
	for i, at := range s.Routine {
		add(at, p.host.cpu.Desc().RoutineName(int32(i)))
	}
	slices.SortStableFunc(list, func(x, y Piece) int { return int(int64(x.Start) - int64(y.Start)) })
	for i := range list {
		list[i].End = c.end
		if i+1 < len(list) {
			list[i].End = list[i+1].Start
		}
	}
	return list
}

// Noted returns the code of a function, of the base's too, with notes for a listing. If the present
// code has no notes, the function is compiled again, which makes the same bytes. If it does not,
// that is an error, since notes of other code would be wrong. Nil: the function was never called.
func (p *Module) Noted(i int32) (*abi.Func, error) {
	for int(i) < p.code.First() {
		p = p.base
	}
	p.code.Busy.Lock(nil)
	defer p.code.Busy.Unlock()
	c := p.code.Code(i)
	if c == nil || c.Fn == nil || len(c.Notes) > 0 {
		if c == nil {
			return nil, nil
		}
		return c.Func, nil
	}
	f := p.Mod.Func(int(i))
	if p.Opts.Body != nil {
		if err := p.Opts.Body(f); err != nil {
			return nil, err
		}
	}
	if p.Opts.Prepare != nil {
		if err := p.Opts.Prepare(f, nil); err != nil {
			return nil, err
		}
	}
	f.Settle()
	env := plan.Env{Checked: p.env.Checked, SigID: p.env.SigID, Trap: p.env.Trap, Notes: true}
	again, err := plan.Compile(p.host.cpu, f, &env)
	switch {
	case err != nil:
		return nil, err
	case p.env.Tally == nil && !bytes.Equal(again.Code, c.Code):
		return nil, fmt.Errorf("native: %s, compiled again, is other code than what runs", f.Name)
	}
	return again, nil
}

package chain

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr"
)

// maxGas is a limit of an instance's gas that no chain reaches.
const maxGas = 1 << 62

// deploy makes a contract. The gas pays for the initialisation of its packages and for the first
// call; compiling is paid for by size, before.
func (x *execution) deploy(ctx context.Context, sender string, d *Deploy, gas int64) (results []byte, used int64, err error) {
	w := x.w
	if !validName(d.Name) {
		return nil, 0, failure(CodeName, "%.40q: a contract's name has 1 to 32 small letters, digits and dashes, a letter first", d.Name)
	}
	switch _, err := w.contract(ctx, d.Name); {
	case err == nil:
		return nil, 0, failure(CodeName, "there is a contract %s", d.Name)
	case !errors.As(err, new(*Failure)):
		return nil, 0, err
	}
	c, err := encodeProgram(d.Program)
	if err != nil {
		return nil, 0, err
	}
	prog, err := w.programs.compile(ctx, []code{c})
	if err != nil {
		return nil, 0, err
	}
	l, used, err := x.start(ctx, d.Name, prog, gas)
	if err != nil {
		return nil, used, err
	}
	l.record = ContractRecord{Owner: sender, Versions: 1}
	w.live[d.Name] = l
	x.replaced[l] = nil
	x.touched = append(x.touched, l)
	x.begun = append(x.begun, func() error { return w.setCode(d.Name, 0, c, &l.record) })
	if d.Init != nil {
		init := *d.Init
		init.Contract = d.Name
		var more int64
		results, more, err = x.callJSON(ctx, sender, &init, gas-used)
		used += more
	}
	return results, used, err
}

// start makes an instance and initialises its packages, with a limit of gas. It has an open
// transaction.
func (x *execution) start(ctx context.Context, name string, prog *gyr.Program, gas int64) (l *live, used int64, err error) {
	cfg := x.w.config(name)
	cfg.Gas = max(gas, 1)
	in, err := prog.NewInstance(ctx, cfg)
	if err != nil {
		return nil, 0, outcome(err)
	}
	err = in.Begin(context.WithValue(ctx, frameKey{}, &frame{x: x, self: name, limit: gas}))
	used = min(in.Stats().Gas, max(gas, 1))
	if err == nil {
		err = in.AddGas(maxGas - gas)
	}
	if err != nil {
		in.Close()
		if x.fatal != nil || x.failure != nil {
			return nil, used, x.ended(nil, err)
		}
		return nil, used, outcome(err)
	}
	return &live{name: name, in: in, prog: prog, open: true, changed: true, lastUsed: x.w.clock}, used, nil
}

// setCode writes a version of a contract's code into the table.
func (w *world) setCode(name string, version int, c code, r *ContractRecord) error {
	hash := c.hash()
	w.codes[hash] = c
	if err := w.table.set(codeKey(name, version), hash[:]); err != nil {
		return err
	}
	return w.setRecord(name, r)
}

// upgrade gives a contract new code, with its state or with what the old code exports.
func (x *execution) upgrade(ctx context.Context, sender string, u *Upgrade, gas int64) (used int64, err error) {
	w := x.w
	l, err := w.contract(ctx, u.Name)
	if err != nil {
		return 0, err
	}
	if l.record.Owner != sender {
		return 0, failure(CodeOwner, "%s belongs to %s", u.Name, l.record.Owner)
	}
	c, err := encodeProgram(u.Program)
	if err != nil {
		return 0, err
	}
	record := l.record
	migrates := u.Export != "" || u.Import != ""
	codes := []code{c}
	if migrates {
		record.Base = record.Versions
	} else {
		var before []code
		for version := record.Base; version < record.Versions; version++ {
			old, err := w.code(u.Name, version)
			if err != nil {
				return 0, err
			}
			before = append(before, old)
		}
		codes = append(before, c)
	}
	record.Versions++
	prog, err := w.programs.compile(ctx, codes)
	if err != nil {
		return 0, err
	}
	if err := l.settle(); err != nil {
		return 0, err
	}
	var next *live
	if migrates {
		next, used, err = x.migrate(ctx, l, prog, u, gas)
	} else {
		next, used, err = x.follow(ctx, l, prog, gas)
	}
	if err != nil {
		return used, err
	}
	next.record, next.stored = record, l.stored
	w.live[u.Name] = next
	x.replaced[next] = l
	x.touched = append(x.touched, next)
	x.begun = append(x.begun, func() error { return w.setCode(u.Name, record.Versions-1, c, &next.record) })
	return used, nil
}

// follow makes an instance of the next version that goes on from the state. What it takes is bounded
// by the memory of the contract, and known when it is done.
func (x *execution) follow(ctx context.Context, l *live, prog *gyr.Program, gas int64) (*live, int64, error) {
	s, err := l.in.State(ctx)
	if err != nil {
		return nil, 0, nodeError(err)
	}
	cfg := x.w.config(l.name)
	// Gas of rolled-back calls, which only this node knows, is in the figures of the old instance,
	// and not in those of a restored one.
	same, err := l.prog.Restore(ctx, cfg, s.Root, s.Saved())
	if err != nil {
		return nil, 0, nodeError(err)
	}
	before := same.Stats().Gas
	same.Close()
	in, err := prog.Upgrade(ctx, cfg, s.Root, s.Saved())
	if err != nil {
		if errors.As(err, new(*gyr.ChangeError)) {
			return nil, 0, failure(CodeUpgrade, "%v", err)
		}
		return nil, 0, outcome(err)
	}
	used := in.Stats().Gas - before
	if used > gas {
		in.Close()
		return nil, gas, failure(CodeOutOfGas, "the upgrade takes %d units, %d are left", used, gas)
	}
	if err := in.Begin(ctx); err != nil {
		in.Close()
		return nil, used, outcome(err)
	}
	return &live{name: l.name, in: in, prog: prog, open: true, changed: true, lastUsed: x.w.clock}, used, nil
}

// migrate makes an instance of the new code and gives it what the old one exports.
func (x *execution) migrate(ctx context.Context, l *live, prog *gyr.Program, u *Upgrade, gas int64) (*live, int64, error) {
	next, used, err := x.start(ctx, l.name, prog, gas)
	if err != nil {
		return nil, used, err
	}
	if err := next.settle(); err != nil {
		return nil, used, err
	}
	// The functions of both may use package contract, but call no other contract: clocks do not agree.
	ctx = context.WithValue(ctx, frameKey{}, &frame{x: x, self: l.name, caller: l.name, limit: 0})
	more, err := gyr.Migrate(ctx, l.in, next.in, gyr.Migration{Export: u.Export, Import: u.Import, Gas: max(gas-used, 1)})
	used = min(used+more, gas)
	if err == nil {
		if err = next.in.Begin(ctx); err == nil {
			next.open = true
			return next, used, nil
		}
	}
	next.close()
	return nil, used, x.ended(nil, err)
}

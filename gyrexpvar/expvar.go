// Package gyrexpvar counts what gyr does for package expvar.
//
//	v := gyrexpvar.New(nil)
//	v.Publish("gyr") // at /debug/vars; or serve v.String() elsewhere
//	p, err := gyr.Compile(ctx, src, &gyr.CompileOptions{Hooks: v.Hooks()})
//	…
//	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Hooks: v.Hooks()}})
//	…
//	v.AddPool("plugins", pool)
//
// Package expvar links net/http, and its initialisation registers /debug/vars with
// http.DefaultServeMux. Therefore this package is not a part of package gyr. It publishes nothing by
// itself.
//
// # JSON
//
// A [Vars] is one object. Numbers only grow, except for instances of pools. Times are in seconds.
//
//	{
//	  "compile": {"kinds": {"ok": 1}, "seconds": 0.012},
//	  "make": {"kinds": {"ok": 3}, "seconds": 0.0001, "copies": 1, "afresh": {"it is one of the first two …": 2}},
//	  "reset": {"kinds": {"ok": 7}, "seconds": 0.0002, "copies": 7, "afresh": {}},
//	  "init": {"kinds": {"ok": 2}, "seconds": 0.003},
//	  "calls": {
//	    "Handle": {"kinds": {"ok": 9, "gas": 1}, "seconds": 0.04, "gas": 81000, "allocs": 120, "allocated": 4096}
//	  },
//	  "limits": {"gas": 1},
//	  "hostcalls": {
//	    "kv.Get": {"kinds": {"ok": 12}, "seconds": 0.0001}
//	  },
//	  "pools": {
//	    "plugins": {
//	      "instances": {"used": 1, "idle": 2, "resetting": 0, "making": 0},
//	      "gets": 10, "waits": 1, "wait_time": 0.0004, "starts": {"true": 8, "false": 2},
//	      "made": 3, "make_time": 0.0001, "resets": 7, "reset_time": 0.0002, "discarded": 0
//	    }
//	  }
//	}
//
// The keys of kinds and limits are words of [gyr.Kind], those of afresh are reasons of a
// [gyr.Beginning], and those of calls and hostcalls names of functions. gas counts units, allocs
// objects, allocated bytes. docs/embedding.md tells what the figures of pools are; starts has copies
// under "true".
//
// The names of guests' functions are the program's exports: who writes the program chooses them.
// [Options.NoFuncs] counts all of them as "other". So are all but the first 1,000 names, and names
// that are longer than 200 bytes.
package gyrexpvar

import (
	"context"
	"expvar"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
)

// Options say what is counted. Nil stands for the zero value.
type Options struct {
	// NoFuncs counts all functions of guests as "other", for hosts with programs of many strangers.
	NoFuncs bool
}

// Vars are the counters of hooks, and the figures of pools. They are an [expvar.Var], and safe for
// concurrent use.
type Vars struct {
	noFuncs                             bool
	hooks                               *gyr.Hooks
	all, limits, calls, hostCalls, pool expvar.Map

	compile, init *counted
	make, reset   *instances
	funcs         telemetry.Named[*calls]
	hosts         telemetry.Named[*counted]
}

// counted are the counters of something that happens.
type counted struct {
	vars, kinds expvar.Map
	seconds     expvar.Float
}

// newCounted returns counters that are in a map.
func newCounted(in *expvar.Map, name string) *counted {
	c := &counted{}
	c.vars.Set("kinds", &c.kinds)
	c.vars.Set("seconds", &c.seconds)
	in.Set(name, &c.vars)
	return c
}

// count counts an event.
func (c *counted) count(took time.Duration, err error) {
	c.kinds.Add(gyr.Kind(err), 1)
	c.seconds.Add(took.Seconds())
}

// instances are the counters of making or resetting instances.
type instances struct {
	*counted
	copies  expvar.Int
	afresh  expvar.Map
	reasons telemetry.Named[string] // bounds them
}

func newInstances(in *expvar.Map, name string) *instances {
	i := &instances{counted: newCounted(in, name)}
	i.vars.Set("copies", &i.copies)
	i.vars.Set("afresh", &i.afresh)
	return i
}

// tell counts an instance.
func (i *instances) tell(_ context.Context, e gyr.InstanceEvent) {
	i.count(e.Took, e.Err)
	switch {
	case e.Err != nil:
	case e.Began.Copy:
		i.copies.Add(1)
	default:
		i.afresh.Add(i.reasons.Get(e.Began.Reason, func(reason string) string { return reason }), 1)
	}
}

// calls are the counters of a function of a guest.
type calls struct {
	*counted
	gas, allocs, allocated expvar.Int
}

func newCalls(in *expvar.Map, name string) *calls {
	c := &calls{counted: newCounted(in, name)}
	c.vars.Set("gas", &c.gas)
	c.vars.Set("allocs", &c.allocs)
	c.vars.Set("allocated", &c.allocated)
	return c
}

// New returns counters that are not published.
func New(o *Options) *Vars {
	v := &Vars{noFuncs: o != nil && o.NoFuncs}
	v.compile, v.init = newCounted(&v.all, "compile"), newCounted(&v.all, "init")
	v.make, v.reset = newInstances(&v.all, "make"), newInstances(&v.all, "reset")
	v.all.Set("calls", &v.calls)
	v.all.Set("limits", &v.limits)
	v.all.Set("hostcalls", &v.hostCalls)
	v.all.Set("pools", &v.pool)
	v.hooks = &gyr.Hooks{
		Compile:  func(_ context.Context, e gyr.CompileEvent) { v.compile.count(e.Took, e.Err) },
		Make:     v.make.tell,
		Reset:    v.reset.tell,
		Init:     func(_ context.Context, e gyr.InstanceEvent) { v.init.count(e.Took, e.Err) },
		Call:     v.call,
		Limit:    func(_ context.Context, e gyr.CallEvent) { v.limits.Add(gyr.Kind(e.Err), 1) },
		HostCall: v.hostCall,
	}
	return v
}

// Hooks returns the hooks that count. [gyr.JoinHooks] joins them with others.
func (v *Vars) Hooks() *gyr.Hooks { return v.hooks }

// String returns the JSON that the comment of the package describes. It implements [expvar.Var].
func (v *Vars) String() string { return v.all.String() }

// Publish registers the counters under a name, as [expvar.Publish] does: it panics if the name is
// taken, and no name is ever free again.
func (v *Vars) Publish(name string) { expvar.Publish(name, v) }

// AddPool adds a pool under a name, in place of another one of this name. Its figures are read when
// the JSON is made, until RemovePool; a pool that is closed is read too.
func (v *Vars) AddPool(name string, pool *gyr.Pool) {
	v.pool.Set(name, expvar.Func(func() any { return figures(pool.Stats()) }))
}

// RemovePool removes a pool. Without such a pool it does nothing.
func (v *Vars) RemovePool(name string) { v.pool.Delete(name) }

// figures returns the figures of a pool by the names of its metrics.
func figures(stats gyr.PoolStats) map[string]any {
	all := map[string]any{}
	for _, f := range telemetry.PoolFigures() {
		name := strings.ReplaceAll(strings.TrimPrefix(f.Name, "gyr.pool."), ".", "_")
		if f.Label == "" {
			all[name] = f.Value(stats)
			continue
		}
		if all[name] == nil {
			all[name] = map[string]float64{}
		}
		all[name].(map[string]float64)[f.Label] = f.Value(stats)
	}
	return all
}

func (v *Vars) call(_ context.Context, e gyr.CallEvent) {
	name := e.Func
	if v.noFuncs {
		name = telemetry.Other
	}
	c := v.funcs.Get(name, func(name string) *calls { return newCalls(&v.calls, name) })
	c.count(e.Took, e.Err)
	c.gas.Add(e.Stats.Gas)
	c.allocs.Add(int64(e.Stats.Mallocs))
	c.allocated.Add(int64(e.Stats.AllocBytes))
}

func (v *Vars) hostCall(_ context.Context, e gyr.HostCallEvent) {
	v.hosts.Get(e.Func, func(name string) *counted { return newCounted(&v.hostCalls, name) }).count(e.Took, e.Err)
}

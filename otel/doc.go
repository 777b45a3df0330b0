// Package gyrotel makes spans and metrics of OpenTelemetry of what gyr does.
//
//	import gyrotel "github.com/gyrvm/gyr/otel"
//
//	hooks, err := gyrotel.New(nil) // the global providers
//	…
//	p, err := gyr.Compile(ctx, src, &gyr.CompileOptions{Hooks: hooks})
//	…
//	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Hooks: hooks}})
//	…
//	observed, err := gyrotel.ObservePool("plugins", pool, nil)
//	…
//	defer observed.Unregister()
//
// The package is gyrotel, because most files that import it import package otel of OpenTelemetry
// too. Its import path is a module of its own.
//
// # Spans
//
//	gyr.compile             Compile and CompileImage
//	gyr.instance.make       NewInstance, by a pool too
//	gyr.instance.reset      Instance.Reset, by a pool too
//	gyr.instance.init       initialisation of packages, in the first call or before it
//	gyr.call Handle         a call of a function of the guest; "gyr.call main" for Run
//	gyr.hostcall kv.Get     a call of a function of the host by the guest
//
// The parent of a span is that of the context which the host gives to Compile, to NewInstance or to
// the call. That of gyr.hostcall is the span of the call. Functions of the host run with the span of the call in their
// context, so spans that they make are its children too: they stand beside gyr.hostcall, not below
// it. gyr.instance.reset has no parent, because Reset has no context. A call of a function of the host by an initialisation before the first call has no span.
//
// All spans have gyr.kind, the word of [gyr.Kind] for their error. A span that failed has the status
// Error, with the same word as description, and error.type. Others are
//
//	gyr.func                                 the function, of calls
//	gyr.gas, gyr.allocs, gyr.allocated       units of gas, objects and bytes, of calls
//	gyr.hostcalls                            of calls: how many functions of the host it called
//	gyr.copy, gyr.reason                     of instances: whether it began as a copy, and why not
//	gyr.cache, gyr.packages, gyr.functions   of compilations: hit, miss or off; packages, functions
//
// # Metrics
//
// docs/embedding.md has the table. Attributes have the prefix gyr. Durations have buckets from a
// microsecond to ten seconds, which a view of the SDK can replace.
//
// # What a guest can do to a backend
//
// The names of functions in gyr.func are the program's exports. Who writes the program chooses them.
// [Options.NoFuncs] drops them. Names that are longer than 200 bytes are "other", and so are all
// after the first 1,000 of a set of hooks. A guest can call functions of the host as
// often as its gas allows. A call has spans for the first [Options.HostSpans] of these calls. The
// text of an error may be the guest's, and is recorded only with [Options.ErrorText].
//
// # What hooks cost
//
// Hooks run on the goroutine of the call. Those of this package do no I/O and wait for nothing; they
// call the SDK, which aggregates metrics in memory. What the SDK does at the end of a span is the
// host's choice: with a batching processor (WithBatcher) it puts the span into a queue. With a
// simple one (WithSyncer) it exports it, and every call of a guest waits for the collector.
package gyrotel

// Package gyrprometheus makes metrics of Prometheus of what gyr does.
//
//	import gyrprometheus "github.com/gyrvm/gyr/prometheus"
//
//	metrics, err := gyrprometheus.New(nil)
//	…
//	prometheus.MustRegister(metrics)
//	p, err := gyr.Compile(ctx, src, &gyr.CompileOptions{Hooks: metrics.Hooks()})
//	…
//	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Hooks: metrics.Hooks()}})
//	…
//	err = metrics.AddPool("plugins", pool)
//
// The package is gyrprometheus, because files that import it import package prometheus of
// client_golang too. Its import path is a module of its own.
//
// docs/embedding.md has the table of metrics. Their names begin with gyr_, times are in seconds.
//
// # Labels
//
// The values of the label func are names of functions. Those of guests are the program's exports:
// who writes the program chooses them. [Options.NoFuncs] leaves them out. All but the first 1,000 of
// a Collector are "other", and so are names that are longer than 200 bytes. All other labels have few
// values: kind is a word of [gyr.Kind], reason a sentence of gyr.
//
// # What hooks cost
//
// Hooks run on the goroutine of the call. Those of this package add to numbers in memory: they do no
// I/O and wait for nothing, whatever scrapes them.
package gyrprometheus

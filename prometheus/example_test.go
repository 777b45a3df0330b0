package gyrprometheus_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gyrvm/gyr"
	gyrprometheus "github.com/gyrvm/gyr/prometheus"
)

func Example() {
	ctx := context.Background()
	metrics, err := gyrprometheus.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	registry := prometheus.NewRegistry() // or prometheus.MustRegister(metrics)
	registry.MustRegister(metrics)

	upload := fstest.MapFS{"plugin.go": {Data: []byte("package plugin\n\nfunc Double(n int) int { return 2 * n }\n")}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Exports: true}, &gyr.CompileOptions{Hooks: metrics.Hooks()})
	if err != nil {
		fmt.Println(err)
		return
	}
	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Hooks: metrics.Hooks()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	if err := metrics.AddPool("plugins", pool); err != nil {
		fmt.Println(err)
		return
	}
	err = pool.Do(ctx, func(in *gyr.Instance) error {
		_, err := in.Call(ctx, "Double", 21)
		return err
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	families, err := registry.Gather() // promhttp.Handler does
	for _, f := range families {
		if name := f.GetName(); name == "gyr_calls_total" || name == "gyr_pool_gets_total" {
			fmt.Println(name, f.Metric[0].Label[0].GetValue(), f.Metric[0].Counter.GetValue())
		}
	}
	fmt.Println(err)
	// Output:
	// gyr_calls_total Double 1
	// gyr_pool_gets_total plugins 1
	// <nil>
}

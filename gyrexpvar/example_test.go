package gyrexpvar_test

import (
	"context"
	"expvar"
	"fmt"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrexpvar"
)

func Example() {
	ctx := context.Background()
	vars := gyrexpvar.New(nil)
	vars.Publish("gyr")

	upload := fstest.MapFS{"plugin.go": {Data: []byte("package plugin\n\nfunc Double(n int) int { return 2 * n }\n")}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Exports: true}, &gyr.CompileOptions{Hooks: vars.Hooks()})
	if err != nil {
		fmt.Println(err)
		return
	}
	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Hooks: vars.Hooks()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pool.Close()
	vars.AddPool("plugins", pool)
	err = pool.Do(ctx, func(in *gyr.Instance) error {
		_, err := in.Call(ctx, "Double", 21)
		return err
	})

	all := expvar.Get("gyr").(*gyrexpvar.Vars)
	fmt.Println(len(all.String()) > 0, err)
	// Output: true <nil>
}

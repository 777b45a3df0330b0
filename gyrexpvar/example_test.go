package gyrexpvar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrexpvar"
)

func Example() {
	ctx := context.Background()
	vars := gyrexpvar.New(nil) // and vars.Publish("gyr"), for /debug/vars

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
	if err != nil {
		fmt.Println(err)
		return
	}

	var all struct {
		Calls map[string]struct{ Kinds map[string]int }
		Pools map[string]struct{ Gets int }
	}
	fmt.Println(json.Unmarshal([]byte(vars.String()), &all), all.Calls, all.Pools)
	// Output: <nil> map[Double:{map[ok:1]}] map[plugins:{1}]
}

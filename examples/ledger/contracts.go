package main

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"path"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// The second version of the contract has another accounts.go, and the rest of the first one.
//
//go:embed testdata/contract testdata/contract2
var sources embed.FS

// compile compiles the versions of the contract.
func compile(ctx context.Context) (map[int]*gyr.Program, error) {
	files := fstest.MapFS{"go.mod": {Data: []byte("module ledger\n\ngo 1.26\n")}}
	contracts := map[int]*gyr.Program{}
	for i, dir := range []string{"testdata/contract", "testdata/contract2"} {
		entries, err := sources.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			text, err := sources.ReadFile(path.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			files[e.Name()] = &fstest.MapFile{Data: text}
		}
		p, err := gyr.Compile(ctx, gyr.Source{FS: maps.Clone(files), Exports: true, State: true})
		if err != nil {
			return nil, fmt.Errorf("contract %d: %w", i+1, err)
		}
		contracts[i+1] = p
	}
	return contracts, nil
}

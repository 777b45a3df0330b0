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

// The second version of the contract has another accounts.go, and the rest of the first one. The third one has a function
// more.
//
//go:embed testdata/contract testdata/contract2 testdata/contract3
var sources embed.FS

// A contract is a version of it.
type contract struct {
	*gyr.Program
	upgrades int // the version whose states it goes on from, since it has the same types; 0: it imports what the version before exports
}

// compile compiles the versions of the contract.
func compile(ctx context.Context) (map[int]contract, error) {
	files := fstest.MapFS{"go.mod": {Data: []byte("module ledger\n\ngo 1.26\n")}}
	contracts := map[int]contract{}
	for i, dir := range []string{"testdata/contract", "testdata/contract2", "testdata/contract3"} {
		upgrades := 0
		if i == 2 {
			upgrades = 2
		}
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
		p, err := gyr.Compile(ctx, gyr.Source{FS: maps.Clone(files), Exports: true, State: true, Upgrades: contracts[upgrades].Program})
		if err != nil {
			return nil, fmt.Errorf("contract %d: %w", i+1, err)
		}
		contracts[i+1] = contract{p, upgrades}
	}
	return contracts, nil
}

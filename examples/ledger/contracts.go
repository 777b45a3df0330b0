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

// The second version of the contract has another accounts.go, and the other files of the first one.
// The third version has one more function.
//
//go:embed testdata/contract testdata/contract2 testdata/contract3
var sources embed.FS

// A contract is a version of the contract.
type contract struct {
	*gyr.Program
	upgrades int // the version with the same types, whose states it restores; 0: it imports an export
}

// chain is the package of the host that contracts can import. Its events are not in the contract's
// state. They are collected in a list in the context of a block. When a transaction is rolled back
// its events go with it, because gyr is told how to undo them.
var chain = gyr.HostPackage{
	Path: "ledger.example/chain",
	Source: `// Package chain is what contracts know of the chain.
package chain

// Event tells those who follow the chain what has happened.
func Event(text string)
`,
	Funcs: map[string]any{"Event": gyr.HostFunc{Gas: 200, GasPerByte: 2, Deterministic: true, Func: func(ctx context.Context, text string) {
		events := ctx.Value(eventsKey{}).(*[]string)
		before := len(*events)
		*events = append(*events, text)
		gyr.Undo(ctx, func() { *events = (*events)[:before] })
	}}},
}

// eventsKey is the key of a context's *[]string.
type eventsKey struct{}

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
		p, err := gyr.Compile(ctx, gyr.Source{FS: maps.Clone(files), Exports: true},
			&gyr.CompileOptions{State: true, Host: []gyr.HostPackage{chain}, Upgrades: contracts[upgrades].Program})
		if err != nil {
			return nil, fmt.Errorf("contract %d: %w", i+1, err)
		}
		contracts[i+1] = contract{p, upgrades}
	}
	return contracts, nil
}

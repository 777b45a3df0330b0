package main

import (
	"context"
	"crypto/rand"
	"errors"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// runWazero runs the module in the file args[1] with the arguments after it.
// args[0] is the directory of wazero's cache.
func runWazero(args []string) error {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(args[0])
	if err != nil {
		return err
	}
	defer cache.Close(ctx)
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
	defer r.Close(ctx)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return err
	}
	module, err := os.ReadFile(args[1])
	if err != nil {
		return err
	}
	code, err := r.CompileModule(ctx, module)
	if err != nil {
		return err
	}
	_, err = r.InstantiateModule(ctx, code, wazero.NewModuleConfig().
		WithArgs(args[1:]...).WithStdin(os.Stdin).WithStdout(os.Stdout).WithStderr(os.Stderr).
		WithSysWalltime().WithSysNanotime().WithSysNanosleep().WithRandSource(rand.Reader))
	if exit := (*sys.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 0 {
		return nil
	}
	return err
}

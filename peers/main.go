// Command peers is the command ratio with more columns, for other engines that run the same
// programs.
//
//	cd peers && go run .                 all programs
//	cd peers && go run . -only fib -n 1  and all other flags of ratio
//	cd peers && go run . calls           the cost of calls between host and guest (calls.go)
//	cd peers && go run . hosts           three hosts: plug-ins, a ledger, a stream (hosts.go)
//	cd peers && go run . c               some of the programs in C, beside native Go and gyr (c.go)
//
// The engines are:
//
//   - yaegi interprets the source. It is measured at the small sizes.
//   - wazero runs the build for wasip1 with its optimising compiler. It keeps the compiled code in
//     a cache as gyr does. It does not meter, and cannot be stopped.
//   - node runs the same build with V8, if Node is installed.
//
// A program that an engine cannot run is a gap in its column, and each mean says how many programs
// it covers. The peers run in processes of their own: this binary starts itself with the name of
// the peer and its arguments.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gyrvm/gyr/internal/lab/ratio"
)

// children are the peers that are Go packages, with what this binary does in place of the command.
var children = map[string]func(args []string) error{"yaegi": runYaegi, "wazero": runWazero, "calls": runCalls, "hosts": runHosts, "load": runLoad, "c": runC, "measure-c": measureC}

func main() {
	if len(os.Args) > 1 {
		if run := children[os.Args[1]]; run != nil {
			if err := run(os.Args[2:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
	os.Exit(ratio.Main(os.Args[1:], engines(self)...))
}

// engines returns the peers. self is this binary.
func engines(self string) []ratio.Engine {
	return []ratio.Engine{
		{
			Name: "wazero",
			Peer: true,
			Setup: func(e ratio.Env, list []ratio.Program) error {
				return errors.Join(os.MkdirAll(filepath.Join(e.Dir, "wazero"), 0o700), buildWasm(e, list))
			},
			Command: func(e ratio.Env, p ratio.Program, size string) []string {
				return []string{self, "wazero", filepath.Join(e.Dir, "wazero"), wasm(e, p), size}
			},
		},
		{
			Name: "node",
			Peer: true,
			Setup: func(e ratio.Env, list []ratio.Program) error {
				if _, err := exec.LookPath("node"); err != nil {
					return err
				}
				return errors.Join(os.WriteFile(filepath.Join(e.Dir, "wasi.mjs"), []byte(nodeScript), 0o600), buildWasm(e, list))
			},
			Command: func(e ratio.Env, p ratio.Program, size string) []string {
				return []string{"node", "--no-warnings", filepath.Join(e.Dir, "wasi.mjs"), wasm(e, p), size}
			},
		},
		{
			Name: "yaegi",
			Peer: true,
			Slow: true,
			Setup: func(e ratio.Env, list []ratio.Program) error {
				for _, p := range list {
					src, err := rewritten(filepath.Join(e.Root, "programs", p.Name, "main.go"))
					if err == nil {
						err = os.MkdirAll(filepath.Dir(yaegiSource(e, p)), 0o700)
					}
					if err == nil {
						err = os.WriteFile(yaegiSource(e, p), src, 0o600)
					}
					if err != nil {
						return err
					}
				}
				return nil
			},
			Command: func(e ratio.Env, p ratio.Program, size string) []string {
				return []string{self, "yaegi", yaegiSource(e, p), size}
			},
		},
	}
}

func yaegiSource(e ratio.Env, p ratio.Program) string {
	return filepath.Join(e.Dir, "yaegi", p.Name, "main.go")
}

// wasm is the file name of a program's build for wasip1.
func wasm(e ratio.Env, p ratio.Program) string { return filepath.Join(e.Dir, "wasm", p.Name+".wasm") }

// buildWasm builds the programs for wasip1 that are not built yet.
func buildWasm(e ratio.Env, list []ratio.Program) error {
	for _, p := range list {
		if _, err := os.Stat(wasm(e, p)); err == nil {
			continue
		}
		cmd := exec.Command("go", "build", "-o", wasm(e, p), "./programs/"+p.Name)
		cmd.Dir, cmd.Stderr = e.Root, os.Stderr
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go build for wasip1: %w", err)
		}
	}
	return nil
}

// nodeScript runs a module with arguments under Node's WASI.
const nodeScript = `import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';
const [file, ...args] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [file, ...args] });
const module = await WebAssembly.compile(await readFile(file));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
`

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/gyrvm/gyr"
)

// The three hosts: a server of plug-ins (hosts_plugin.go), a ledger (hosts_ledger.go), a stream
// (hosts_stream.go). Each has a guest of its own in the directory guest. Engines take turns, and all
// have to give native Go's answers.

// A hostRun is a run of the command.
type hostRun struct {
	ctx       context.Context
	dir       string // of this module
	wazero    *wasmHost
	module    wazero.CompiledModule // the guests, as Go builds them for WebAssembly
	out       io.Writer
	rounds    int
	sample    time.Duration
	transfers int
}

// hosts are the benchmarks by name.
var hosts = map[string]func(*hostRun) error{
	"plugin": (*hostRun).plugin, "ledger": (*hostRun).ledger, "stream": (*hostRun).stream,
}

// runHosts is the command: it prints the tables.
func runHosts(args []string) error {
	r := &hostRun{ctx: context.Background(), out: os.Stdout}
	set := flag.NewFlagSet("peers hosts", flag.ContinueOnError)
	set.IntVar(&r.rounds, "rounds", 5, "how often each engine is measured, in turns")
	set.DurationVar(&r.sample, "sample", 100*time.Millisecond, "processor time of a sample, about")
	set.IntVar(&r.transfers, "transfers", 60_000, "transfers that the ledger has made when it is measured")
	set.StringVar(&r.dir, "dir", ".", "directory of this module")
	only := set.String("only", "plugin,ledger,stream", "which hosts, with commas between them")
	if err := set.Parse(args); err != nil {
		return err
	}
	names := strings.Split(*only, ",")
	for _, name := range names {
		if hosts[name] == nil {
			return fmt.Errorf("peers: there is no host %q", name)
		}
	}
	if set.NArg() > 0 || r.rounds <= 0 || r.sample <= 0 || r.transfers < 0 {
		return errors.New("peers: usage: peers hosts [-rounds N] [-sample D] [-transfers N] [-only LIST] [-dir DIRECTORY]")
	}
	done, err := r.open()
	if err != nil {
		return err
	}
	defer done()
	writeMachine(r.out)
	for _, name := range names {
		if err := hosts[name](r); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// open makes what the benchmarks share: the guests in wazero. Calls can be stopped there, as a host
// needs that does not trust its guests.
func (r *hostRun) open() (done func(), err error) {
	temp, err := os.MkdirTemp("", "peers")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	file := filepath.Join(temp, "hosts.wasm")
	if err := buildReactor(r.ctx, r.dir, "./reactor/hosts", file); err != nil {
		return nil, err
	}
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.ctx)
	if r.wazero, err = newWasmHost(ctx, true); err != nil {
		cancel()
		return nil, err
	}
	done = func() {
		r.wazero.runtime.Close(r.ctx)
		cancel()
	}
	if r.module, err = r.wazero.runtime.CompileModule(ctx, code); err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// guest makes an instance in wazero.
func (r *hostRun) guest() (api.Module, error) {
	return r.wazero.runtime.InstantiateModule(r.wazero.ctx, r.module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
}

// compile compiles a guest in gyr.
func (r *hostRun) compile(guest string, opts gyr.CompileOptions) (*gyr.Program, error) {
	return gyr.Compile(r.ctx, gyr.Source{Dir: filepath.Join(r.dir, "guest", guest), Exports: true, Unsafe: gyr.UnsafeDependencies, Limits: gyr.UntrustedLimits()}, &opts)
}

// row prints a row of a table.
func (r *hostRun) row(cells ...string) {
	fmt.Fprintf(r.out, "| %s |\n", strings.Join(cells, " | "))
}

// header prints the head of a table, with numbers in all columns but the first.
func (r *hostRun) header(cells ...string) {
	r.row(cells...)
	fmt.Fprintf(r.out, "|---|%s\n", strings.Repeat("--:|", len(cells)-1))
}

// thousands prints a number.
func thousands[N int | uint64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

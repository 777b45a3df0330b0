//go:build !linux

package sample

import (
	"debug/elf"
	"os/exec"
	"runtime"
)

func noPerf(what string) error {
	return &DeniedError{What: what, Why: "there is no perf_event_open on " + runtime.GOOS}
}

// Thread returns 0: it does not tell threads apart.
func Thread() int { return 0 }

// OpenThread fails: see perf_linux.go.
func OpenThread(Config) (*Sampler, error) { return nil, noPerf("sampling a thread") }

// OpenProcess fails.
func OpenProcess(int, Config) (*Sampler, error) { return nil, noPerf("sampling a process") }

// Start fails.
func Start(*exec.Cmd, Config) (*Sampler, error) { return nil, noPerf("sampling a process") }

// CountThread returns nil.
func CountThread() *Counting { return nil }

type ring struct{}

func (*ring) enable(bool) error                  { return nil }
func (*ring) read(list []Sample) ([]Sample, int) { return list, 0 }
func (*ring) close() error                       { return nil }

type counter struct{}

func (counter) enable(bool) error              { return nil }
func (counter) read() (n uint64, part float64) { return 0, 0 }
func (counter) close()                         {}

func biasOf(int, *elf.Section) uint64 { return 0 }

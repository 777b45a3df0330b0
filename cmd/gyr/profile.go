package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// profileKinds are the profiles and their flags.
var profileKinds = []struct {
	flag, usage string
	kind        api.Profile
}{
	{"gasprofile", "write the gas of each line to `FILE`, for go tool pprof", api.GasProfile},
	{"cpuprofile", "write the processor time of each line to `FILE`, for go tool pprof", api.CPUProfile},
	{"memprofile", "write the allocations of each line to `FILE`, for go tool pprof", api.MemProfile},
}

// profileFlags are the files of the profiles, in the order of profileKinds.
type profileFlags struct {
	cmd   string // the command, for errors
	dir   string // the directory of relative names; empty: the current directory
	names []string
	files []*os.File
}

func (p *profileFlags) register(fs *flag.FlagSet, cmd string) {
	p.cmd = cmd
	p.names = make([]string, len(profileKinds))
	for i, k := range profileKinds {
		fs.StringVar(&p.names[i], k.flag, "", k.usage)
	}
}

// kinds returns the requested profiles.
func (p *profileFlags) kinds() (set api.Profile, err error) {
	flags := map[string]string{}
	for i, k := range profileKinds {
		name := p.names[i]
		if name == "" {
			continue
		}
		if other := flags[name]; other != "" {
			return 0, usageError{fmt.Sprintf("%s: -%s and -%s name the same file, %s", p.cmd, other, k.flag, name)}
		}
		flags[name] = k.flag
		set |= k.kind
	}
	return set, nil
}

// create makes the files before the program runs, so that a file that cannot be written fails at
// once and not after a long run.
func (p *profileFlags) create() error {
	p.files = make([]*os.File, len(profileKinds))
	for i, name := range p.names {
		if name == "" {
			continue
		}
		f, err := createIn(p.dir, name)
		if err != nil {
			p.close()
			return p.fail(profileKinds[i].flag, err)
		}
		p.files[i] = f
	}
	return nil
}

// write writes the profiles of a run, however it ended.
func (p *profileFlags) write(in *engine.Instance) error {
	var errs []error
	for i, f := range p.files {
		if f == nil {
			continue
		}
		err := in.WriteProfile(profileKinds[i].kind, f)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		p.files[i] = nil
		if err != nil {
			errs = append(errs, p.fail(profileKinds[i].flag, err))
		}
	}
	return errors.Join(errs...)
}

// close closes the files that were not written.
func (p *profileFlags) close() {
	for _, f := range p.files {
		if f != nil {
			f.Close()
		}
	}
}

func (p *profileFlags) fail(flag string, err error) error {
	return fmt.Errorf("%s: -%s: %w", p.cmd, flag, err)
}

// createIn makes a file, in the directory dir if its name is relative.
func createIn(dir, name string) (*os.File, error) {
	if dir != "" && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	return os.Create(name)
}

package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// coverFlags are the coverage flags of gyr test. Each of them asks for coverage.
type coverFlags struct {
	on            bool
	mode, profile string
	packages      string
	file          *os.File
}

func (c *coverFlags) register(fs *flag.FlagSet) {
	fs.BoolVar(&c.on, "cover", false, "say how many of the statements were executed")
	fs.Func("covermode", "set, count or atomic: whether each statement was executed, or how often; implies -cover",
		func(s string) error {
			if s != "set" && s != "count" && s != "atomic" {
				return fmt.Errorf("want set, count or atomic")
			}
			c.mode = s
			return nil
		})
	fs.StringVar(&c.profile, "coverprofile", "", "write to `FILE` what was executed, for go tool cover; implies -cover")
	fs.StringVar(&c.packages, "coverpkg", "",
		"cover the packages that match the `patterns`, separated by commas, in the place of the one under test; implies -cover")
}

// options returns the options that the flags ask for, or nil if none is given. It makes the file of
// the profile, in the directory dir if its name is relative.
func (c *coverFlags) options(given map[string]bool, dir string) (*testrun.Cover, error) {
	if !c.on && !given["covermode"] && !given["coverprofile"] && !given["coverpkg"] {
		return nil, nil
	}
	o := &testrun.Cover{Mode: c.mode}
	if o.Mode == "" {
		o.Mode = "set"
	}
	for p := range strings.SplitSeq(c.packages, ",") {
		if p != "" {
			o.Packages = append(o.Packages, p)
		}
	}
	if c.profile != "" {
		f, err := createIn(dir, c.profile)
		if err != nil {
			return nil, fmt.Errorf("test: -coverprofile: %w", err)
		}
		c.file, o.Profile = f, f
	}
	return o, nil
}

// close closes the profile.
func (c *coverFlags) close() error {
	if c.file == nil {
		return nil
	}
	if err := c.file.Close(); err != nil {
		return fmt.Errorf("test: -coverprofile: %w", err)
	}
	return nil
}

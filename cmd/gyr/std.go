package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/hostfile"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/internal/release"
)

var stdCmd = &command{
	name:  "std",
	usage: "build [flags]",
	short: "precompile the standard library into a file",
	long: `Std build compiles the standard library of the Go installation, all of it, and writes
it to a file. With the file, gyr needs no Go installation: run, build, test and disasm take it by
-std, package gyr by BaseConfig.Std, and a command built with the tag gyrstd has one in it.

Equal Go releases, versions of gyr and tags give equal files. The file is for gyr of the
same version only, on any processor and system. It is code that runs as it is and is not
verified: take it from whom you take gyr itself from.

The hash that is printed names the file; one with that hash built in (by
-ldflags '-X main.trustedStd=HASH') takes the file without -trust-std.`,
	run:   stdBuild,
	words: func() []string { return []string{"build"} },
}

// stdSuffix ends the default name of a std file.
const stdSuffix = ".gyrstd"

func stdBuild(c *command, args []string) error {
	fs := c.flags()
	tags := fs.String("tags", "", "comma-separated build `tags` of the programs that the file is for")
	cache := fs.String("cache", "", cacheUsage)
	out := fs.String("o", "", "write to `FILE`; default: the Go release with "+stdSuffix)
	verb := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb, args = args[0], args[1:]
	}
	if err := c.parse(fs, args); err != nil {
		return err
	}
	switch {
	case verb != "build":
		return usageError{fmt.Sprintf("std: no subcommand %q\nusage: gyr std %s", verb, c.usage)}
	case fs.NArg() > 0:
		return usageError{fmt.Sprintf("std build: %s: it takes no packages, all are in the file\nusage: gyr std %s", fs.Arg(0),
			c.usage)}
	}
	goroot, err := selectGo()
	if err != nil {
		return err
	}
	more, err := experiments(goroot, nil)
	if err != nil {
		return err
	}
	cfg := engine.BaseConfig{BaseConfig: api.BaseConfig{GOROOT: goroot, Tags: append(tagsOf(*tags), more...)}}
	flags := buildFlags{cache: cache}
	with := engine.Source{}
	flags.useCache(&with)
	cfg.Cache = with.Cache
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	with, done := flags.progress(with)
	cfg.Progress = with.Progress
	data, err := engine.BuildStd(ctx, cfg)
	done()
	if err != nil {
		return err
	}
	info, err := engine.StdInfoOf(data)
	if err != nil {
		return err
	}
	name := *out
	if name == "" {
		name = info.Release + stdSuffix
	}
	if err := writeFile(name, data); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: the standard library of %s, %d bytes, %s\n", printable.Line(name), info.Release, len(data),
		info.ID)
	return nil
}

// tagsOf splits the value of a flag -tags: at commas, or at spaces as in earlier releases of Go.
func tagsOf(flag string) []string {
	if flag == "" {
		return nil
	}
	return strings.FieldsFunc(flag, func(r rune) bool { return r == ',' || r == ' ' })
}

// embeddedStd is the std file that the build tag gyrstd builds into the command; empty: none.
var embeddedStd []byte

// trustedStd is the hash, in hexadecimal digits, of a std file that -std takes without -trust-std.
// -ldflags '-X main.trustedStd=HASH' sets it.
var trustedStd string

// stdOff is the value of -std that switches the embedded file off.
const stdOff = "off"

// stdFlags say which standard library programs are compiled with.
type stdFlags struct {
	name  string // the name of a file, or stdOff
	trust bool
}

func (s *stdFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&s.name, "std", "",
		"take the standard library from `FILE`, which gyr std build wrote, instead of a Go installation;\n"+
			"off: from an installation even if one is built in")
	fs.BoolVar(&s.trust, "trust-std", false,
		"run code of the -std file although its hash is not built into this gyr: it is as trusted as gyr itself")
}

// base returns the base that the flags and the environment name: of the file given by -std, or of
// the embedded one. Nil means the standard library of the Go installation. If the module in the
// current directory selects an installation, base writes it to src.
//
// The embedded file is preferred to an installation: it is available at once, and is the same
// wherever the command is. But if the user has set GOROOT to another release, that wins.
func (s *stdFlags) base(src *engine.Source) (*engine.Base, error) {
	if src.Image == nil && src.GOROOT == "" {
		var err error
		if src.GOROOT, err = selectGo(); err != nil {
			return nil, err
		}
	}
	data, err := s.file(src)
	if err == nil && src.Image == nil {
		var tags []string
		tags, err = experiments(src.GOROOT, data)
		src.Tags = append(slices.Clip(src.Tags), tags...)
	}
	if data == nil || err != nil {
		return nil, err
	}
	cfg := engine.BaseConfig{BaseConfig: api.BaseConfig{Std: data, GOROOT: src.GOROOT, Tags: src.Tags, Cache: src.Cache}}
	if s.name == "" || src.Image != nil {
		info, err := engine.StdInfoOf(data)
		if err != nil {
			return nil, s.named(err)
		}
		cfg.Tags = info.Tags
	}
	cfg.FindGo = s.name == "" // for programs with other tags, tests of the standard library, …
	b, err := engine.NewBase(cfg)
	return b, s.named(err)
}

// goOfImage returns the installation for an image that was built with a version of the standard
// library. It returns the installation of that release if the default one has another release and
// the user has named none.
func goOfImage(version string) string {
	r := release.Of(version)
	if r == nil || os.Getenv("GOROOT") != "" {
		return ""
	}
	if _, found, err := engine.FindGo(""); err == nil && release.Of(found) == r {
		return ""
	}
	return gomod.Installations()[r.Name()]
}

// file returns the std file for base, or nil if there is none.
func (s *stdFlags) file(src *engine.Source) ([]byte, error) {
	switch {
	case s.name == stdOff, s.name == "" && (embeddedStd == nil || otherGo(embeddedStd, src.GOROOT)):
		return nil, nil
	case s.name == "":
		return embeddedStd, nil
	}
	return s.read()
}

// experiments returns the build tags that $GOEXPERIMENT asks for, or why programs cannot be
// compiled as it and $GOFIPS140 say. The release is that of the std file, or of the installation.
// Errors of either are reported elsewhere.
func experiments(goroot string, file []byte) (tags []string, err error) {
	if fips := goEnv("GOFIPS140"); fips != "" && fips != "off" {
		return nil, usageError{"GOFIPS140=" + fips + ": the FIPS 140-3 mode of package crypto is not for code with the build tag purego, as that of programs is; GOFIPS140=off does without"}
	}
	value := goEnv("GOEXPERIMENT")
	if value == "" {
		return nil, nil
	}
	version := ""
	if file == nil {
		_, version, _ = engine.FindGo(goroot)
	} else if info, err := engine.StdInfoOf(file); err == nil {
		version = info.Release
	}
	if r := release.Of(version); r != nil {
		if tags, err = r.Experiments(value); err != nil {
			return nil, usageError{err.Error()}
		}
	}
	return tags, nil
}

// read reads the file of -std, if it can be trusted.
func (s *stdFlags) read() ([]byte, error) {
	data, err := hostfile.Read(s.name, maxImage)
	if err != nil {
		return nil, newFileError(s.name, err)
	}
	info, err := engine.StdInfoOf(data)
	if err != nil {
		return nil, s.named(err)
	}
	if s.trust || info.ID == trustedStd || embeddedStd != nil && bytes.Equal(data, embeddedStd) {
		return data, nil
	}
	return nil, usageError{fmt.Sprintf("%s: its hash, %s, is not built into this gyr, and its code would run unverified: "+
		"-trust-std takes it, if it is yours", printable.Line(s.name), info.ID)}
}

// named adds the name of the file to an error.
func (s *stdFlags) named(err error) error {
	if refused := (*api.StdError)(nil); s.name != "" && errors.As(err, &refused) {
		return &fileError{s.name, refused}
	}
	return err
}

// selectGo returns the Go installation that the module in the current directory selects, empty if
// engine.FindGo finds the same.
func selectGo() (goroot string, err error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	if goroot, err = gomod.SelectGo(dir, os.Getenv); err != nil {
		err = &api.CompileError{Err: err}
	}
	return goroot, err
}

// otherGo reports whether $GOROOT names, or the module selects, an installation with another
// release than a std file's.
func otherGo(data []byte, goroot string) bool {
	if os.Getenv("GOROOT") == "" && goroot == "" {
		return false
	}
	_, release, err := engine.FindGo(goroot)
	info, bad := engine.StdInfoOf(data)
	return err == nil && bad == nil && release != info.Release
}

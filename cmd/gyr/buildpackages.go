package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/printable"
)

// This file is about gyr build with one or several packages, not all of them programs. It writes
// what go build would write, with an image in place of each binary.

// packages compiles the packages that patterns name. It writes the images of programs in the cases
// in which go build writes binaries.
func (b *builder) packages(ctx context.Context, patterns []string) error {
	for _, p := range patterns {
		if st, err := os.Stat(p); strings.HasSuffix(p, imageSuffix) && err == nil && st.Mode().IsRegular() {
			return usageError{fmt.Sprintf("build: %s is an image already; gyr run runs it", printable.Line(p))}
		}
	}
	list, err := b.list(ctx, patterns)
	if err != nil {
		return b.flags.failed(err, patterns)
	}
	names, err := b.names(list)
	if err != nil {
		return err
	}
	images := make([][]byte, len(list))
	var wrong diag.Errors
	for i := range list {
		var data []byte
		if data, err = b.compile(ctx, &list[i]); err != nil {
			if wrong, err = addErrors(wrong, &list[i], err); err != nil {
				return err
			}
		}
		if names[i] != "" {
			images[i] = data
		}
	}
	if len(wrong) > 0 {
		return b.flags.failed(&api.CompileError{Err: wrong}, patterns)
	}
	return b.writeAll(names, images)
}

// list finds the packages. A pattern with dots does not select packages that have only tests.
func (b *builder) list(ctx context.Context, patterns []string) (list []load.Listed, err error) {
	src, err := b.source(patterns)
	if err != nil {
		return nil, err
	}
	all, unmatched, err := engine.List(ctx, src)
	for _, p := range unmatched {
		fmt.Fprintf(stderr, "gyr: warning: %q matched no packages\n", printable.Line(p))
	}
	for _, p := range all {
		if p.HasGo || p.Err != nil || !strings.Contains(strings.Join(patterns, " "), "...") {
			list = append(list, p)
		}
	}
	return list, err
}

// names returns the files to write, with an empty name for each package whose image is not written.
func (b *builder) names(list []load.Listed) ([]string, error) {
	names := make([]string, len(list))
	switch {
	case b.out == os.DevNull || len(list) == 0 || b.out == "" && len(list) > 1:
		return names, nil
	case b.out == "" || namesDir(b.out):
		return names, b.namesIn(names, list)
	case len(list) > 1:
		return nil, usageError{fmt.Sprintf("build: -o %s: %d packages cannot be written to one file; end the name with a slash for a directory",
			b.out, len(list))}
	case list[0].Err == nil && !list[0].Main:
		return nil, usageError{fmt.Sprintf("build: -o %s: %s is not a main package; -exports makes an image of it that a host calls",
			b.out, shownPackage(&list[0]))}
	}
	names[0] = b.out
	return names, nil
}

// namesIn names the images of programs after their packages, in the directory of -o or the current
// one.
func (b *builder) namesIn(names []string, list []load.Listed) error {
	taken := map[string]string{}
	for i := range list {
		p := &list[i]
		if !p.Main {
			continue
		}
		name := filepath.Join(b.out, programName(p)+imageSuffix)
		if other, twice := taken[name]; twice {
			return usageError{fmt.Sprintf("build: -o %s: both %s and %s would be %s; build them one by one", b.out,
				other, shownPackage(p), name)}
		}
		names[i], taken[name] = name, shownPackage(p)
	}
	if b.out != "" && len(taken) == 0 {
		return usageError{fmt.Sprintf("build: -o %s: there is no main package to write", b.out)}
	}
	return nil
}

// majorVersion matches the last element of an import path if it is a version.
var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// programName names a program as go build does: after the last element of its import path that is
// not a version.
func programName(p *load.Listed) string {
	if p.Path == "command-line-arguments" {
		return filepath.Base(p.Dir)
	}
	dir, last := path.Split(p.Path)
	if dir != "" && majorVersion.MatchString(last) {
		return path.Base(dir)
	}
	return last
}

// shownPackage names a package in messages: by its directory if it belongs to no module.
func shownPackage(p *load.Listed) string {
	if p.Path == "command-line-arguments" {
		return printable.Line(relative(p.Dir))
	}
	return printable.Line(p.Path)
}

// compile compiles a package: to an image if it is a program, else only to find errors.
func (b *builder) compile(ctx context.Context, p *load.Listed) ([]byte, error) {
	if p.Err != nil {
		return nil, &api.CompileError{Err: p.Err}
	}
	pattern := p.Dir
	if p.Std {
		pattern = p.Path
	}
	if p.Main {
		return b.image(ctx, []string{pattern})
	}
	return nil, b.check(ctx, []string{pattern})
}

// check compiles one package only to find errors.
func (b *builder) check(ctx context.Context, patterns []string) error {
	src, err := b.source(patterns)
	if err != nil {
		return err
	}
	src, done := b.flags.progress(src)
	defer done()
	err = engine.Check(ctx, src)
	b.flags.warning.base(src)
	return err
}

// addErrors adds the errors of a package to the known ones. A package that several import has its
// errors once. The returned error is one that is not the program's.
func addErrors(known diag.Errors, p *load.Listed, err error) (diag.Errors, error) {
	var refused *api.CompileError
	var list diag.Errors
	switch {
	case errors.Is(err, engine.ErrPlanned):
		return known, nil
	case !errors.As(err, &refused):
		return known, err
	case !errors.As(refused.Err, &list):
		list = diag.Errors{{Import: p.Path, Msg: refused.Err.Error()}}
	}
	for _, e := range list {
		if !hasError(known, e) {
			known = append(known, e)
		}
	}
	// Errors of loading have no header, so they come before those that have one.
	slices.SortStableFunc(known, func(a, b *diag.Error) int { return cmp.Compare(min(1, len(a.Package)), min(1, len(b.Package))) })
	return known, nil
}

func hasError(list diag.Errors, e *diag.Error) bool {
	for _, k := range list {
		if k.Package == e.Package && k.Pos == e.Pos && k.Msg == e.Msg {
			return true
		}
	}
	return false
}

// writeAll writes the images that have a name.
func (b *builder) writeAll(names []string, images [][]byte) error {
	for i, name := range names {
		if name == "" {
			continue
		}
		if err := b.write(name, images[i]); err != nil {
			return err
		}
	}
	return nil
}

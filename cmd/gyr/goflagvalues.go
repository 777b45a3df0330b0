package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/hostfile"
	"github.com/gyrvm/gyr/internal/tools/goflags"
)

// This file has the values of flags of the go command that are more than a word.

// A modFlag is the value of -mod.
type modFlag string

func (m *modFlag) String() string { return string(*m) }

func (m *modFlag) Set(text string) error {
	if !slices.Contains([]string{"", "readonly", "vendor", "mod"}, text) {
		return fmt.Errorf("want readonly, vendor or mod")
	}
	*m = modFlag(text)
	return nil
}

// A modfileFlag is the absolute name of the file that -modfile names.
type modfileFlag string

func (m *modfileFlag) String() string { return string(*m) }

func (m *modfileFlag) Set(text string) (err error) {
	if text != "" && filepath.Ext(text) != ".mod" {
		return fmt.Errorf("the file's name must end with .mod")
	}
	if text != "" {
		text, err = filepath.Abs(text)
	}
	*m = modfileFlag(text)
	return err
}

// An overlayFlag is the contents of the file that -overlay names, with absolute names.
type overlayFlag map[string]string

// maxOverlay is the size of the largest file that -overlay reads.
const maxOverlay = 16 << 20

func (o *overlayFlag) String() string { return "" }

func (o *overlayFlag) Set(name string) error {
	*o = nil
	if name == "" {
		return nil
	}
	data, err := hostfile.Read(name, maxOverlay)
	if err != nil {
		return newFileError(name, err)
	}
	var file struct{ Replace map[string]string }
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf(`%v; want an object like {"Replace": {"old.go": "new.go"}}`, err)
	}
	*o = overlayFlag{}
	for old, by := range file.Replace {
		if err := o.add(old, by); err != nil {
			return err
		}
	}
	return nil
}

// add adds one file to replace.
func (o *overlayFlag) add(old, by string) error {
	if old == "" {
		return fmt.Errorf("a file to replace has an empty name")
	}
	name, err := filepath.Abs(old)
	if err != nil {
		return err
	}
	if _, twice := (*o)[name]; twice {
		return fmt.Errorf("%s is replaced twice", name)
	}
	if installed, err := gyr.FindGo(""); err == nil && strings.HasPrefix(name, installed.GOROOT+string(filepath.Separator)) {
		return fmt.Errorf("%s is in the Go installation, and the standard library is precompiled", name)
	}
	if strings.HasPrefix(name, gyr.Installation{}.ModuleCache()+string(filepath.Separator)) {
		return fmt.Errorf("%s is in the module cache; use a replace directive in go.mod", name)
	}
	if by != "" {
		if by, err = filepath.Abs(by); err != nil {
			return err
		}
	}
	(*o)[name] = by
	return nil
}

// ldFlags are the flags in -ldflags. As in go build the last -ldflags counts.
type ldFlags struct {
	text string
	vars map[string]string // from -X, by importpath.name
}

func (l *ldFlags) String() string { return l.text }

func (l *ldFlags) Set(text string) error {
	l.text, l.vars = text, map[string]string{}
	flags := strings.TrimSpace(text)
	if pattern, rest, ok := strings.Cut(flags, "="); ok && !strings.HasPrefix(flags, "-") && !strings.ContainsAny(pattern, `'"`) {
		if pattern != "all" {
			return fmt.Errorf("the pattern %s: a program is linked as a whole, so write the flags without a pattern", pattern)
		}
		flags = rest
	}
	args, err := goflags.Split(flags)
	for err == nil && len(args) > 0 {
		args, err = l.take(args)
	}
	return err
}

// take handles the first of the linker's flags, and returns the others.
func (l *ldFlags) take(args []string) (rest []string, err error) {
	name, value, has := strings.Cut(strings.TrimPrefix(args[0], "-"), "=")
	name, rest = strings.TrimPrefix(name, "-"), args[1:]
	switch {
	case !strings.HasPrefix(args[0], "-"):
		return nil, fmt.Errorf("%q is no flag", args[0])
	case name == "s" || name == "w":
		return rest, nil // images have no symbol table to leave out
	case name == "buildid" && has && value == "":
		return rest, nil // an image has none
	case name != "X":
		return nil, fmt.Errorf("-%s: there is no linker; only -X importpath.name=value works, and -s and -w do nothing", name)
	case !has && len(rest) > 0:
		value, rest = rest[0], rest[1:]
	}
	key, value, ok := strings.Cut(value, "=")
	if dot := strings.LastIndexByte(key, '.'); !ok || dot <= 0 || dot == len(key)-1 {
		return nil, fmt.Errorf("-X: want importpath.name=value, for example main.version=1.2")
	}
	l.vars[key] = value
	return rest, nil
}

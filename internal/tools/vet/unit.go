package vet

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load"
)

// A request describes a package to the suite, with the fields of unitchecker.Config that it reads.
type request struct {
	ID, ImportPath            string
	GoVersion                 string
	GoFiles                   []string
	NonGoFiles                []string
	IgnoredFiles              []string
	ModulePath, ModuleVersion string
	ImportMap                 map[string]string
	PackageFile               map[string]string // types of the packages that it imports
	PackageVetx               map[string]string // facts
	VetxOnly                  bool
	VetxOutput                string // not empty: write types
}

// A made is what the importers of a package need.
type made struct{ types, facts []byte }

// An analysis is the suite's result for a unit.
type analysis struct {
	made
	tree []byte // in the form of cmd/vet -json
}

// A BrokenError says that a package does not compile, in the words of go/parser or go/types.
type BrokenError struct{ Text string }

func (e *BrokenError) Error() string { return e.Text }

// ownDir is the guest's directory for files other than sources.
const ownDir = "/.gyrvet"

// analyse has the suite analyse a unit, given the types and facts of the packages that it imports,
// by path. If only is true, it makes only what importers need.
func (s *suite) analyse(ctx context.Context, of *load.Units, u *load.Unit, imports map[string]*made, args []string, only bool) (*analysis, error) {
	var in files
	q := request{
		ID: u.Path, ImportPath: u.Path, GoVersion: u.GoVersion, ModulePath: u.Module, ModuleVersion: u.Version,
		ImportMap: u.ImportMap, PackageFile: map[string]string{}, PackageVetx: map[string]string{}, VetxOnly: only, VetxOutput: "-",
	}
	add := func(names []string) (list []string, err error) {
		for _, name := range names {
			data, err := of.ReadFile(u, name)
			if err != nil {
				return nil, err
			}
			in.add(guestName(name), data)
			list = append(list, guestName(name))
		}
		return list, nil
	}
	sources := make([]string, len(u.Sources))
	for i, f := range u.Sources {
		sources[i] = f.Name
	}
	var err error
	if q.GoFiles, err = add(sources); err != nil {
		return nil, err
	}
	if !only {
		if q.NonGoFiles, err = add(u.Other); err != nil {
			return nil, err
		}
		if q.IgnoredFiles, err = add(u.Ignored); err != nil {
			return nil, err
		}
	}
	for path, m := range imports {
		name := fmt.Sprintf("%s/%d", ownDir, len(q.PackageFile))
		q.PackageFile[path], q.PackageVetx[path] = name+".types", name+".facts"
		in.add(q.PackageFile[path], m.types)
		in.add(q.PackageVetx[path], m.facts)
	}
	config, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	in.add(ownDir+"/unit.cfg", config)
	var stdout, stderr bytes.Buffer
	status, err := s.run(ctx, append(append([]string{"-json"}, args...), ownDir+"/unit.cfg"), &in, &stdout, &stderr)
	if err != nil {
		return nil, fmt.Errorf("analysing package %s: %w", u.Path, err)
	}
	a, ok := parts(stdout.Bytes())
	switch text := strings.TrimSuffix(stderr.String(), "\n"); {
	case status != 0 && strings.HasPrefix(text, "vet: ") && !ok:
		return nil, &BrokenError{strings.TrimPrefix(text, "vet: ")}
	case status != 0 || !ok:
		return nil, fmt.Errorf("analysing package %s: exit status %d: %s", u.Path, status, text)
	}
	return a, nil
}

// parts splits the suite's output: facts, types, and findings.
func parts(out []byte) (*analysis, bool) {
	a := &analysis{}
	for _, part := range []*[]byte{&a.facts, &a.types} {
		n, size := binary.Uvarint(out)
		if size <= 0 || uint64(len(out)-size) < n {
			return nil, false
		}
		*part, out = out[size:size+int(n)], out[size+int(n):]
	}
	a.tree = out
	return a, true
}

// decodeTree decodes a package's findings.
func decodeTree(data []byte) (t Tree, err error) {
	if len(data) == 0 {
		return nil, errors.New("nothing was written")
	}
	err = json.Unmarshal(data, &t)
	return t, err
}

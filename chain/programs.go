package chain

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
)

// The code of a contract is a state too, with one section: so it is kept, sent and checked like the
// contracts themselves. Its root is the code's hash.

const codeSection = "code"

// A code is a Program as bytes.
type code []byte

func encodeProgram(p Program) (code, error) { return json.Marshal(p) } // maps are sorted

func (c code) sections() []state.Section { return []state.Section{{Name: codeSection, Content: c}} }

func (c code) hash() state.Hash {
	var none state.Tree
	return state.Root(none.Hash(), []state.SectionHash{{Name: codeSection, Hash: state.HashSection(c)}})
}

// programs are the compiled programs of a node. All its worlds share them.
type programs struct {
	rules *Rules
	cache string // directory of package gyr's cache
	host  []gyr.HostPackage
	mu    sync.Mutex
	known map[string]*gyr.Program // by the hashes of a lineage
}

// lineage is the versions of a contract that continue each other's states, as a key.
func lineage(codes []code) string {
	h := sha256.New()
	for _, c := range codes {
		sum := c.hash()
		h.Write(sum[:])
	}
	return string(h.Sum(nil))
}

// compile returns the program of the last of some versions, each compiled as an upgrade of the one
// before. The error is a *Failure if it follows from the code and the rules.
func (p *programs) compile(ctx context.Context, codes []code) (*gyr.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.compileLocked(ctx, codes)
}

func (p *programs) compileLocked(ctx context.Context, codes []code) (*gyr.Program, error) {
	key := lineage(codes)
	if known := p.known[key]; known != nil {
		return known, nil
	}
	var before *gyr.Program
	if len(codes) > 1 {
		var err error
		if before, err = p.compileLocked(ctx, codes[:len(codes)-1]); err != nil {
			return nil, err
		}
	}
	var prog Program
	if err := json.Unmarshal(codes[len(codes)-1], &prog); err != nil {
		return nil, failure(CodeEncoding, "%v", err)
	}
	opts := &gyr.CompileOptions{State: true, Cache: p.cache, Host: p.host, Upgrades: before}
	var compiled *gyr.Program
	var err error
	if prog.Image != nil {
		if before != nil {
			return nil, failure(CodeUpgrade, "an image does not continue the state of another version: give the source")
		}
		compiled, err = gyr.CompileImage(ctx, prog.Image, opts)
	} else {
		var src gyr.Source
		if src, err = p.rules.source(prog.Files); err == nil {
			compiled, err = gyr.Compile(ctx, src, opts)
		}
	}
	if err != nil {
		return nil, compileOutcome(ctx, err)
	}
	if names := compiled.Nondeterministic(); len(names) > 0 {
		return nil, failure(CodeCompile, "it calls functions of the host that are not deterministic: %s", strings.Join(names, ", "))
	}
	p.known[key] = compiled
	return compiled, nil
}

// compileOutcome is outcome for compilations. An error that package gyr does not know to be the
// program's or this machine's, such as a file that is no Go, is the program's if the machine has all
// that it takes.
func compileOutcome(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.As(err, new(*gyr.InternalError)) || errors.As(err, new(*gyr.StdError)) || errors.As(err, new(*gyr.NeedsGoError)) {
		return err
	}
	return outcome(err)
}

// BuildImage builds the image of a contract: the code that travels without sources.
func BuildImage(ctx context.Context, r *Rules, files map[string][]byte) ([]byte, error) {
	src, err := r.source(files)
	if err != nil {
		return nil, err
	}
	return gyr.Build(ctx, src, &gyr.CompileOptions{Host: []gyr.HostPackage{hostPackage()}})
}

// source returns the files of a contract as a module, with the chain's own files.
//
// A contract without a go.mod is one package, a directory of a module in which package contract is
// beside it. One with a go.mod has a vendor directory with all that it imports, as go mod vendor makes
// it, and the chain's package contract replaces what is there.
func (r *Rules) source(files map[string][]byte) (gyr.Source, error) {
	fs := fstest.MapFS{}
	name, dir := "", ""
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if file == "" || path.Clean(file) != file || strings.HasPrefix(file, "/") || strings.HasPrefix(file, "..") || strings.ContainsAny(file, "\x00\\") || len(file) > 200 {
			return gyr.Source{}, failure(CodeCompile, "a file cannot have the name %.80q", file)
		}
		for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
			if _, isFile := files[dir]; isFile {
				return gyr.Source{}, failure(CodeCompile, "%.80q is a file and a directory", dir)
			}
		}
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, files[file], parser.ImportsOnly)
		if err != nil {
			return gyr.Source{}, failure(CodeCompile, "%v", err)
		}
		for _, i := range f.Imports {
			if i.Path.Value == strconv.Quote(hostPath) || i.Path.Value == "`"+hostPath+"`" {
				return gyr.Source{}, failure(CodeCompile, "%s imports %s, which is the chain's own: import %s", file, hostPath, ContractPackage)
			}
		}
		if name == "" && !strings.Contains(file, "/") && !strings.HasSuffix(file, "_test.go") {
			name = f.Name.Name
		}
	}
	if name == "" {
		return gyr.Source{}, failure(CodeCompile, "no Go file of a package in the first directory")
	}
	replaced := "contract/"
	if files["go.mod"] != nil {
		replaced = "vendor/" + ContractPackage + "/"
	} else {
		dir = "x/" + name // not a directory of the module that there is
		fs["go.mod"] = &fstest.MapFile{Data: fmt.Appendf(nil, "module %s\n\ngo 1.26\n", path.Dir(ContractPackage))}
	}
	for file, data := range files {
		if dir != "" || !strings.HasPrefix(file, replaced) {
			fs[path.Join(dir, file)] = &fstest.MapFile{Data: data}
		}
	}
	if fs[path.Join(dir, clockFile)] != nil {
		return gyr.Source{}, failure(CodeCompile, "%s is the chain's own file", clockFile)
	}
	fs[path.Join(dir, clockFile)] = &fstest.MapFile{Data: clockSource(name)}
	fs[replaced+"contract.go"] = &fstest.MapFile{Data: []byte(contractSource)}
	return gyr.Source{FS: fs, Dir: dir, Exports: true, Limits: r.Limits}, nil
}

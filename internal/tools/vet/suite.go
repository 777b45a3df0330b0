package vet

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

//go:embed unitchecker/gyrread.go unitchecker/gyrwrite.go unitchecker/hooks.go
var answers embed.FS

// answersFor is the package of cmd/vet that gets the files of folder unitchecker in addition to its
// own.
const answersFor = "cmd/vendor/golang.org/x/tools/go/analysis/unitchecker"

// command is the program of the analyzers.
var command = &load.Command{Path: "cmd/vet", Files: answerFS{}}

// answerFS presents the files of folder unitchecker where the loader looks for them.
type answerFS struct{}

func (answerFS) Open(name string) (fs.File, error) {
	rest, ok := strings.CutPrefix(name, path.Join(load.AnswersDir, answersFor))
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return answers.Open("unitchecker" + rest)
}

// A suite is the program of the analyzers, for one Go installation and one cache.
type suite struct {
	src engine.Source

	mu   sync.Mutex
	prog *engine.Program
}

// newSuite returns the suite for packages of a source.
func newSuite(src *engine.Source) *suite {
	return &suite{src: engine.Source{Command: command, GOROOT: src.GOROOT, Cache: src.Cache, Native: engine.DefaultTier == api.TierNative && engine.CheckNative() == nil,
		Progress: src.Progress}}
}

// program compiles the suite when it is first needed. An attempt that its context ended is
// repeated.
func (s *suite) program(ctx context.Context) (*engine.Program, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prog != nil {
		return s.prog, nil
	}
	p, err := engine.Compile(ctx, s.src)
	if err != nil {
		return nil, fmt.Errorf("compiling the analyzers of go vet: %w", err)
	}
	s.prog = p
	return p, nil
}

// The limits of one run of the suite. An analysis needs a fraction of both.
const (
	gasLimit    = 1 << 43
	memoryLimit = 3 << 30
)

// run runs the suite with arguments and files, and returns its exit status. An error means that it
// did not run to its end.
func (s *suite) run(ctx context.Context, args []string, files *files, stdout, stderr io.Writer) (status int, err error) {
	p, err := s.program(ctx)
	if err != nil {
		return 0, err
	}
	in, err := p.NewInstance(ctx, engine.Config{Config: api.Config{
		Name:   "vet",
		Args:   args,
		Mounts: files.mounts(),
		Stdout: stdout,
		Stderr: stderr,
		Gas:    gasLimit,
		Memory: memoryLimit,
	}})
	if err != nil {
		return 0, err
	}
	err = in.Run(ctx)
	in.Close()
	var exit *api.ExitError
	if errors.As(err, &exit) {
		return int(exit.Code), nil
	}
	return 0, err
}

// flags returns the flags that the suite reports.
func (s *suite) flags(ctx context.Context) (list []Flag, err error) {
	var out strings.Builder
	if _, err := s.run(ctx, []string{"-flags"}, &files{}, &out, nil); err != nil {
		return nil, fmt.Errorf("asking the analyzers of go vet for their flags: %w", err)
	}
	return list, json.Unmarshal([]byte(out.String()), &list)
}

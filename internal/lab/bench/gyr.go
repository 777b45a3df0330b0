package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// gyrEngine is a tier of gyr. It runs guests in worker processes.
type gyrEngine struct {
	label  string
	tier   string
	worker []string  // the command of a worker
	rev    *revision // revision whose sources are compiled; nil: the working tree
}

func (e *gyrEngine) Label() string { return e.label }

// Build compiles the package once, so that later workers find it in the cache.
func (e *gyrEngine) Build(ctx context.Context, p *pkg) error {
	s, err := e.start(ctx, p, opening{})
	if err != nil {
		return err
	}
	return s.Close()
}

func (e *gyrEngine) Open(ctx context.Context, p *pkg) (session, error) {
	return e.start(ctx, p, opening{})
}

// Fresh is Open, but functions are compiled even if the cache has their code.
func (e *gyrEngine) Fresh(ctx context.Context, p *pkg) (session, error) {
	return e.start(ctx, p, opening{Fresh: true})
}

// A gyrSession is a worker process.
type gyrSession struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	errs   *strings.Builder
	cancel context.CancelFunc
}

// start starts a worker. The opening has what is special about it.
func (e *gyrEngine) start(ctx context.Context, p *pkg, o opening) (*gyrSession, error) {
	p, err := e.rev.of(p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &gyrSession{cancel: cancel, errs: &strings.Builder{}}
	s.cmd = exec.CommandContext(ctx, e.worker[0], e.worker[1:]...)
	s.cmd.WaitDelay = 2 * time.Second
	s.cmd.Stderr = &capped{b: s.errs}
	in, err := s.cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		out, err = s.cmd.StdoutPipe()
		s.in, s.out = in, bufio.NewReader(out)
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	var answer opened
	o.Path, o.Dir, o.Extra, o.Tier = p.Path, p.Dir, p.gyr, e.tier
	err = s.exchange(o, &answer)
	if err == nil && answer.Failed != "" {
		err = errors.New(answer.Failed)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *gyrSession) Run(ctx context.Context, o *order) (*reply, error) {
	var r reply
	done := context.AfterFunc(ctx, s.cancel)
	defer done()
	if err := s.exchange(o, &r); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return &r, nil
}

// exchange sends a line and reads the answer.
func (s *gyrSession) exchange(ask, answer any) error {
	data, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	if _, err := s.in.Write(append(data, '\n')); err != nil {
		return s.ended(err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return s.ended(err)
	}
	return json.Unmarshal(line, answer)
}

// ended says why a worker gave no answer.
func (s *gyrSession) ended(err error) error {
	s.in.Close()
	if werr := s.cmd.Wait(); werr != nil {
		err = werr
	}
	if text := strings.TrimSpace(s.errs.String()); text != "" {
		return fmt.Errorf("the worker ended: %w: %s", err, text)
	}
	return fmt.Errorf("the worker ended: %w", err)
}

func (s *gyrSession) Close() error {
	s.in.Close()
	defer s.cancel()
	if s.cmd.ProcessState != nil {
		return nil
	}
	return s.cmd.Wait()
}

// capped keeps the beginning of a worker's standard error.
type capped struct{ b *strings.Builder }

func (c *capped) Write(p []byte) (int, error) {
	if room := maxFailure - c.b.Len(); room > 0 {
		c.b.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

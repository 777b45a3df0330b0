package exec

import (
	"errors"
	"io"
	"syscall"
)

// gyrError says why no command can be found or started. It is ErrNotFound and ENOSYS for those who ask.
type gyrError struct{}

func (gyrError) Error() string   { return "there are no processes in this sandbox" }
func (gyrError) Unwrap() []error { return []error{ErrNotFound, syscall.ENOSYS} }

func lookPath(file string) (string, error) { return "", &Error{file, gyrError{}} }

// gyrRefusal is the error of a command that is about to be started, or of what leads there.
func (c *Cmd) gyrRefusal() error {
	switch {
	case c.lookPathErr != nil: // golang.org/x/sys/execabs sets it
		return c.lookPathErr
	case c.Err != nil:
		return c.Err
	}
	return &Error{c.Path, gyrError{}}
}

func (c *Cmd) Start() error {
	switch {
	case c.lookPathErr != nil, c.Err != nil:
	case c.Path == "":
		return errors.New("exec: no command")
	case c.ctx != nil && c.ctx.Err() != nil:
		return c.ctx.Err()
	}
	return c.gyrRefusal()
}

func (c *Cmd) StdinPipe() (io.WriteCloser, error) { return nil, c.gyrRefusal() }
func (c *Cmd) StdoutPipe() (io.ReadCloser, error) { return nil, c.gyrRefusal() }
func (c *Cmd) StderrPipe() (io.ReadCloser, error) { return nil, c.gyrRefusal() }

package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A Process is a command to run once: one sample is one new process.
type Process struct {
	Path    string   // of the program, or its name in PATH
	Args    []string // without the program
	Dir     string   // working directory; empty: the current one
	Env     []string // the whole environment; nil: this process's
	Stdin   io.Reader
	Timeout time.Duration // 0: none
	// Output is how many bytes of standard output, and as many of standard error, are kept. The
	// rest is discarded. 0: DefaultOutput.
	Output int
	// Merge interleaves standard error with standard output, in the order of writing.
	Merge   bool
	Files   []*os.File    // more files for it, from descriptor 3 on
	Started func(pid int) // called when it runs; must return at once; nil: nothing
}

// DefaultOutput is how much of each output is kept if a Process does not set Output.
const DefaultOutput = 4 << 20

// An Outcome describes a process that ran.
type Outcome struct {
	Usage
	Exit     int // status; -1 if a signal ended it
	Stdout   []byte
	Stderr   []byte
	Cut      bool   // an output exceeded its limit
	TimedOut bool   // it was killed at its timeout
	Left     int    // processes that it left running, at least; they were killed
	Signal   string // that ended it, or empty
}

// Err says why the outcome is no success. It is nil for status 0 with nothing else to report.
func (o *Outcome) Err() error {
	switch {
	case o.TimedOut:
		return errors.New("timeout")
	case o.Signal != "":
		return fmt.Errorf("ended by %s", o.Signal)
	case o.Exit != 0:
		return fmt.Errorf("exit status %d", o.Exit)
	case o.Left > 0:
		return fmt.Errorf("left %d processes behind", o.Left)
	case o.Cut:
		return errors.New("too much output")
	}
	return nil
}

// drainTime is how long to wait for the rest of the output after all processes are gone.
const drainTime = time.Second

// childMark is a variable in the environment of a sample's descendants, which finds those that left
// its process group. Each run has its own value.
const childMark = "GYR_MEASURE_SAMPLE"

// Run runs the process to its end, in its own process group. It kills the whole group when the
// process has ended, its time is over, or ctx ends. On Linux it also kills all descendants that
// still have its environment. An error means that the process did not run or that ctx ended; the
// outcome says how a process that ran has ended.
//
// Without process groups (Windows) Run kills the process alone. If this process is itself killed,
// the kernel kills the running process on Linux; KillMarked finds the processes that it started.
func (p *Process) Run(ctx context.Context) (*Outcome, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mark := childMark + "=" + rand.Text()
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir, cmd.Stdin, cmd.ExtraFiles = p.Dir, p.Stdin, p.Files
	cmd.Env = p.Env
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], mark)
	cmd.WaitDelay = drainTime // of the goroutine that copies Stdin
	ownGroup(cmd)
	// The kernel kills the process when the thread that started it ends, so that thread must last
	// until Run returns.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	endWithParent(cmd)
	limit := p.Output
	if limit == 0 {
		limit = DefaultOutput
	}
	stdout, err := newCapture(limit)
	if err != nil {
		return nil, err
	}
	defer stdout.close()
	stderr, err := newCapture(limit)
	if err != nil {
		return nil, err
	}
	defer stderr.close()
	// Files instead of writers, so that Wait does not wait for processes that inherited them.
	cmd.Stdout, cmd.Stderr = stdout.w, stderr.w
	if p.Merge {
		cmd.Stderr = stdout.w
	}

	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stdout.begin()
	stderr.begin()
	if p.Started != nil {
		p.Started(cmd.Process.Pid)
	}
	watch := watchPeak(cmd.Process.Pid)
	timedOut, stop := killer(ctx, cmd, p.Timeout)
	err = cmd.Wait()
	out := &Outcome{Usage: Usage{Wall: time.Since(start), Peak: watch(cmd.ProcessState)}}
	out.TimedOut = stop() && *timedOut
	if out.TimedOut || ctx.Err() != nil {
		killRest(cmd.Process.Pid, mark)
	} else {
		out.Left = killRest(cmd.Process.Pid, mark)
	}
	if s := cmd.ProcessState; s != nil {
		out.CPU = s.UserTime() + s.SystemTime()
		out.Exit, out.Signal = s.ExitCode(), endedBy(s)
	}
	var cut [2]bool
	out.Stdout, cut[0] = stdout.end()
	out.Stderr, cut[1] = stderr.end()
	out.Cut = cut[0] || cut[1]
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, err
	}
	return out, nil
}

// killer kills the process's group when its time is over or ctx ends. The returned function stops
// the watch and waits for it. The flag may be read after that.
func killer(ctx context.Context, cmd *exec.Cmd, timeout time.Duration) (timedOut *bool, stop func() bool) {
	done, ended := make(chan struct{}), make(chan struct{})
	timedOut = new(bool)
	go func() {
		defer close(ended)
		var over <-chan time.Time
		if timeout > 0 {
			timer := time.NewTimer(timeout)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case <-done:
			return
		case <-over:
			*timedOut = true
		case <-ctx.Done():
		}
		killGroup(cmd.Process.Pid)
		cmd.Process.Kill() // if it has no group; an error says that it has ended
	}()
	return timedOut, func() bool {
		close(done)
		<-ended
		return true
	}
}

// A capture keeps the beginning of what is written to a pipe.
type capture struct {
	r, w  *os.File
	limit int

	mu   sync.Mutex
	kept []byte
	cut  bool
	done chan struct{}
}

func newCapture(limit int) (*capture, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &capture{r: r, w: w, limit: limit, done: make(chan struct{})}, nil
}

// begin starts reading. The process must have its end of the pipe by then.
func (c *capture) begin() {
	c.w.Close()
	go func() {
		defer close(c.done)
		buf := make([]byte, 32<<10)
		for {
			n, err := c.r.Read(buf)
			c.mu.Lock()
			keep := min(n, c.limit-len(c.kept))
			c.kept = append(c.kept, buf[:keep]...)
			c.cut = c.cut || keep < n
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
}

// end returns what was kept, at the latest drainTime after the call: an unknown process may still
// hold the pipe.
func (c *capture) end() (kept []byte, cut bool) {
	select {
	case <-c.done:
	case <-time.After(drainTime):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept, c.cut
}

// close also ends the reader.
func (c *capture) close() {
	c.w.Close()
	c.r.Close()
}

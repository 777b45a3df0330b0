package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"
)

// A pipe is a queue that a program is, or leads to.
type pipe struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	messages chan Message
	closed   chan struct{}
	err      error // once messages is closed

	mu sync.Mutex // of in
}

// closeTime is how long a program may take to end after its standard input has.
const closeTime = 5 * time.Second

// Start runs a program as a queue. The program reads messages until its standard input ends, and
// then ends. Its standard error goes to stderr.
func Start(stderr io.Writer, name string, args ...string) (Queue, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the queue: %w", err)
	}
	p := &pipe{cmd: cmd, in: in, messages: make(chan Message), closed: make(chan struct{})}
	go func() {
		defer close(p.messages)
		d := json.NewDecoder(out)
		for {
			var m Message
			if p.err = d.Decode(&m); p.err != nil {
				return
			}
			select {
			case p.messages <- m:
			case <-p.closed:
				return
			}
		}
	}()
	return p, nil
}

func (p *pipe) Send(m Message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, err := p.in.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("the queue %s does not read: %w", p.cmd.Path, err)
	}
	return nil
}

func (p *pipe) Receive(ctx context.Context) (Message, error) {
	select {
	case <-ctx.Done():
		return Message{}, ctx.Err()
	case m, ok := <-p.messages:
		if ok {
			return m, nil
		}
	}
	// An interrupt reaches the program and this process at the same time.
	select {
	case <-ctx.Done():
		return Message{}, ctx.Err()
	case <-time.After(time.Second):
	}
	if errors.Is(p.err, io.EOF) {
		return Message{}, fmt.Errorf("the queue %s has ended", p.cmd.Path)
	}
	return Message{}, fmt.Errorf("the queue %s does not write messages: %w", p.cmd.Path, p.err)
}

// Close ends the program's standard input and waits for its end.
func (p *pipe) Close() error {
	close(p.closed)
	p.in.Close() // an error means that the program has ended
	timer := time.AfterFunc(closeTime, func() { p.cmd.Process.Kill() })
	defer timer.Stop()
	for range p.messages {
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the queue %s: %w", p.cmd.Path, err)
	}
	return nil
}

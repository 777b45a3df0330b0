package main

import (
	"fmt"
	"os"
	"sync"
)

// The command's own output. Its many calls of Fprintf ignore their results, so the streams keep the
// first error, and a command whose output did not arrive fails. (A program that it runs gets the
// errors of its own output.)
var stdout, stderr = &stream{file: os.Stdout, name: "standard output"}, &stream{file: os.Stderr, name: "standard error"}

// A stream is an output of the process.
type stream struct {
	file *os.File
	name string

	mu  sync.Mutex
	err error // of the first failed write
}

func (s *stream) Write(p []byte) (int, error) {
	n, err := s.file.Write(p)
	if err != nil {
		s.mu.Lock()
		if s.err == nil {
			s.err = err
		}
		s.mu.Unlock()
	}
	return n, err
}

func (s *stream) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// delivered returns the exit status of a command that has ended with status. It differs if the
// command succeeded but its output did not arrive.
func delivered(status int) int {
	for _, s := range []*stream{stdout, stderr} {
		if err := s.failed(); err != nil && status == 0 {
			status = statusEngine
			fmt.Fprintf(os.Stderr, "gyr: printing to %s: %v\n", s.name, err)
		}
	}
	return status
}

package main

import (
	"fmt"
	"os"
	"sync"
)

// What the command itself prints. Nobody looks at the results of so many calls of Fprintf; so
// the streams keep the first error, and a command whose output did not arrive has failed. (What a program that
// it runs prints is the program's: it gets the error.)
var stdout, stderr = &stream{file: os.Stdout, name: "standard output"}, &stream{file: os.Stderr, name: "standard error"}

// A stream is an output of the process.
type stream struct {
	file *os.File
	name string

	mu  sync.Mutex
	err error // of the first write that failed
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

// delivered is the exit status of a command that has ended with status: another one if it succeeded
// but for what it printed.
func delivered(status int) int {
	for _, s := range []*stream{stdout, stderr} {
		if err := s.failed(); err != nil && status == 0 {
			status = statusEngine
			fmt.Fprintf(os.Stderr, "gyr: printing to %s: %v\n", s.name, err)
		}
	}
	return status
}

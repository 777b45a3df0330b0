//go:build !(linux || darwin || dragonfly || freebsd || netbsd)

package memory

import "errors"

// The reservation needs mmap and mprotect, or equivalents, from package syscall.
func reserve(uint64) ([]byte, error) { return nil, errors.ErrUnsupported }
func release([]byte) error           { return errors.ErrUnsupported }
func protectRW([]byte) error         { return errors.ErrUnsupported }
func protectNone([]byte) error       { return errors.ErrUnsupported }
func decommit([]byte) error          { return errors.ErrUnsupported }

func mapPages(int) ([]byte, error)           { return nil, errors.ErrUnsupported }
func remapPages([]byte, int) ([]byte, error) { return nil, errors.ErrUnsupported }
func unmapPages([]byte)                      {}

const canMove = false

func movePages(to, from []byte) error { return errors.ErrUnsupported }

func (s *Space) lend(lo, hi uint64) ([]byte, error) { return nil, errors.ErrUnsupported }
func (s *Space) unlend(lo, hi uint64) error         { return errors.ErrUnsupported }
func clearView([]byte) error                        { return errors.ErrUnsupported }
func unmapView([]byte)                              {}

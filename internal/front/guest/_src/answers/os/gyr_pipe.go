package os

import "syscall"

// Pipe returns a connected pair of Files; reads from r return bytes written to w.
func Pipe() (r *File, w *File, err error) {
	var fd [2]int
	if err := syscall.Pipe(fd[:]); err != nil {
		return nil, nil, NewSyscallError("pipe", err)
	}
	return newFile(fd[0], "|0", kindPipe, false), newFile(fd[1], "|1", kindPipe, false), nil
}

package syscall

// gyrProcessError says why there is nobody to start, to wait for or to send a signal. It is the number of the error for
// those who ask.
type gyrProcessError struct{ Errno }

func (gyrProcessError) Error() string   { return "there are no processes in this sandbox" }
func (e gyrProcessError) Unwrap() error { return e.Errno }

func StartProcess(argv0 string, argv []string, attr *ProcAttr) (pid int, handle uintptr, err error) {
	return 0, 0, gyrProcessError{ENOSYS}
}

func Wait4(pid int, wstatus *WaitStatus, options int, rusage *Rusage) (wpid int, err error) {
	return 0, gyrProcessError{ECHILD}
}

// Kill ends the program if it is meant, as every signal does that nobody handles. There is nobody else.
func Kill(pid int, signum Signal) error {
	switch {
	case pid > 0 && pid != Getpid():
		return gyrProcessError{ESRCH}
	case signum == 0:
		return nil // a question whether the process is there
	}
	ProcExit(128 + int32(signum))
	return nil
}

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

// gyrRaise gives a signal to package os/signal, and reports whether anybody cares.
func gyrRaise(sig uint32) bool

// Kill sends a signal to the program, the only process that there is: to those who asked package os/signal for it, or else
// it ends the program.
func Kill(pid int, signum Signal) error {
	switch {
	case pid > 0 && pid != Getpid():
		return gyrProcessError{ESRCH}
	case signum < 0 || signum >= 64:
		return EINVAL
	case signum == 0: // a question whether the process is there
		return nil
	case signum != SIGKILL && gyrRaise(uint32(signum)):
		return nil
	}
	ProcExit(128 + int32(signum))
	return nil
}

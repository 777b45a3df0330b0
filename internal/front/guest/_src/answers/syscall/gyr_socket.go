package syscall

// gyrFirstSocket is the first number of package net's sockets, which are none of the host's: runtime.netFirst.
const gyrFirstSocket = 1 << 30

// SetsockoptInt takes all options of sockets that are in the program's memory: none makes a difference there.
func SetsockoptInt(fd, level, opt int, value int) error {
	if fd >= gyrFirstSocket {
		return nil
	}
	return ENOSYS
}

func GetsockoptInt(fd, level, opt int) (value int, err error) {
	if fd >= gyrFirstSocket {
		return 0, nil
	}
	return 0, ENOSYS
}

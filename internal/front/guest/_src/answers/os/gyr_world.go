package os

import (
	"errors"
	"internal/poll"
	"syscall"
)

// executable returns the file that the host puts into /bin, under the name that the program was started with.
func executable() (string, error) {
	const maxName = 255
	name := "main"
	if args := runtime_args(); len(args) > 0 {
		name = args[0]
	}
	for len(name) > 0 && name[len(name)-1] == '/' {
		name = name[:len(name)-1]
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			name = name[i+1:]
			break
		}
	}
	if name == "" || name == "." || name == ".." || len(name) > maxName {
		name = "main"
	}
	return "/bin/" + name, nil
}

// UserHomeDir returns the current user's home directory: $HOME, or else /home, which every program has. Who makes $HOME
// empty wants none, and hears what it would hear elsewhere.
func UserHomeDir() (string, error) {
	switch v, set := syscall.Getenv("HOME"); {
	case v != "":
		return v, nil
	case set:
		return "", errors.New("$HOME is not defined")
	}
	return "/home", nil
}

// open opens a file under the name that Chdir needs it to have, an absolute one.
func open(name string, flag int, perm uint32) (int, poll.SysFile, error) {
	if name == "" {
		return -1, poll.SysFile{}, syscall.ENOENT
	}
	if name[0] != '/' {
		dir, err := syscall.Getwd()
		if err != nil {
			return -1, poll.SysFile{}, err
		}
		name = joinPath(dir, name)
	}
	fd, err := syscall.Open(name, flag, perm)
	return fd, poll.SysFile{Path: name}, err
}

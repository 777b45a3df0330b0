package os

import "syscall"

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

// UserHomeDir returns the current user's home directory: $HOME, or else /home, which every program has.
func UserHomeDir() (string, error) {
	if v, _ := syscall.Getenv("HOME"); v != "" {
		return v, nil
	}
	return "/home", nil
}

//go:build !linux

package process

// Below are no processes where the system does not tell.
func Below(int) []Running { return nil }

// Command is not known here.
func (Running) Command() (dir string, args []string) { return "", nil }

//go:build !linux

package process

// Below returns no processes: this system does not tell.
func Below(int) []Running { return nil }

// Command returns nothing: this system does not tell.
func (Running) Command() (dir string, args []string) { return "", nil }

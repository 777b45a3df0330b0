package memory

import (
	"errors"
	"fmt"
	"syscall"
)

// mappingError is the error of a system call that should have returned memory or address space. If
// a limit of the system is reached, it names the limit and the remedy.
func mappingError(what string, err error) error {
	if errors.Is(err, syscall.ENOMEM) {
		if why := refusal(); why != "" {
			return fmt.Errorf("memory: %s: %w: %s", what, err, why)
		}
	}
	return fmt.Errorf("memory: %s: %w", what, err)
}

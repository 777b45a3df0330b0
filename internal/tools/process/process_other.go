//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup(*exec.Cmd) {}

func killGroup(int) int { return 0 }

func endedBy(*os.ProcessState) string { return "" }

//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// There are no process groups here.
func ownGroup(*exec.Cmd) {}

func killGroup(int) int { return 0 }

func endedBy(*os.ProcessState) string { return "" }

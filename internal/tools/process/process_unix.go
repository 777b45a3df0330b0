//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a new process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the group, and returns 1 if it existed. The group's number is not reused while
// one of its processes lives.
func killGroup(leader int) int {
	if syscall.Kill(-leader, syscall.SIGKILL) != nil {
		return 0
	}
	return 1
}

// endedBy is the signal that ended the process, or empty.
func endedBy(s *os.ProcessState) string {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

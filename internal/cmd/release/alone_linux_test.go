package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// alone makes a command run with a directory as its root, as a user without rights, if this process
// may do so. Otherwise the command runs where it is.
func alone(cmd *exec.Cmd, root string) {
	if os.Getuid() != 0 {
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Path = strings.TrimPrefix(cmd.Path, root)
}

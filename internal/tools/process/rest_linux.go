package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// graceTime is how long processes that are about to end anyway may take for it.
const graceTime = 100 * time.Millisecond

// killRest kills what is left of a sample, the group of its leader and whoever has the mark in the
// environment, and returns how many there were after graceTime. A process that was just born may hide behind its
// parent, so it looks until it finds none. One that left the group and cleared its
// environment is not found.
func killRest(leader int, mark string) (left int) {
	pids := rest(leader, mark)
	for end := time.Now().Add(graceTime); len(pids) > 0 && time.Now().Before(end); pids = rest(leader, mark) {
		time.Sleep(graceTime / 10)
	}
	const rounds = 16
	for i := 0; i < rounds && len(pids) > 0; i++ {
		left = max(left, len(pids))
		for _, pid := range pids {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(time.Millisecond)
		pids = rest(leader, mark)
	}
	return left
}

// endWithParent has the kernel kill the command when the thread that starts it ends.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// KillMarked kills all processes with a variable, NAME=value, in their environment, such as those
// that a killed process has left behind, and returns how many there were. It finds none where
// the system does not tell others' environments.
func KillMarked(mark string) int { return killRest(0, mark) }

// kernelThread is a flag of processes that are none: they have no environment (PF_KTHREAD).
const kernelThread = 0x00200000

// rest are the processes of a sample other than zombies. A leader of 0 is none.
func rest(leader int, mark string) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has just ended
		}
		// "pid (name) state parent group session tty group flags …", where a name may have parentheses.
		var state byte
		var parent, group, session, tty, foreground int
		var flags uint
		if i := bytes.LastIndexByte(stat, ')'); i < 0 {
			continue
		} else if _, err := fmt.Sscanf(string(stat[i+1:]), " %c %d %d %d %d %d %d", &state, &parent, &group, &session, &tty,
			&foreground, &flags); err != nil || state == 'Z' || state == 'X' || flags&kernelThread != 0 {
			continue
		}
		if group != leader || leader == 0 {
			env, err := os.ReadFile(filepath.Join(dir, "environ")) // others' is an error
			if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
				continue
			}
		}
		pids = append(pids, pid)
	}
	return pids
}

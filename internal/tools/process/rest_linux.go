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

// graceTime is how long processes that are ending anyway may take.
const graceTime = 100 * time.Millisecond

// killRest kills what is left of a sample: the group of its leader and every process with the mark
// in its environment. It returns how many were left after graceTime. A newly created process may be
// missed while its parent lives, so killRest repeats until it finds none. It cannot find a process
// that left the group and cleared its environment.
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

// endWithParent makes the kernel kill the command when the thread that starts it ends.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }

// KillMarked kills all processes with a variable, NAME=value, in their environment, such as those
// that a killed process has left. It returns how many it found. It finds none where the system does
// not show the environments of others.
func KillMarked(mark string) int { return killRest(0, mark) }

// kernelThread is the flag PF_KTHREAD: a kernel thread is no process and has no environment.
const kernelThread = 0x00200000

// rest returns the processes of a sample without zombies. A leader of 0 means no leader.
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
		// "pid (name) state parent group session tty group flags …"; a name may have parentheses.
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
			env, err := os.ReadFile(filepath.Join(dir, "environ")) // an error for processes of other users
			if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
				continue
			}
		}
		pids = append(pids, pid)
	}
	return pids
}

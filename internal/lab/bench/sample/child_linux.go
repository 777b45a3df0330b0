package sample

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Start starts a command and a sampler that observes it from its first instruction on. The caller
// waits for the command, then closes the sampler. After an error the command does not run.
//
// The command starts as if under a debugger: the kernel stops it when its program is in memory and
// has not executed anything. Then Start lets it go.
func Start(cmd *exec.Cmd, c Config) (_ *Sampler, err error) {
	// Only the thread that started the command may let it go.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	defer func() {
		if err != nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}()
	var status unix.WaitStatus
	for {
		_, err = unix.Wait4(pid, &status, 0, nil)
		if err != unix.EINTR {
			break
		}
	}
	if err == nil && !status.Stopped() {
		err = fmt.Errorf("%s did not stop before its first instruction", cmd.Path)
	}
	if err != nil {
		return nil, err
	}
	s, err := OpenProcess(pid, c)
	if err == nil {
		err = s.Start()
	}
	if e := unix.PtraceDetach(pid); err == nil && e != nil {
		err = e
	}
	if err != nil && s != nil {
		s.Close()
	}
	return s, err
}

// biasOf finds the first executable mapping of a process: that of its program. It has the section's
// code.
func biasOf(pid int, text *elf.Section) uint64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		var from, to, offset uint64
		var flags string
		if n, _ := fmt.Sscanf(line, "%x-%x %s %x", &from, &to, &flags, &offset); n == 4 && strings.Contains(flags, "x") {
			if text.Offset >= offset && text.Offset-offset < to-from {
				return from + text.Offset - offset - text.Addr
			}
		}
	}
	return 0
}

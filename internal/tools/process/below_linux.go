package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor times in /proc.
const tick = 10 * time.Millisecond

// Below returns the descendants of a process as they are now, except for those whose parent has
// ended. It returns none if the system does not tell.
func Below(pid int) (list []Running) {
	type process struct {
		parent int
		state  string
		cpu    time.Duration
	}
	all := map[int]process{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		n, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if f := statFields(filepath.Join("/proc", e.Name())); len(f) > 12 {
			parent, _ := strconv.Atoi(f[1])
			user, _ := strconv.ParseInt(f[11], 10, 64)
			system, _ := strconv.ParseInt(f[12], 10, 64)
			all[n] = process{parent, f[0], time.Duration(user+system) * tick}
		}
	}
	children := map[int][]int{}
	for n, p := range all {
		children[p.parent] = append(children[p.parent], n)
	}
	for next := slices.Clone(children[pid]); len(next) > 0; next = next[1:] {
		n := next[0]
		next = append(next, children[n]...)
		if s := all[n].state; s != "Z" && s != "X" {
			list = append(list, Running{PID: n, CPU: all[n].cpu, Idle: len(children[n]) == 0 && sleeps(n)})
		}
	}
	return list
}

// statFields returns the fields of a process or thread in /proc, from its state on.
func statFields(dir string) []string {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	i := bytes.LastIndexByte(text, ')') // "pid (name) state parent …", where a name may have parentheses
	if err != nil || i < 0 {
		return nil // it has just ended
	}
	return strings.Fields(string(text[i+1:]))
}

// sleeps reports whether no thread of a process is ready to run or waits for a device.
func sleeps(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	for _, dir := range threads {
		if f := statFields(dir); len(f) > 0 && f[0] != "S" {
			return false
		}
	}
	return len(threads) > 0
}

// Command returns the process's working directory and its arguments, program name first. They are
// empty if the process has ended.
func (r Running) Command() (dir string, args []string) {
	at := fmt.Sprintf("/proc/%d/", r.PID)
	dir, err := os.Readlink(at + "cwd")
	if err != nil {
		return "", nil
	}
	text, _ := os.ReadFile(at + "cmdline")
	return dir, strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

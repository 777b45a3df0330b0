package bubblewrap

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// systemDirs are where a system has its programs and what belongs to them. Nothing else of a machine is in the box but what is named: not /home, /run and
// /var with the sockets of other programs, nor /tmp.
var systemDirs = []string{"/bin", "/etc", "/gnu/store", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt", "/sbin", "/sys", "/usr"}

// kernelReadOnly are directories of the kernel's settings. Bubblewrap covers them itself only from who may not write there anyway.
var kernelReadOnly = []string{"/proc/sys"}

// kernelNames are files and directories of /proc and /sys that are of the machine and not of the box. What root owns there
// root writes, without any capability.
var kernelNames = []string{"/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kmsg", "/proc/latency_stats",
	"/proc/mtrr", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/proc/sysrq-trigger",
	"/sys/firmware", "/sys/fs/bpf", "/sys/kernel/debug", "/sys/kernel/security", "/sys/kernel/tracing", "/sys/devices/virtual/powercap"}

// A Root is the tree of files of a box.
type Root struct {
	home   string
	shown  []string    // for reading
	over   [][2]string // files that stand in place of others
	hidden []string
}

func NewRoot(home string) *Root { return &Root{home: home} }

// within reports whether a path is a directory or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Show has a file or directory in the box, for reading. One in which the home directory is would show that, and is left out.
func (r *Root) Show(name string) {
	if name = filepath.Clean(name); filepath.IsAbs(name) && !within(r.home, name) && !within("/tmp", name) {
		r.shown = append(r.shown, name)
	}
}

// Put has a file stand in place of one that is shown.
func (r *Root) Put(file, at string) { r.over = append(r.over, [2]string{file, at}) }

// Hide empties what is shown only because a directory is that it is in.
func (r *Root) Hide(names ...string) { r.hidden = append(r.hidden, names...) }

// Args are bubblewrap's arguments for the tree.
func (r *Root) Args() ([]string, error) {
	args := []string{"--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/run", "--dir", "/home", "--symlink", "/run", "/var/run", "--symlink", "/tmp", "/var/tmp"}
	var visible []string
	for _, dir := range systemDirs {
		fi, err := os.Lstat(dir)
		switch {
		case err != nil:
		case fi.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(dir)
			if err != nil {
				return nil, err
			}
			args = append(args, "--symlink", to, dir)
			visible = append(visible, dir)
		case fi.IsDir():
			args = append(args, "--ro-bind", dir, dir)
			visible = append(visible, dir)
		}
	}
	isVisible := func(name string) bool {
		return slices.ContainsFunc(visible, func(dir string) bool {
			return within(name, dir) && (!within(name, r.home) || within(dir, r.home)) // the empty home hides what is above it
		})
	}
	args = append(args, KernelArgs()...)
	secret, err := rootsOwn("/etc")
	if err != nil {
		return nil, err
	}
	for _, name := range secret {
		args = append(args, emptied(name)...)
	}
	args = append(args, "--tmpfs", r.home)
	slices.Sort(r.shown) // a directory before those in it
	for _, name := range r.shown {
		if _, err := os.Stat(name); err == nil && !isVisible(name) {
			args = append(args, "--ro-bind-try", name, name)
			visible = append(visible, name)
		}
	}
	for _, x := range r.over {
		if _, err := os.Stat(x[1]); err == nil && isVisible(x[1]) {
			args = append(args, "--ro-bind", x[0], x[1])
		}
	}
	for _, name := range slices.DeleteFunc(r.hidden, func(name string) bool { return !filepath.IsAbs(name) }) {
		for _, name := range slices.Compact([]string{name, gitx.Clean(name)}) {
			if isVisible(name) {
				args = append(args, emptied(name)...)
			}
		}
	}
	return args, nil
}

// KernelArgs returns arguments that hide the machine's part of /proc and /sys from the box. They go
// after the arguments that mount these directories.
func KernelArgs() (args []string) {
	for _, name := range kernelNames {
		args = append(args, emptied(name)...)
	}
	for _, name := range kernelReadOnly {
		args = append(args, "--ro-bind", name, name)
	}
	return args
}

// emptied has an empty directory or file in place of one that is there.
func emptied(name string) []string {
	fi, err := os.Stat(name)
	switch {
	case err != nil:
		return nil
	case fi.IsDir():
		return []string{"--tmpfs", name}
	}
	return []string{"--ro-bind", os.DevNull, name}
}

// rootsOwn lists what of a directory root alone, or a group, may read. Root reads it in the box too, without any capability; for
// others there is nothing to list.
func rootsOwn(dir string) (list []string, err error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone
		}
		fi, err := d.Info()
		if err != nil || !fi.IsDir() && !fi.Mode().IsRegular() || fi.Mode()&0o004 != 0 {
			return nil
		}
		list = append(list, path)
		if fi.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return list, err
}

// MachineSockets are the Unix sockets of the machine in what every box shows: none, where a system is as it should be.
func MachineSockets() (list []string) {
	text, _ := os.ReadFile("/proc/net/unix") // where there is none nothing is known
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 8 && strings.HasPrefix(f[7], "/") && slices.ContainsFunc(systemDirs, func(dir string) bool { return within(f[7], dir) }) &&
			!slices.Contains(list, f[7]) {
			list = append(list, f[7])
		}
	}
	return list
}

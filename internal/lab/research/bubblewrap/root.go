package bubblewrap

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// systemDirs are the directories of a system's programs and their files. Of the rest of the machine
// the box has only what is named. It has neither /home, nor /run and /var with the sockets of other
// programs, nor /tmp.
var systemDirs = []string{"/bin", "/etc", "/gnu/store", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/opt", "/sbin", "/sys", "/usr"}

// kernelReadOnly are directories of the kernel's settings. Bubblewrap itself covers them only for
// users who may not write there anyway.
var kernelReadOnly = []string{"/proc/sys"}

// kernelNames are files and directories of /proc and /sys that belong to the machine and not to the
// box. Root can write its own files there, without any capability.
var kernelNames = []string{"/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kmsg", "/proc/latency_stats",
	"/proc/mtrr", "/proc/sched_debug", "/proc/scsi", "/proc/timer_list", "/proc/timer_stats", "/proc/sysrq-trigger",
	"/sys/firmware", "/sys/fs/bpf", "/sys/kernel/debug", "/sys/kernel/security", "/sys/kernel/tracing", "/sys/devices/virtual/powercap"}

// A Root is the file tree of a box.
type Root struct {
	home   string
	shown  []string    // read-only
	over   [][2]string // files that replace others
	hidden []string
}

func NewRoot(home string) *Root { return &Root{home: home} }

// within reports whether a path is a directory or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Show makes a file or directory visible in the box, read-only. A directory that contains the home
// directory would show that, and is left out.
func (r *Root) Show(name string) {
	if name = filepath.Clean(name); filepath.IsAbs(name) && !within(r.home, name) && !within("/tmp", name) {
		r.shown = append(r.shown, name)
	}
}

// Put replaces a visible file by another one.
func (r *Root) Put(file, at string) { r.over = append(r.over, [2]string{file, at}) }

// Hide empties names that are visible only because a directory above them is.
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
			// A directory above the home shows only an empty home.
			return within(name, dir) && (!within(name, r.home) || within(dir, r.home))
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
	slices.Sort(r.shown) // directories before their contents
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

// emptied returns arguments that replace an existing directory or file by an empty one.
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

// rootsOwn lists the parts of a directory that only root, or a group, may read. Root can read them
// in the box too, without any capability. For others the list is empty.
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

// MachineSockets are the machine's Unix sockets in directories that every box shows. A properly
// configured system has none.
func MachineSockets() (list []string) {
	text, _ := os.ReadFile("/proc/net/unix") // without the file nothing is known
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 8 && strings.HasPrefix(f[7], "/") && slices.ContainsFunc(systemDirs, func(dir string) bool { return within(f[7], dir) }) &&
			!slices.Contains(list, f[7]) {
			list = append(list, f[7])
		}
	}
	return list
}

// Command escape tries to leave the box that it runs in, and prints by which ways it did. Its arguments say what there is outside:
// word=value, of which see= are files that are hidden and read= files with the secret, write= and system= directories, of the test and of the machine, host= directories that are looked at from outside, unix= and tcp= addresses, pid= a process, secret= a text that stands in the
// environment and in files, link= the .git file of the checkout, ns= the namespaces outside.
//
// It leaves the machine as it is, also where there is no box: what it writes it removes, and what would change a namespace is
// tried only in one that is not the driver's.
package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

var tries int

var ways int

// try counts a way, and prints it if it leads out.
func try(out bool, format string, args ...any) {
	if tries++; out {
		ways++
		fmt.Printf("OUT "+format+"\n", args...)
	}
}

// machineFiles are files by which the machine is changed.
var machineFiles = []string{"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/proc/mtrr", "/proc/scsi/scsi",
	"/proc/acpi/wakeup", "/proc/irq/default_smp_affinity", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/cgroup.procs",
	"/sys/kernel/uevent_helper", "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/kvm", "/dev/vsock", "/dev/fuse", "/dev/net/tun"}

func main() {
	given := map[string][]string{}
	for _, arg := range os.Args[1:] {
		word, value, _ := strings.Cut(arg, "=")
		given[word] = append(given[word], value)
	}
	secret := given["secret"][0]

	status, _ := os.ReadFile("/proc/self/status")
	for _, want := range []string{"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000",
		"CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if strings.HasPrefix(want, "CapBnd") && slices.Contains(given["userns"], "none") {
			continue // what a program that is root could get by another one, if it had not NoNewPrivs
		}
		try(!strings.Contains(string(status), want), "status has no %q", want)
	}
	own := true // namespaces
	for _, ns := range given["ns"] {
		kind, _, _ := strings.Cut(ns, ":")
		at, _ := os.Readlink("/proc/self/ns/" + kind)
		same := at == "" || at == ns
		try(same && (kind != "user" || !slices.Contains(given["userns"], "none")), "is in the driver's namespace %s", ns)
		if kind == "mnt" || kind == "uts" {
			own = own && !same
		}
	}
	if own {
		for _, at := range append([]string{"/", "/usr", "/etc", "/proc", "/proc/sys", "/sys", "/tmp", "/run"}, given["write"]...) {
			try(syscall.Mount("", at, "", syscall.MS_REMOUNT|syscall.MS_BIND, "") == nil, "remounts %s", at)
		}
		os.Mkdir("/tmp/m", 0o777)
		try(syscall.Mount("none", "/tmp/m", "tmpfs", 0, "") == nil, "mounts")
		try(syscall.Sethostname([]byte("escaped")) == nil, "names the machine")
		try(syscall.Mknod("/tmp/m/sda", syscall.S_IFBLK|0o666, 8<<8) == nil, "makes a device")
		os.Remove("/tmp/m/sda")
		os.Remove("/tmp/m")
	}
	dirs, names := given["write"], []string(nil)
	if own {
		dirs = slices.Concat(dirs, given["system"], []string{"/", "/usr", "/etc", "/opt", "/run", "/var", "/home", "/sys", "/sys/fs/cgroup", "/proc/sys/kernel"})
		names = machineFiles
	}
	for _, dir := range dirs {
		name := filepath.Join(dir, "escaped")
		err := os.WriteFile(name, []byte("escaped\n"), 0o666)
		os.Remove(name)
		try(err == nil, "writes to %s", dir)
	}
	for _, dir := range given["host"] {
		tries++
		os.WriteFile(filepath.Join(dir, "escaped"), []byte("escaped\n"), 0o666) // who gave it looks
	}
	for _, name := range names {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			var st, null syscall.Stat_t
			f.Close()
			if syscall.Stat(name, &st) == nil && syscall.Stat("/dev/null", &null) == nil && st.Rdev == null.Rdev {
				continue // hidden
			}
		}
		try(err == nil, "opens %s for writing", name)
	}
	for _, name := range append([]string{"/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/proc/kcore", "/proc/kmsg", "/proc/keys"}, given["see"]...) {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		n, _ := f.Read(make([]byte, 16))
		try(n > 0, "reads %s", name)
		f.Close()
	}
	for _, name := range given["read"] {
		text, _ := os.ReadFile(name)
		try(strings.Contains(string(text), secret), "reads the secret in %s", name)
	}
	for _, dir := range []string{"/run", "/var/run", "/home", "/mnt", "/srv", "/media", "/boot", "/var/lib", "/sys/kernel/debug"} {
		list, _ := os.ReadDir(dir)
		list = slices.DeleteFunc(list, func(e os.DirEntry) bool {
			return slices.ContainsFunc(given["shown"], func(s string) bool { return strings.HasPrefix(s, filepath.Join(dir, e.Name())) })
		})
		try(len(list) > 0, "%s has %v", dir, list)
	}

	for _, addr := range given["unix"] {
		c, err := net.DialTimeout("unix", addr, time.Second)
		if err == nil {
			c.Close()
		}
		try(err == nil, "connects to %q", addr)
	}
	for _, addr := range given["tcp"] {
		c, err := net.DialTimeout("tcp", addr, time.Second)
		if err == nil {
			c.Close()
		}
		try(err == nil, "connects to %s", addr)
	}
	links, _ := net.Interfaces()
	for _, l := range links {
		try(l.Flags&net.FlagLoopback == 0, "has the interface %s", l.Name)
	}
	// Families without a namespace: 38 AF_ALG, 40 AF_VSOCK, 42 AF_QIPCRTR, 30 AF_TIPC, 31 AF_BLUETOOTH, 17 AF_PACKET, 44 AF_XDP, 16 netlink is in one.
	for _, family := range []int{38, 40, 42, 30, 31, 17, 44, 29, 9} {
		for _, kind := range []int{syscall.SOCK_STREAM, syscall.SOCK_DGRAM, syscall.SOCK_SEQPACKET, syscall.SOCK_RAW} {
			fd, err := syscall.Socket(family, kind, 0)
			if err == nil {
				syscall.Close(fd)
			}
			try(err == nil, "has sockets of family %d", family)
		}
	}

	environs, _ := filepath.Glob("/proc/*/environ")
	for _, name := range append(environs, "/proc/self/cmdline") {
		text, _ := os.ReadFile(name)
		try(name != "/proc/self/cmdline" && strings.Contains(string(text), secret), "finds the secret in %s", name)
	}
	for _, kv := range os.Environ() {
		try(strings.Contains(kv, secret), "has %s", kv)
	}
	files, _ := os.ReadDir("/proc/self/fd")
	for _, e := range files {
		fd, _ := strconv.Atoi(e.Name())
		at, err := os.Readlink("/proc/self/fd/" + e.Name())
		// What this program opened is closed when another one begins; the rest it was started with.
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0)
		try(err == nil && errno == 0 && fd > 2 && flags&syscall.FD_CLOEXEC == 0, "was given the file %d, %s", fd, at)
	}
	for _, pid := range given["pid"] {
		n, _ := strconv.Atoi(pid)
		try(syscall.Kill(n, 0) == nil, "can signal the driver")
		_, err := os.Stat("/proc/" + pid)
		try(err == nil, "sees the driver")
	}
	if ppid := os.Getppid(); ppid > 1 {
		try(true, "sees a parent %d", ppid)
	}

	calls := []struct {
		name string
		n, a uintptr
	}{{"keyctl", 250, 0}, {"add_key", 248, 0}, {"request_key", 249, 0}, {"io_uring_setup", 425, 1}, {"bpf", 321, 0}}
	if strconv.IntSize == 64 && isAMD64 {
		for _, c := range calls {
			_, _, errno := syscall.Syscall6(c.n, c.a, 0, 0, 0, 0, 0)
			try(errno != syscall.EPERM && errno != syscall.ENOSYS, "may call %s: %v", c.name, errno)
		}
	}
	for _, tty := range []string{"/dev/tty", "/dev/console", "/proc/self/fd/0", "/proc/self/fd/1"} {
		if !own {
			break
		}
		if f, err := os.OpenFile(tty, os.O_RDWR, 0); err == nil {
			b := byte('x')
			_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), 0x5412, uintptr(unsafe.Pointer(&b))) // TIOCSTI
			try(errno == 0, "types into %s", tty)
		}
	}
	try(syscall.Chroot("/tmp") == nil, "changes its root")
	for _, flag := range []uintptr{syscall.CLONE_NEWUSER, syscall.CLONE_NEWNS, syscall.CLONE_NEWNET, syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS} {
		if flag&syscall.CLONE_NEWUSER != 0 && len(given["userns"]) > 0 {
			continue // this bubblewrap cannot refuse it
		}
		_, _, errno := syscall.RawSyscall(syscall.SYS_UNSHARE, flag, 0, 0)
		try(errno == 0, "has a namespace of its own: %#x", flag)
	}
	for _, link := range given["link"] {
		try(os.Rename(link, link+"2") == nil, "renames %s", link)
		try(os.Remove(link) == nil, "removes %s", link)
		try(os.WriteFile(link, []byte("gitdir: /tmp\n"), 0o666) == nil, "writes %s", link)
	}
	fmt.Println("tried", tries)
	if ways > 0 {
		os.Exit(3)
	}
}

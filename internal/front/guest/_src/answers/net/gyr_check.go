package net

import (
	"internal/filepathlite"
	"os"
	"syscall"
)

// gyrCheck refuses what no socket can be made for.
func gyrCheck(family, sotype int, laddr, raddr sockaddr) error {
	to, dials := gyrAddrOf(raddr)
	switch {
	case sotype == syscall.SOCK_RAW:
		return os.NewSyscallError("socket", syscall.EPERM)
	case family == syscall.AF_UNIX && dials && !gyrHasFile(to.name):
		return os.NewSyscallError("connect", syscall.ENOENT)
	case family == syscall.AF_UNIX:
		return nil
	}
	if err := gyrCheckInet(family, "bind", laddr); err != nil {
		return err
	}
	if err := gyrCheckInet(family, "connect", raddr); err != nil {
		return err
	}
	if dials && !gyrIsLocal(to.ip.Addr()) && !gyrIsHosts(family, sotype, to) {
		return gyrNetworkError{}
	}
	return nil
}

// gyrIsHosts reports whether the host dials an address.
func gyrIsHosts(family, sotype int, to gyrAddr) bool {
	return family != syscall.AF_UNIX && sotype == syscall.SOCK_STREAM && !gyrIsLocal(to.ip.Addr()) && gyrMayDial()
}

// gyrHostListens reports whether the host listens at an address too: at any that is not the program's alone.
func gyrHostListens(family, sotype int, at gyrAddr) bool {
	return family != syscall.AF_UNIX && sotype == syscall.SOCK_STREAM && !at.ip.Addr().IsLoopback() && gyrMayListen()
}

// gyrCheckInet refuses addresses of another family and ports that there are not.
func gyrCheckInet(family int, call string, sa sockaddr) error {
	if _, ok := gyrAddrOf(sa); !ok {
		return nil
	}
	raw, err := sa.sockaddr(family)
	if err != nil {
		return err
	}
	port := 0
	switch a := raw.(type) {
	case *syscall.SockaddrInet4:
		port = a.Port
	case *syscall.SockaddrInet6:
		port = a.Port
	}
	if port < 0 || port > 0xffff {
		return os.NewSyscallError(call, syscall.EINVAL)
	}
	return nil
}

// gyrUnixName is the name of a Unix socket as the network has it: a path from the root, or what begins with @.
func gyrUnixName(name string) string {
	if name == "" || name[0] == '@' {
		return name
	}
	if name[0] != '/' {
		if dir, err := syscall.Getwd(); err == nil {
			name = dir + "/" + name
		}
	}
	return filepathlite.Clean(name)
}

// gyrMakeFile makes the file that a Unix socket is found by: an empty one, which is removed like any other.
func gyrMakeFile(name string) error {
	if name == "" || name[0] == '@' {
		return nil
	}
	fd, err := syscall.Open(name, syscall.O_CREAT|syscall.O_EXCL|syscall.O_RDWR, syscall.S_IFSOCK|0o755)
	switch err {
	case nil:
		return syscall.Close(fd)
	case syscall.EEXIST, syscall.EISDIR:
		return syscall.EADDRINUSE
	}
	return err
}

// gyrHasFile reports whether the file of a Unix socket is still there.
func gyrHasFile(name string) bool {
	if name != "" && name[0] == '@' {
		return true
	}
	var st syscall.Stat_t
	return syscall.Stat(name, &st) == nil
}

package net

import (
	"os"
	"syscall"
)

// gyrCheck refuses what no socket can be made for.
func gyrCheck(family, sotype int, laddr, raddr sockaddr) error {
	to, dials := gyrAddrOf(raddr)
	switch {
	case sotype == syscall.SOCK_RAW:
		return os.NewSyscallError("socket", syscall.EPERM)
	case family == syscall.AF_UNIX && dials:
		return nil
	case family == syscall.AF_UNIX:
		return wrapSyscallError("bind", gyrCheckName(laddr))
	}
	if err := gyrCheckInet(family, "bind", laddr); err != nil {
		return err
	}
	if err := gyrCheckInet(family, "connect", raddr); err != nil {
		return err
	}
	if dials && !gyrIsLocal(to.ip.Addr()) {
		return gyrNetworkError{}
	}
	return nil
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

// gyrCheckName refuses names of Unix sockets that are names of files, or in a directory that there is not. No directory
// need be granted for temporary ones.
func gyrCheckName(sa sockaddr) error {
	a, _ := gyrAddrOf(sa)
	if a.name == "" || a.name[0] == '@' {
		return nil
	}
	i := len(a.name)
	for i > 0 && a.name[i-1] != '/' {
		i--
	}
	dir := a.name[:i]
	switch dir {
	case "", "./", "/tmp/", os.TempDir() + "/":
		return nil
	}
	if i == len(a.name) {
		return syscall.EADDRINUSE // a directory
	}
	if _, err := os.Stat(dir); err != nil {
		return syscall.ENOENT
	}
	if _, err := os.Lstat(a.name); err == nil {
		return syscall.EADDRINUSE
	}
	return nil
}

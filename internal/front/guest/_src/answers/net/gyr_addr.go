package net

import (
	"net/netip"
	"os"
	"syscall"
)

// A gyrAddr is where a socket is: an address and a port, or a name.
type gyrAddr struct {
	ip   netip.AddrPort // without zone, IPv4 never mapped
	name string         // of a Unix socket
}

// gyrAddrOf returns the address in a sockaddr, and whether there is one.
func gyrAddrOf(sa sockaddr) (gyrAddr, bool) {
	switch a := sa.(type) {
	case *TCPAddr:
		if a != nil {
			return gyrInet(a.IP, a.Port), true
		}
	case *UDPAddr:
		if a != nil {
			return gyrInet(a.IP, a.Port), true
		}
	case *UnixAddr:
		if a != nil {
			return gyrAddr{name: a.Name}, true
		}
	}
	return gyrAddr{}, false
}

func gyrInet(ip IP, port int) gyrAddr {
	addr, _ := netip.AddrFromSlice(ip)
	return gyrAddr{ip: netip.AddrPortFrom(addr.Unmap(), uint16(port))}
}

// gyrRaw returns the address in a syscall.Sockaddr.
func gyrRaw(sa syscall.Sockaddr) gyrAddr {
	switch a := sa.(type) {
	case *syscall.SockaddrInet4:
		return gyrAddr{ip: netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))}
	case *syscall.SockaddrInet6:
		return gyrAddr{ip: netip.AddrPortFrom(netip.AddrFrom16(a.Addr).Unmap(), uint16(a.Port))}
	case *syscall.SockaddrUnix:
		return gyrAddr{name: a.Name}
	}
	return gyrAddr{}
}

// sockaddr is the address as system calls have it; nil if there is none.
func (a gyrAddr) sockaddr(family int) syscall.Sockaddr {
	switch {
	case family == syscall.AF_UNIX && a.name != "":
		return &syscall.SockaddrUnix{Name: a.name}
	case family == syscall.AF_INET && a.ip.Addr().Is4():
		return &syscall.SockaddrInet4{Port: int(a.ip.Port()), Addr: a.ip.Addr().As4()}
	case family == syscall.AF_INET6 && a.ip.IsValid():
		return &syscall.SockaddrInet6{Port: int(a.ip.Port()), Addr: a.ip.Addr().As16()}
	}
	return nil
}

// gyrIsLocal reports whether an address is the program's own: everything that a machine has without a network.
func gyrIsLocal(ip netip.Addr) bool { return ip.IsLoopback() || ip.IsUnspecified() }

// gyrLoopback is the address of the machine in an address's family.
func gyrLoopback(like netip.Addr) netip.Addr {
	if like.Is4() {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return netip.IPv6Loopback()
}

// gyrLocalName reports whether a name is one of the machine's own: localhost, what is below it, and the host's name.
func gyrLocalName(name string) bool {
	if n := len(name); n > 0 && name[n-1] == '.' {
		name = name[:n-1]
	}
	for _, own := range [...]string{"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"} {
		if stringsEqualFold(name, own) {
			return true
		}
	}
	if stringsHasSuffixFold(name, ".localhost") {
		return true
	}
	host, err := os.Hostname()
	return err == nil && stringsEqualFold(name, host)
}

// toLocal is the address that is dialled where the program named none: that of the machine, in the family that it named.
func (a *TCPAddr) toLocal(net string) sockaddr {
	return &TCPAddr{gyrToLocal(a.IP, net), a.Port, a.Zone}
}

func (a *UDPAddr) toLocal(net string) sockaddr {
	return &UDPAddr{gyrToLocal(a.IP, net), a.Port, a.Zone}
}

func gyrToLocal(ip IP, net string) IP {
	if ip.Equal(IPv6unspecified) {
		return IPv6loopback
	}
	return loopbackIP(net)
}

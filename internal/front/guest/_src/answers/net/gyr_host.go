package net

import (
	"context"
	"internal/nettrace"
	"internal/strconv"
	"net/netip"
	"os"
	"syscall"
)

// The network that the host may grant. A socket of it is a gyrSocket too, whose field host has the number under which the host knows
// it: reading, writing, accepting and closing are the host's then. It says EAGAIN where a socket would have to wait, and has the runtime's
// netpoll.go told when it is worth another try.
//
// A name that is not the program's own goes to the host as it is, which looks it up if it likes.

//go:wasmimport gyr_net granted
func gyrHostGranted() int32

//go:wasmimport gyr_net dial
func gyrHostDial(fd int32, network, address string) int32

//go:wasmimport gyr_net listen
func gyrHostListen(fd int32, network, address string) int32

//go:wasmimport gyr_net outcome
func gyrHostOutcome(host int32, buf *byte, n int32) (errno, length int32)

//go:wasmimport gyr_net accept
func gyrHostAccept(host, fd int32) int32

//go:wasmimport gyr_net readable
func gyrHostReadable(host int32) int32

//go:wasmimport gyr_net read
func gyrHostRead(host int32, p *byte, n int32) int32

//go:wasmimport gyr_net writable
func gyrHostWritable(host int32) int32

//go:wasmimport gyr_net write
func gyrHostWrite(host int32, p *byte, n int32) int32

//go:wasmimport gyr_net shutdown
func gyrHostShutdown(host, write int32) int32

//go:wasmimport gyr_net close
func gyrHostClose(host, abort int32) int32

// gyrNetHost tells the runtime that a socket is the host's.
func gyrNetHost(fd uintptr)

func gyrMayDial() bool   { return gyrHostGranted()&1 != 0 }
func gyrMayListen() bool { return gyrHostGranted()&2 != 0 }

// gyrErrno is the error that a function of the host returned, if it did.
func gyrErrno(n int32) error {
	if n < 0 {
		return syscall.Errno(-n)
	}
	return nil
}

// gyrHostError is the host's own words for why it did not dial or listen.
type gyrHostError string

func (e gyrHostError) Error() string { return string(e) }

// gyrHostAddr is an address that the host dials by its name.
type gyrHostAddr struct{ network, address string }

func (a gyrHostAddr) Network() string { return a.network }
func (a gyrHostAddr) String() string  { return a.address }

// gyrByName returns the address that the host is to dial by its name, if it is to.
func gyrByName(ctx context.Context, r *Resolver, network, address string) (a gyrHostAddr, name string, ok bool) {
	if network != "tcp" && network != "tcp4" && network != "tcp6" || gyrAsks(r) || !gyrMayDial() {
		return a, "", false
	}
	name, service, err := SplitHostPort(address)
	if err != nil || name == "" {
		return a, "", false
	}
	if _, err := netip.ParseAddr(name); err == nil || gyrLocalName(name) || !isDomainName(name) {
		return a, "", false
	}
	if addrs, _ := lookupStaticHost(name); len(addrs) > 0 {
		return a, "", false
	}
	port, err := r.LookupPort(ctx, network, service)
	if err != nil {
		return a, "", false
	}
	return gyrHostAddr{network, JoinHostPort(name, strconv.Itoa(port))}, name, true
}

// DialContext has the host dial names that are not the program's own.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (Conn, error) {
	ctx, cancel := d.dialCtx(ctx)
	defer cancel()
	if a, name, ok := gyrByName(ctx, d.resolver(), network, address); ok {
		c, err := d.gyrDialName(ctx, a, name)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
	lookup := ctx
	if trace, _ := ctx.Value(nettrace.TraceKey{}).(*nettrace.Trace); trace != nil {
		quiet := *trace // what a lookup connects to is nobody's business
		quiet.ConnectStart, quiet.ConnectDone = nil, nil
		lookup = context.WithValue(ctx, nettrace.TraceKey{}, &quiet)
	}
	addrs, err := d.resolver().resolveAddrList(lookup, "dial", network, address, d.LocalAddr)
	if err != nil {
		return nil, &OpError{Op: "dial", Net: network, Err: err}
	}
	var fallbacks addrList
	if network == "tcp" && d.dualStack() {
		addrs, fallbacks = addrs.partition(isIPv4)
	}
	sd := &sysDialer{Dialer: *d, network: network, address: address}
	return sd.dialParallel(ctx, addrs, fallbacks)
}

// gyrDialName has the host dial a name.
func (d *Dialer) gyrDialName(ctx context.Context, a gyrHostAddr, name string) (c *TCPConn, err error) {
	if trace, _ := ctx.Value(nettrace.TraceKey{}).(*nettrace.Trace); trace != nil {
		if trace.ConnectStart != nil {
			trace.ConnectStart(a.network, a.address)
		}
		if trace.ConnectDone != nil {
			defer func() { trace.ConnectDone(a.network, a.address, err) }()
		}
	}
	family := syscall.AF_INET
	if a.network == "tcp6" {
		family = syscall.AF_INET6
	}
	control := d.ControlContext
	if control == nil && d.Control != nil {
		control = func(_ context.Context, network, address string, c syscall.RawConn) error {
			return d.Control(network, address, c)
		}
	}
	fd, err := gyrDial(ctx, a.network, family, d.LocalAddr, a.address, gyrAddr{}, control)
	switch err {
	case nil:
		return newTCPConn(fd, d.KeepAlive, d.KeepAliveConfig, testPreHookSetKeepAlive, testHookSetKeepAlive), nil
	case errNoSuchHost:
		return nil, &OpError{Op: "dial", Net: a.network, Err: newDNSError(err, name, "")}
	}
	return nil, &OpError{Op: "dial", Net: a.network, Source: d.LocalAddr, Addr: a, Err: err}
}

// gyrDial has the host dial an address. remote is what the program knows of it.
func gyrDial(ctx context.Context, net string, family int, local Addr, address string, remote gyrAddr,
	control func(context.Context, string, string, syscall.RawConn) error) (*netFD, error) {
	if a, ok := local.(*TCPAddr); ok && a != nil && (a.Port != 0 || !a.isWildcard()) {
		return nil, os.NewSyscallError("bind", syscall.EADDRNOTAVAIL)
	}
	if err := ctx.Err(); err != nil {
		return nil, mapErr(err)
	}
	s := &gyrSocket{net: net, family: family, sotype: syscall.SOCK_STREAM, remote: remote}
	gyrNet.Lock()
	s.number()
	gyrNet.Unlock()
	fd, err := gyrNewFD(s)
	if err == nil && control != nil {
		err = control(ctx, fd.gyrNetwork(), address, newRawConn(fd))
	}
	if err == nil {
		err = fd.gyrOpen(ctx, s, "connect", func() int32 { return gyrHostDial(int32(s.fd), net, address) })
	}
	if err != nil {
		fd.Close()
		return nil, err
	}
	fd.gyrName(s)
	return fd, nil
}

// gyrListen has the host listen at an address too, which at is in the program's own form. If that has no port it gets the one that the host chose.
func (fd *netFD) gyrListen(ctx context.Context, s *gyrSocket, laddr sockaddr, at *gyrAddr) error {
	address := ":0"
	if _, ok := gyrAddrOf(laddr); ok {
		address = laddr.String()
	}
	if err := fd.gyrOpen(ctx, s, "bind", func() int32 { return gyrHostListen(int32(s.fd), s.net, address) }); err != nil {
		return err
	}
	if at.ip.Port() == 0 {
		at.ip = netip.AddrPortFrom(at.ip.Addr(), s.local.ip.Port())
	}
	s.local = *at
	return nil
}

// gyrOpen has the host begin to dial or to listen, and waits for the outcome.
func (fd *netFD) gyrOpen(ctx context.Context, s *gyrSocket, call string, begin func() int32) error {
	gyrNetHost(uintptr(s.fd))
	n := begin()
	if n < 0 {
		return wrapSyscallError(call, gyrErrno(n))
	}
	s.host = n
	var text [600]byte
	var length int32
	err := fd.gyrWait(ctx, func() error {
		var errno int32
		errno, length = gyrHostOutcome(s.host, &text[0], int32(len(text)))
		return gyrErrno(errno)
	})
	if err != nil {
		return wrapSyscallError(call, err)
	}
	if length < 1 {
		return wrapSyscallError(call, syscall.EIO)
	}
	kind, rest := text[0], string(text[1:length])
	switch kind {
	case '=':
		s.gyrNamed(rest)
		return nil
	case 'e':
		n, _, _ := dtoi(rest)
		return os.NewSyscallError(call, syscall.Errno(n))
	case 'n':
		return errNoSuchHost
	case 't':
		return errTimeout
	}
	return gyrHostError(rest)
}

// gyrNamed takes over the addresses of a connection or a listener, as far as the host tells them and the program does not know better.
func (s *gyrSocket) gyrNamed(text string) {
	local, remote := text, ""
	for i := range len(text) {
		if text[i] == '\n' {
			local, remote = text[:i], text[i+1:]
			break
		}
	}
	if ip, err := netip.ParseAddrPort(local); err == nil {
		s.local.ip = netip.AddrPortFrom(ip.Addr().Unmap().WithZone(""), ip.Port())
	}
	if ip, err := netip.ParseAddrPort(remote); err == nil && s.remote == (gyrAddr{}) {
		s.remote.ip = netip.AddrPortFrom(ip.Addr().Unmap().WithZone(""), ip.Port())
	}
	if ip := s.remote.ip.Addr(); ip.Is6() {
		s.family = syscall.AF_INET6
	}
}

// acceptHost takes the next connection that the host has accepted, and gives it a number. The lock is held.
func (s *gyrSocket) acceptHost() (*gyrSocket, error) {
	if n := gyrHostReadable(s.host); n < 0 {
		return nil, gyrErrno(n)
	}
	c := &gyrSocket{net: s.net, family: s.family, sotype: s.sotype, accepted: true}
	c.number()
	n := gyrHostAccept(s.host, int32(c.fd))
	if n < 0 {
		c.leave()
		return nil, gyrErrno(n)
	}
	c.host = n
	var text [600]byte
	if _, length := gyrHostOutcome(n, &text[0], int32(len(text))); length > 1 {
		c.gyrNamed(string(text[1:length]))
	}
	return c, nil
}

// readHost and writeHost move as much as there is, or is room for: a charge is for what is moved. The lock is held.

func (s *gyrSocket) readHost(b []byte) (int, error) {
	n := gyrHostReadable(s.host)
	if n > 0 && len(b) > 0 {
		b = b[:min(len(b), int(n))]
		n = gyrHostRead(s.host, &b[0], int32(len(b)))
	}
	return int(max(n, 0)), gyrErrno(n)
}

func (s *gyrSocket) writeHost(b []byte) (int, error) {
	n := gyrHostWritable(s.host)
	if n > 0 {
		b = b[:min(len(b), int(n))]
		n = 0
		if len(b) > 0 {
			n = gyrHostWrite(s.host, &b[0], int32(len(b)))
		}
	}
	return int(max(n, 0)), gyrErrno(n)
}

func (s *gyrSocket) shutdownHost(write int32) error { return gyrErrno(gyrHostShutdown(s.host, write)) }

// closeHost gives the host's half of a socket back.
func (s *gyrSocket) closeHost() {
	if s.host != 0 {
		abort := int32(0)
		if s.abort {
			abort = 1
		}
		gyrHostClose(s.host, abort)
		s.host = 0
	}
}

package net

import (
	"context"
	"internal/poll"
	"io"
	"os"
	"syscall"
	"time"
	_ "unsafe" // for go:linkname
)

// What the package does with sockets, in place of net_fake.go. A descriptor of package net has a number, under which the
// socket is found in gyrNet, and internal/poll's lock and waits.

func socket(ctx context.Context, net string, family, sotype, proto int, ipv6only bool, laddr, raddr sockaddr, ctrlCtxFn func(context.Context, string, string, syscall.RawConn) error) (*netFD, error) {
	local, hasLocal := gyrAddrOf(laddr)
	remote, dials := gyrAddrOf(raddr)
	if err := gyrCheck(family, sotype, laddr, raddr); err != nil {
		return nil, err
	}
	if dials && gyrIsHosts(family, sotype, remote) {
		tcp, _ := laddr.(*TCPAddr)
		return gyrDial(ctx, net, family, tcp, raddr.String(), remote, ctrlCtxFn)
	}
	s := &gyrSocket{net: net, family: family, sotype: sotype, only6: ipv6only, boxLimit: gyrDatagram}
	gyrNet.Lock()
	s.number()
	gyrNet.Unlock()
	fd, err := gyrNewFD(s)
	if err == nil && ctrlCtxFn != nil {
		address := laddr
		if dials {
			address = raddr
		}
		err = ctrlCtxFn(ctx, fd.gyrNetwork(), address.String(), newRawConn(fd))
	}
	if err == nil && family == syscall.AF_UNIX {
		err = wrapSyscallError("bind", gyrMakeFile(local.name))
	}
	outside := false // an address of the host's alone
	if err == nil && !dials && gyrHostListens(family, sotype, local) {
		outside = local.ip.Addr().IsValid() && !gyrIsLocal(local.ip.Addr())
		err = fd.gyrListen(ctx, s, laddr, &local)
	}
	if err == nil && (hasLocal || !dials) && !outside {
		err = gyrLocked("bind", func() error { return s.bind(local) })
	}
	switch {
	case err != nil:
	case dials:
		err = fd.gyrConnect(ctx, s, remote)
	case sotype != syscall.SOCK_DGRAM:
		err = gyrLocked("listen", func() error { s.listening = true; return nil })
	}
	if err != nil {
		fd.Close()
		return nil, err
	}
	fd.gyrName(s)
	if !dials {
		gyrNetName(uintptr(s.fd), net+" "+fd.laddr.String())
	}
	return fd, nil
}

// gyrLocked does something with the network, and names the system call in its error.
func gyrLocked(call string, do func() error) error {
	gyrNet.Lock()
	defer gyrNet.Unlock()
	return wrapSyscallError(call, do())
}

// gyrNewFD makes the descriptor of a socket that has a number.
func gyrNewFD(s *gyrSocket) (*netFD, error) {
	fd := &netFD{family: s.family, sotype: s.sotype, net: s.net}
	fd.pfd.Sysfd = s.fd
	fd.pfd.IsStream = s.sotype == syscall.SOCK_STREAM
	fd.pfd.RefCount = 2 // there is nothing that internal/poll could close
	fd.pfd.RefCountPtr = &fd.pfd.RefCount
	fd.fakeNetFD = &fakeNetFD{fd: fd}
	fd.gyrName(s)
	return fd, fd.init()
}

// gyrName shows the addresses of a socket in its descriptor.
func (fd *netFD) gyrName(s *gyrSocket) {
	fd.laddr, fd.raddr = fd.gyrAddr(s.local), nil
	if s.remote != (gyrAddr{}) || s.rx != nil || s.host != 0 && !s.listening {
		fd.raddr = fd.gyrAddr(s.remote)
		fd.isConnected = true
	}
}

// gyrAddr is an address in the form of a descriptor's network.
func (fd *netFD) gyrAddr(a gyrAddr) Addr {
	if fd.family == syscall.AF_UNIX {
		return &UnixAddr{Name: a.name, Net: fd.net}
	}
	ip := IP(a.ip.Addr().AsSlice())
	if fd.family == syscall.AF_INET6 {
		ip = ip.To16()
	}
	if fd.sotype == syscall.SOCK_DGRAM {
		return &UDPAddr{IP: ip, Port: int(a.ip.Port())}
	}
	return &TCPAddr{IP: ip, Port: int(a.ip.Port())}
}

// gyrNetwork is what functions of users' that prepare a socket are told.
func (fd *netFD) gyrNetwork() string {
	switch fd.net[len(fd.net)-1] {
	case '4', '6':
		return fd.net
	}
	switch fd.family {
	case syscall.AF_INET:
		return fd.net + "4"
	case syscall.AF_INET6:
		return fd.net + "6"
	}
	return fd.net
}

// gyrConnect connects, and waits where a listener has too many connections already.
func (fd *netFD) gyrConnect(ctx context.Context, s *gyrSocket, to gyrAddr) (err error) {
	if err := ctx.Err(); err != nil {
		return mapErr(err)
	}
	if fd.sotype == syscall.SOCK_DGRAM {
		return gyrLocked("connect", func() error {
			if s.family == syscall.AF_UNIX && s.find(to) == nil {
				return syscall.ECONNREFUSED
			}
			s.remote = to
			return s.source(to)
		})
	}
	return wrapSyscallError("connect", fd.gyrWait(ctx, func() error {
		gyrNet.Lock()
		defer gyrNet.Unlock()
		return s.connect(to)
	}))
}

// gyrWait tries to connect until that does not say EAGAIN, or the context ends.
func (fd *netFD) gyrWait(ctx context.Context, try func() error) (err error) {
	done := make(chan struct{})
	watched := false
	werr := fd.pfd.RawWrite(func(uintptr) bool {
		err = try()
		if err == syscall.EAGAIN && !watched {
			watched = true
			go fd.gyrWatch(ctx, done)
		}
		return err != syscall.EAGAIN
	})
	close(done)
	switch {
	case werr != nil && ctx.Err() != nil:
		return mapErr(ctx.Err())
	case werr != nil:
		return werr
	}
	if watched {
		fd.pfd.SetWriteDeadline(noDeadline)
	}
	return err
}

// gyrWatch ends the wait of a connection when its context does.
func (fd *netFD) gyrWatch(ctx context.Context, done chan struct{}) {
	select {
	case <-ctx.Done():
		fd.pfd.SetWriteDeadline(aLongTimeAgo)
	case <-done:
	}
}

func (ffd *fakeNetFD) accept(laddr Addr) (*netFD, error) {
	var c *gyrSocket
	var err error
	werr := ffd.fd.pfd.RawRead(func(sysfd uintptr) bool {
		gyrNet.Lock()
		c, err = gyrAt(sysfd).accept()
		gyrNet.Unlock()
		return err != syscall.EAGAIN
	})
	switch {
	case werr != nil:
		return nil, werr
	case err != nil:
		return nil, wrapSyscallError("accept", err)
	}
	fd, err := gyrNewFD(c)
	if err != nil {
		fd.Close()
		return nil, err
	}
	if c.host != 0 {
		gyrNetHost(uintptr(c.fd))
	}
	return fd, nil
}

// Close ends the waits of others, and the socket when they are over.
func (ffd *fakeNetFD) Close() error {
	sysfd := ffd.fd.pfd.Sysfd
	if err := ffd.fd.pfd.Close(); err != nil {
		return err
	}
	gyrNet.Lock()
	defer gyrNet.Unlock()
	if s := gyrAt(uintptr(sysfd)); s != nil {
		s.close()
	}
	return nil
}

// gyrControl does something with the socket of a descriptor that is open.
func (ffd *fakeNetFD) gyrControl(call string, do func(*gyrSocket) error) (err error) {
	cerr := ffd.fd.pfd.RawControl(func(sysfd uintptr) {
		gyrNet.Lock()
		defer gyrNet.Unlock()
		err = do(gyrAt(sysfd))
	})
	if cerr != nil {
		return cerr
	}
	return wrapSyscallError(call, err)
}

func (ffd *fakeNetFD) closeRead() error  { return ffd.gyrControl("shutdown", (*gyrSocket).endRead) }
func (ffd *fakeNetFD) closeWrite() error { return ffd.gyrControl("shutdown", (*gyrSocket).endWrite) }

func (ffd *fakeNetFD) SetDeadline(t time.Time) error      { return ffd.fd.pfd.SetDeadline(t) }
func (ffd *fakeNetFD) SetReadDeadline(t time.Time) error  { return ffd.fd.pfd.SetReadDeadline(t) }
func (ffd *fakeNetFD) SetWriteDeadline(t time.Time) error { return ffd.fd.pfd.SetWriteDeadline(t) }

func (ffd *fakeNetFD) setLinger(sec int) error {
	return ffd.gyrControl("setsockopt", func(s *gyrSocket) error { s.abort = sec == 0; return nil })
}

func (ffd *fakeNetFD) setReadBuffer(bytes int) error {
	return ffd.gyrControl("setsockopt", func(s *gyrSocket) error {
		if bytes <= 0 {
			return syscall.EINVAL
		}
		s.boxLimit = bytes
		if s.rx != nil {
			s.rx.limit = bytes
		}
		return nil
	})
}

func (ffd *fakeNetFD) setWriteBuffer(bytes int) error {
	return ffd.gyrControl("setsockopt", func(s *gyrSocket) error {
		if bytes <= 0 {
			return syscall.EINVAL
		}
		return nil
	})
}

func setKeepAlive(fd *netFD, keepalive bool) error          { return fd.gyrOption() }
func setNoDelay(fd *netFD, noDelay bool) error              { return fd.gyrOption() }
func setKeepAliveIdle(fd *netFD, d time.Duration) error     { return fd.gyrOption() }
func setKeepAliveInterval(fd *netFD, d time.Duration) error { return fd.gyrOption() }
func setKeepAliveCount(fd *netFD, n int) error              { return fd.gyrOption() }

// gyrOption sets something that makes no difference within a program.
func (fd *netFD) gyrOption() error {
	if fd.fakeNetFD == nil {
		return syscall.ENOPROTOOPT
	}
	return fd.fakeNetFD.gyrControl("setsockopt", func(*gyrSocket) error { return nil })
}

// Package internal/poll: do is tried until it does not say EAGAIN.

//go:linkname gyrPollRead internal/poll.gyrRead
func gyrPollRead(fd *poll.FD, p []byte, do func(sysfd uintptr, p []byte) (int, error)) (int, error)

//go:linkname gyrPollWrite internal/poll.gyrWrite
func gyrPollWrite(fd *poll.FD, p []byte, do func(sysfd uintptr, p []byte) (int, error)) (int, error)

func gyrReadStream(sysfd uintptr, p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	gyrNet.Lock()
	n, err := gyrAt(sysfd).read(p)
	gyrNet.Unlock()
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

func gyrWriteStream(sysfd uintptr, p []byte) (int, error) {
	gyrNet.Lock()
	n, err := gyrAt(sysfd).write(p)
	gyrNet.Unlock()
	return n, err
}

func (ffd *fakeNetFD) Read(p []byte) (n int, err error) {
	if ffd.fd.sotype == syscall.SOCK_DGRAM {
		n, _, err = ffd.gyrReadFrom("read", p)
		return n, err
	}
	n, err = gyrPollRead(&ffd.fd.pfd, p, gyrReadStream)
	return n, wrapSyscallError("read", err)
}

func (ffd *fakeNetFD) Write(p []byte) (n int, err error) {
	if ffd.fd.sotype == syscall.SOCK_DGRAM {
		return ffd.gyrWriteTo("write", p, gyrAddr{})
	}
	n, err = gyrPollWrite(&ffd.fd.pfd, p, gyrWriteStream)
	return n, wrapSyscallError("write", err)
}

func (ffd *fakeNetFD) gyrReadFrom(call string, p []byte) (n int, from gyrAddr, err error) {
	werr := ffd.fd.pfd.RawRead(func(sysfd uintptr) bool {
		gyrNet.Lock()
		n, from, err = gyrAt(sysfd).receive(p)
		gyrNet.Unlock()
		return err != syscall.EAGAIN
	})
	if werr != nil {
		return 0, gyrAddr{}, werr
	}
	return n, from, wrapSyscallError(call, err)
}

// gyrWriteTo sends a datagram, to whom the socket is connected to if the address is the zero one.
func (ffd *fakeNetFD) gyrWriteTo(call string, p []byte, to gyrAddr) (int, error) {
	var err error
	werr := ffd.fd.pfd.RawWrite(func(sysfd uintptr) bool {
		gyrNet.Lock()
		defer gyrNet.Unlock()
		s, a := gyrAt(sysfd), to
		if a == (gyrAddr{}) {
			a = s.remote
		}
		if err = syscall.EDESTADDRREQ; a != (gyrAddr{}) {
			err = s.send(p, a)
		}
		return err != syscall.EAGAIN
	})
	switch {
	case werr != nil:
		return 0, werr
	case err != nil:
		return 0, wrapSyscallError(call, err)
	}
	return len(p), nil
}

func (ffd *fakeNetFD) readFrom(p []byte) (int, syscall.Sockaddr, error) {
	if ffd.fd.sotype != syscall.SOCK_DGRAM {
		n, err := ffd.Read(p)
		return n, nil, err
	}
	n, from, err := ffd.gyrReadFrom("recvfrom", p)
	return n, from.sockaddr(ffd.fd.family), err
}

func (ffd *fakeNetFD) readFromInet4(p []byte, sa *syscall.SockaddrInet4) (int, error) {
	n, from, err := ffd.readFrom(p)
	if from, ok := from.(*syscall.SockaddrInet4); ok {
		*sa = *from
	}
	return n, err
}

func (ffd *fakeNetFD) readFromInet6(p []byte, sa *syscall.SockaddrInet6) (int, error) {
	n, from, err := ffd.readFrom(p)
	if from, ok := from.(*syscall.SockaddrInet6); ok {
		*sa = *from
	}
	return n, err
}

func (ffd *fakeNetFD) readMsg(p []byte, oob []byte, flags int) (n, oobn, retflags int, sa syscall.Sockaddr, err error) {
	if flags != 0 {
		return 0, 0, 0, nil, os.NewSyscallError("recvmsg", syscall.ENOTSUP)
	}
	n, sa, err = ffd.readFrom(p)
	return n, 0, 0, sa, err
}

func (ffd *fakeNetFD) writeTo(p []byte, sa syscall.Sockaddr) (int, error) {
	if ffd.fd.sotype != syscall.SOCK_DGRAM {
		return ffd.Write(p)
	}
	return ffd.gyrWriteTo("sendto", p, gyrRaw(sa))
}

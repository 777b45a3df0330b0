package guest

// An Answer is a declaration of ours that takes the place of one of the standard library. The loader finds the sources
// below _src/answers, by import path (load.AnswersDir); all that they declare beside the answers begins with gyr.
type Answer struct {
	Path string // import path of the package
	Name string // of the function or variable; "T.name" for a method
	Why  string // what the declaration of the standard library would do here
}

// Answers lists the declarations that are replaced, by package.
var Answers = []Answer{
	{"syscall", "errorstr", "has texts of its own for errors, where programs and their tests expect those of Linux"},
	{"net", "socket", "makes sockets of net_fake.go, which are found under one address only and whose errors have no numbers"},
	{"net", "fakeNetFD.accept", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.Close", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.closeRead", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.closeWrite", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.Read", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.Write", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.SetDeadline", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.SetReadDeadline", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.SetWriteDeadline", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.setLinger", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.setReadBuffer", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.setWriteBuffer", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.readFrom", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.readFromInet4", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.readFromInet6", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.readMsg", "works on sockets of net_fake.go"},
	{"net", "fakeNetFD.writeTo", "works on sockets of net_fake.go"},
	{"net", "setKeepAlive", "fails, where it makes no difference"},
	{"net", "setNoDelay", "fails, where it makes no difference"},
	{"net", "setKeepAliveIdle", "fails, where it makes no difference"},
	{"net", "setKeepAliveInterval", "fails, where it makes no difference"},
	{"net", "setKeepAliveCount", "fails, where it makes no difference"},
	{"net", "TCPAddr.toLocal", "takes IPv4's loopback for IPv6's unspecified address"},
	{"net", "UDPAddr.toLocal", "takes IPv4's loopback for IPv6's unspecified address"},
	{"net", "Resolver.lookupHost", "asks a server, even for localhost, and fails with what became of its datagram"},
	{"net", "Resolver.lookupIP", "asks a server, even for localhost, and fails with what became of its datagram"},
	{"net", "Resolver.lookupCNAME", "asks a server, even for localhost, and fails with what became of its datagram"},
	{"net", "Resolver.lookupAddr", "asks a server, even for localhost, and fails with what became of its datagram"},
	{"net", "Resolver.lookupSRV", "asks a server, and fails with what became of its datagram"},
	{"net", "Resolver.lookupMX", "asks a server, and fails with what became of its datagram"},
	{"net", "Resolver.lookupNS", "asks a server, and fails with what became of its datagram"},
	{"net", "Resolver.lookupTXT", "asks a server, and fails with what became of its datagram"},
	{"net", "interfaceTable", "knows of no interface, not of the loopback either"},
	{"net", "interfaceAddrTable", "knows of no interface, not of the loopback either"},
	{"net", "UnixListener.close", "removes a file of the socket's name, which there never was"},
	{"os/exec", "lookPath", "says that the command is not found, where none could be"},
	{"os/exec", "Cmd.Start", "fails with what it was about to open"},
	{"os/exec", "Cmd.StdinPipe", "fails with what it was about to open"},
	{"os/exec", "Cmd.StdoutPipe", "fails with what it was about to open"},
	{"os/exec", "Cmd.StderrPipe", "fails with what it was about to open"},
	{"syscall", "StartProcess", "says that something is not implemented, not what"},
	{"syscall", "Wait4", "says that something is not implemented, not what"},
	{"syscall", "Kill", "says that something is not implemented, not what"},
	{"syscall", "SetsockoptInt", "knows no sockets"},
	{"syscall", "GetsockoptInt", "knows no sockets"},
}

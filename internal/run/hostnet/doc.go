// Package hostnet is the network that a host grants to a guest. It turns connections and listeners
// that the host's Dial and Listen return into sockets that never block.
//
// # Sockets
//
// A [Net] belongs to one instance. The guest names a socket by a small number, its handle, and
// every method that takes a handle checks it. All methods return at once. A method that would have
// to wait returns [wasi.EAGAIN], and an event tells when to try again ([Net.Next]). The guest
// chooses a token for each socket, which the socket's events carry.
//
// # Goroutines
//
// The code of the host may block for any time. So it never runs on the guest's goroutine: each Dial
// and Listen has one until it returns, each listener has one, and each connection has two, which
// read into and write from buffers of [bufferSize] bytes. A full buffer stops the goroutine that
// fills it, and in the end the other side.
//
// # Code of the host that misbehaves
//
// No count from a connection is trusted. A panic is kept for the guest's goroutine ([Net.Crash])
// and ends the run. Code that does not return keeps its goroutine and its place among the sockets,
// and [Net.Done] stays open.
//
// # Where things are
//
// net.go has the Net with its events, sock.go sockets and their opening and closing, stream.go the
// data of connections and the connections of listeners, call.go the calls of the host's code,
// buffer.go the ring of bytes.
package hostnet

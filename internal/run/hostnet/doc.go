// Package hostnet is the network that a host grants to a guest: connections and listeners that the host's Dial and
// Listen return, made into sockets that never block.
//
// # Sockets
//
// A [Net] belongs to one instance. The guest names a socket by a small number, its handle, and every method that takes
// one checks it. All methods return at once: what would have to wait returns [wasi.EAGAIN], and an event tells when it is
// worth another try ([Net.Next]). The guest chooses a token for each socket, which its events carry.
//
// # Goroutines
//
// The code of the host may block for as long as it likes, so it runs on goroutines of its own, never on the one that runs the guest: one for each
// Dial and Listen that has not returned, one for each listener, and two for each connection, which read into and write from
// buffers of [bufferSize] bytes. A buffer that is full stops the goroutine that fills it, and in the end the other side.
//
// # Code of the host that misbehaves
//
// No count that a connection returns is believed. A panic is kept for the guest's goroutine to find ([Net.Crash]), which ends the run. Code that
// does not return keeps its goroutine and its place among the sockets, and [Net.Done] stays open.
package hostnet

package main

import (
	"fmt"
	"net"
	"os"
)

// A connection that is accepted when the other end is closed already has addresses all the same: that of a Unix socket
// without a name was nil.
func main() {
	const name = "/tmp/gyr-test-closed.sock"
	for _, network := range []string{"unix", "unixpacket"} {
		os.Remove(name)
		l, err := net.Listen(network, name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		c, err := net.Dial(network, name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%q %q\n", c.LocalAddr(), c.RemoteAddr())
		c.Close()
		s, err := l.Accept()
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%T %v, %T %v\n", s.LocalAddr(), s.LocalAddr(), s.RemoteAddr(), s.RemoteAddr())
		n, err := s.Read(make([]byte, 1))
		fmt.Println(n, err)
		s.Close()
		l.Close()
	}
	os.Remove(name)
	g, err := net.ListenPacket("unixgram", name)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := net.Dial("unixgram", name)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q %q\n", c.LocalAddr(), c.RemoteAddr())
	c.Write([]byte("x"))
	n, from, err := g.ReadFrom(make([]byte, 1))
	fmt.Printf("%d %T %v %v\n", n, from, from, err)
	g.Close()
	os.Remove(name)
}

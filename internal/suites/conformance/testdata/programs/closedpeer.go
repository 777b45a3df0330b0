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
		c.Close()
		s, err := l.Accept()
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v %T\n", s.LocalAddr(), s.RemoteAddr())
		n, err := s.Read(make([]byte, 1))
		fmt.Println(n, err)
		s.Close()
		l.Close()
	}
}

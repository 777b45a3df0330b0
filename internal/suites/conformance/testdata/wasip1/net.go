// A program that uses the network compiles. It has one within itself; anything beyond it is refused.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

func show(name string, err error) {
	fmt.Printf("%s: %v | %T\n", name, err, err)
}

func main() {
	_, err := net.Dial("tcp", "127.0.0.1:80")
	show("dial", err)
	fmt.Println(errors.Is(err, syscall.ECONNREFUSED))
	_, err = net.DialTimeout("unix", "/x", time.Second)
	show("unix", err)
	_, err = net.LookupHost("example.com")
	var dns *net.DNSError
	fmt.Println("lookup:", err, errors.As(err, &dns), dns != nil && dns.Name == "example.com", errors.Is(err, syscall.ENETUNREACH))
	names, err := (&net.Resolver{}).LookupAddr(context.Background(), "127.0.0.1")
	fmt.Println("reverse lookup:", names, err)
	_, err = net.LookupMX("example.com")
	show("MX", err)
	addrs, err := net.LookupHost("localhost")
	fmt.Println("localhost:", addrs, err)
	for _, network := range []string{"tcp", "udp"} {
		for _, addr := range []string{"example.com:80", "8.8.8.8:53", "[2001:db8::1]:80"} {
			_, err := net.Dial(network, addr)
			var oe *net.OpError
			show("outside", err)
			fmt.Println(errors.As(err, &oe), errors.Is(err, syscall.ENETUNREACH))
		}
	}
	_, err = net.Dial("ip4:icmp", "127.0.0.1")
	show("raw", err)
	_, err = net.Listen("tcp", "192.0.2.1:80")
	show("listen", err)
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err == nil {
		_, err = pc.WriteTo([]byte("x"), &net.UDPAddr{IP: net.IPv4(8, 8, 8, 8), Port: 53})
		show("send", err)
	}
	list, err := net.Interfaces()
	fmt.Println("interfaces:", len(list), err)
	_, err = http.Get("http://example.com/")
	show("http", err)
	_, err = net.Dial("tcp", "no port")
	show("address", err)
	_, err = http.Get("http://127.0.0.1:1/")
	show("http", err)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		show("listen", err)
		return
	}
	go func() {
		c, err := l.Accept()
		if err != nil {
			show("accept", err)
			return
		}
		io.Copy(c, c)
		c.Close()
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		show("dial", err)
		return
	}
	fmt.Fprintf(c, "hello")
	c.(*net.TCPConn).CloseWrite()
	b, err := io.ReadAll(c)
	fmt.Printf("%q %v\n", b, err)
	c.SetReadDeadline(time.Now().Add(time.Second))
	_, err = c.Read(b)
	show("read", err)
	c.Close()
	fmt.Println(l.Close())
	_, err = l.Accept()
	show("accept", err)

	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello, %s", r.PathValue("name"))
	})
	l, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		show("listen", err)
		return
	}
	srv := &http.Server{Handler: mux}
	served := make(chan error)
	go func() { served <- srv.Serve(l) }()
	resp, err := http.Get("http://" + l.Addr().String() + "/hello/gyr")
	if err != nil {
		show("get", err)
		return
	}
	b, err = io.ReadAll(resp.Body)
	fmt.Println(resp.Status, string(b), err)
	resp.Body.Close()
	fmt.Println(srv.Shutdown(context.Background()), <-served)
}

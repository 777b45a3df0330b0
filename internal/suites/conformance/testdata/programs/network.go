// Sockets of all kinds, in one program that talks to itself.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"net/rpc"
	"net/smtp"
	"net/textproto"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

func check(what string, err error) bool {
	if err != nil {
		fmt.Println(what, err)
	}
	return err == nil
}

// pair returns both ends of a connection.
func pair(network, addr string) (c, s net.Conn) {
	l, err := net.Listen(network, addr)
	if err != nil {
		panic(err)
	}
	defer l.Close()
	done := make(chan net.Conn)
	go func() {
		s, err := l.Accept()
		check("accept", err)
		done <- s
	}()
	c, err = net.Dial(network, l.Addr().String())
	check("dial", err)
	return c, <-done
}

func stream(network, addr string) {
	fmt.Println("---", network)
	c, s := pair(network, addr)
	fmt.Println(c.LocalAddr().String() == s.RemoteAddr().String(), c.RemoteAddr().String() == s.LocalAddr().String())
	// Half-closed: the other direction goes on.
	fmt.Fprintf(c, "question")
	c.(interface{ CloseWrite() error }).CloseWrite()
	b, err := io.ReadAll(s)
	fmt.Printf("%q %v\n", b, err)
	fmt.Fprintf(s, "answer")
	_, err = c.Write([]byte("x"))
	fmt.Println(errors.Is(err, syscall.EPIPE))
	s.Close()
	b, err = io.ReadAll(c)
	fmt.Printf("%q %v\n", b, err)
	c.Close()
	_, err = c.Read(b)
	fmt.Println(errors.Is(err, net.ErrClosed))
	fmt.Println(errors.Is(c.Close(), net.ErrClosed), errors.Is(c.SetDeadline(time.Now()), net.ErrClosed))

	// Backpressure: a writer waits for the reader; deadlines end the wait.
	c, s = pair(network, addr)
	c.SetWriteDeadline(time.Now().Add(30 * time.Millisecond))
	chunk := make([]byte, 1<<20)
	total := 0
	for range 64 {
		n, err := c.Write(chunk)
		total += n
		if err != nil {
			fmt.Println(errors.Is(err, os.ErrDeadlineExceeded), err.(net.Error).Timeout())
			break
		}
	}
	c.SetWriteDeadline(time.Time{})
	go func() { c.Write([]byte("end")); c.Close() }()
	n, err := io.Copy(io.Discard, s)
	fmt.Println(n == int64(total)+3, err)
	s.SetReadDeadline(time.Now().Add(-time.Second))
	_, err = s.Read(b)
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	s.Close()

	// Closing with something unread breaks the connection.
	c, s = pair(network, addr)
	fmt.Fprintf(c, "unread")
	time.Sleep(5 * time.Millisecond)
	s.Close()
	time.Sleep(5 * time.Millisecond)
	_, err = c.Read(b[:1:1])
	fmt.Println(errors.Is(err, syscall.ECONNRESET))
	c.Close()

	// A read that waits ends when another goroutine closes.
	c, s = pair(network, addr)
	time.AfterFunc(5*time.Millisecond, func() { c.Close() })
	_, err = c.Read(make([]byte, 1))
	fmt.Println(errors.Is(err, net.ErrClosed))
	_, err = s.Read(make([]byte, 1))
	fmt.Println(err)
	time.AfterFunc(5*time.Millisecond, func() { s.SetReadDeadline(time.Unix(1, 0)) })
	c, s = pair(network, addr)
	c.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	_, err = c.Read(make([]byte, 1))
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	c.SetReadDeadline(time.Time{})
	fmt.Fprintf(s, "later")
	k, err := io.ReadFull(c, make([]byte, 5))
	fmt.Println(k, err)
	c.Close()
	s.Close()
}

func many() {
	fmt.Println("--- many")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if !check("listen", err) {
		return
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	const n = 1000
	var conns []net.Conn
	for range n {
		c, err := net.Dial("tcp", l.Addr().String())
		if !check("dial", err) {
			return
		}
		conns = append(conns, c)
	}
	var wg sync.WaitGroup
	sum := make([]int, n)
	for i, c := range conns {
		wg.Go(func() {
			msg := bytes.Repeat([]byte{byte(i)}, 1000)
			go func() { c.Write(msg); c.(*net.TCPConn).CloseWrite() }()
			b, err := io.ReadAll(c)
			if err == nil && bytes.Equal(b, msg) {
				sum[i] = 1
			}
			c.Close()
		})
	}
	wg.Wait()
	good := 0
	for _, k := range sum {
		good += k
	}
	fmt.Println(good)
	l.Close()
	_, err = net.Dial("tcp", l.Addr().String())
	fmt.Println(errors.Is(err, syscall.ECONNREFUSED))
	var oe *net.OpError
	fmt.Println(errors.As(err, &oe), oe.Op, oe.Net, oe.Timeout(), oe.Temporary())
}

func packets() {
	fmt.Println("--- udp")
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if !check("listen", err) {
		return
	}
	go func() {
		b := make([]byte, 100)
		for {
			n, from, err := pc.ReadFrom(b)
			if err != nil {
				return
			}
			pc.WriteTo(append([]byte("echo "), b[:n]...), from)
		}
	}()
	c, err := net.Dial("udp", pc.LocalAddr().String())
	check("dial", err)
	b := make([]byte, 100)
	for i := range 3 {
		fmt.Fprintf(c, "%d", i)
		n, err := c.Read(b)
		fmt.Printf("%q %v\n", b[:n], err)
	}
	c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
	_, err = c.Read(b)
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	pc.Close()
	time.Sleep(time.Millisecond)
	c.SetReadDeadline(time.Now().Add(time.Second))
	c.Write([]byte("anybody?"))
	_, err = c.Read(b)
	fmt.Println(errors.Is(err, syscall.ECONNREFUSED))
	c.Close()
	u, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	check("listen", err)
	n, err := u.WriteToUDPAddrPort([]byte("to myself"), u.LocalAddr().(*net.UDPAddr).AddrPort())
	fmt.Println(n, err)
	n, _, _, from, err := u.ReadMsgUDPAddrPort(b, nil)
	fmt.Println(string(b[:n]), from.Addr() == netip.MustParseAddr("127.0.0.1"), err)
	_, err = u.Write([]byte("x"))
	fmt.Println(err != nil)
	_, err = u.WriteTo(make([]byte, 70000), u.LocalAddr())
	fmt.Println(errors.Is(err, syscall.EMSGSIZE))
	u.Close()

	os.Remove("/tmp/gyr-test-g.sock")
	g, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: "/tmp/gyr-test-g.sock", Net: "unixgram"})
	check("listen", err)
	gc, err := net.Dial("unixgram", "/tmp/gyr-test-g.sock")
	check("dial", err)
	gc.Write([]byte("one"))
	gc.Write([]byte("two"))
	for range 2 {
		n, _, err := g.ReadFrom(b)
		fmt.Println(string(b[:n]), err)
	}
	gc.Close()
	g.Close()
	os.Remove("/tmp/gyr-test-g.sock")
}

type Arith struct{}

func (Arith) Add(args [2]int, sum *int) error { *sum = args[0] + args[1]; return nil }
func (Arith) Fail(args int, _ *int) error     { return fmt.Errorf("no %d", args) }

func services() {
	fmt.Println("--- rpc")
	srv := rpc.NewServer()
	srv.Register(Arith{})
	l, err := net.Listen("tcp", "localhost:0")
	if !check("listen", err) {
		return
	}
	go srv.Accept(l)
	c, err := rpc.Dial("tcp", l.Addr().String())
	if check("dial", err) {
		var sum int
		fmt.Println(c.Call("Arith.Add", [2]int{3, 4}, &sum), sum)
		fmt.Println(c.Call("Arith.Fail", 5, &sum))
		fmt.Println(c.Close(), c.Call("Arith.Add", [2]int{1, 1}, &sum))
	}
	l.Close()

	fmt.Println("--- smtp")
	ml, err := net.Listen("tcp", "127.0.0.1:0")
	if !check("listen", err) {
		return
	}
	done := make(chan string)
	go func() {
		c, err := ml.Accept()
		if err != nil {
			return
		}
		tc := textproto.NewConn(c)
		var log strings.Builder
		tc.PrintfLine("220 hello")
		for {
			line, err := tc.ReadLine()
			if err != nil {
				break
			}
			fmt.Fprintln(&log, line)
			switch {
			case line == "DATA":
				tc.PrintfLine("354 go on")
				lines, _ := tc.ReadDotLines()
				fmt.Fprintf(&log, "%q\n", lines)
				tc.PrintfLine("250 taken")
			case line == "QUIT":
				tc.PrintfLine("221 bye")
			default:
				tc.PrintfLine("250 fine")
			}
		}
		tc.Close()
		done <- log.String()
	}()
	err = smtp.SendMail(ml.Addr().String(), nil, "a@example.com", []string{"b@example.com"}, []byte("Subject: x\r\n\r\n.dots\r\n"))
	fmt.Println(err)
	fmt.Print(<-done)
	ml.Close()
}

func misc() {
	fmt.Println("--- misc")
	a, b := net.Pipe()
	go func() { fmt.Fprintf(a, "through a pipe\n"); a.Close() }()
	line, err := bufio.NewReader(b).ReadString('\n')
	fmt.Printf("%q %v\n", line, err)

	l, err := net.Listen("tcp", ":0")
	check("listen", err)
	_, err = net.Listen("tcp", l.Addr().String())
	fmt.Println(errors.Is(err, syscall.EADDRINUSE))
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, host := range []string{"localhost", "127.0.0.1", "", "0.0.0.0", "127.0.0.9"} {
		c, err := net.DialTimeout("tcp", net.JoinHostPort(host, port), time.Second)
		if check("dial", err) {
			s, err := l.Accept()
			fmt.Println(host, err, s.RemoteAddr().String() == c.LocalAddr().String())
			c.Close()
			s.Close()
		}
	}
	l.(*net.TCPListener).SetDeadline(time.Now().Add(10 * time.Millisecond))
	_, err = l.Accept()
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	l.Close()
	_, err = l.Accept()
	fmt.Println(errors.Is(err, net.ErrClosed))

	called := false
	lc := net.ListenConfig{Control: func(network, address string, c syscall.RawConn) error {
		fmt.Println(network, address)
		return c.Control(func(fd uintptr) { called = true })
	}}
	l, err = lc.Listen(context.Background(), "tcp", "127.0.0.1:0")
	fmt.Println(err, called)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var d net.Dialer
	_, err = d.DialContext(ctx, "tcp", l.Addr().String())
	fmt.Println(errors.Is(err, context.Canceled), err != nil && strings.HasSuffix(err.Error(), "operation was canceled"))
	c, err := net.Dial("tcp", l.Addr().String())
	tc := c.(*net.TCPConn)
	fmt.Println(err, tc.SetKeepAlive(true), tc.SetNoDelay(true), tc.SetLinger(0), tc.SetReadBuffer(1<<16), tc.SetWriteBuffer(1<<16))
	s, _ := l.Accept()
	c.Close()
	_, err = s.Read(make([]byte, 1))
	fmt.Println(errors.Is(err, syscall.ECONNRESET))
	s.Close()
	l.Close()
	addrs, err := net.LookupHost("localhost")
	fmt.Println(len(addrs) > 0, err)
	p, err := net.LookupPort("tcp", "https")
	fmt.Println(p, err)
	ifs, err := net.Interfaces()
	fmt.Println(len(ifs) > 0 && ifs[0].Flags&net.FlagLoopback != 0, err)
}

func main() {
	log.SetOutput(io.Discard) // it has the time and ports
	stream("tcp", "127.0.0.1:0")
	stream("tcp", "[::1]:0")
	os.Remove("/tmp/gyr-test.sock")
	stream("unix", "/tmp/gyr-test.sock")
	packets()
	many()
	services()
	misc()
}

package clients

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// A kind is one behaviour of a client.
type kind struct {
	name string
	do   func(c *client) error
}

// slowly returns a function that writes a text in pieces with pauses, for about the duration of a
// request's timeout.
func (c *client) slowly(conn net.Conn, text string) (write func()) {
	pieces := 2 + c.IntN(8)
	pause := c.moment() / time.Duration(pieces)
	return func() {
		for i := range pieces {
			from, to := len(text)*i/pieces, len(text)*(i+1)/pieces
			if _, err := conn.Write([]byte(text[from:to])); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}
}

// with lets do use a connection, and then ends the connection in one of several ways.
func (c *client) with(do func(conn net.Conn) error) error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	err = do(conn)
	if c.IntN(2) == 0 {
		reset(conn)
	}
	return err
}

// cut draws a proper prefix of a text.
func (c *client) cut(text string) string { return text[:c.IntN(len(text))] }

// half is a request with an incomplete body.
func (c *client) half() (*wish, string) {
	w := c.wish(1 << c.IntN(18))
	w.sound = false
	head := w.head(c.lines() + fmt.Sprintf("Content-Length: %d\r\n", len(w.body)+1+c.IntN(1000)))
	body := string(w.body)
	if c.IntN(2) == 0 {
		head, body = w.head(c.lines()+"Transfer-Encoding: chunked\r\n"), c.chunks(w.body, "")
		body = body[:len(body)-len("0\r\n\r\n")]
	}
	return w, head + body[:c.IntN(len(body)+1)]
}

// malformed are invalid ends of chunked bodies.
var malformed = []string{"ZZ\r\nabc", "3\r\nabcd\r\n", "-1\r\n", "ffffffffffffffff\r\n", "10000000000000000\r\n", "3;" + strings.Repeat("x", 10_000) + "\r\nabc\r\n",
	"3\nabc\n0\n\n\x00", "0x3\r\nabc\r\n", " 3\r\nabc\r\n", "\r\n", "3\r\nab", "3\r\nabc\r\n0\r\nX", "3\r\nabc\r\n0\r\n: x\r\n\r\n"}

// conflicts are headers about a body that contradict each other or are invalid.
var conflicts = []string{"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: -3\r\n", "Content-Length: +3\r\n",
	"Content-Length: 99999999999999999999\r\n", "Content-Length: 9223372036854775807\r\n", "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: chunked, chunked\r\n",
	"Transfer-Encoding: identity\r\n", "Transfer-Encoding : chunked\r\n", "Content-Length: 3, 3\r\n", "Content-Length:\r\n", " folded: 3\r\n", "A\x00: b\r\n", "A: \x00\r\n", "\r\r\n",
	"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n", "Upgrade: websocket\r\nConnection: Upgrade\r\n", "Connection: close, X-Nonce\r\n",
	"Host: y\r\n"}

// starts are invalid or odd request lines.
var starts = []string{"GET\r\n\r\n", "GET / HTTP/0.9\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n", "CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n",
	"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://y/answer?n=10 HTTP/1.1\r\nHost: x\r\n\r\n", "GET //../%00%2e%2e HTTP/1.1\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
	"\x16\x03\x01\x02\x00", "GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: " + strings.Repeat("x", 70_000) + "\r\n\r\n", strings.Repeat("M", 70_000) + " /answer HTTP/1.1\r\nHost: x\r\n\r\n",
	"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET answer HTTP/1.1\r\nHost: x\r\n\r\n", "GET /answer?n=1e9;nonce=%0d%0a HTTP/1.0\r\n\r\n"}

var http1 = []kind{
	{"HTTP/1 honest", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(100_000)
			w.method = []string{"POST", "PUT", "HEAD", "GET", "DELETE"}[c.IntN(5)]
			if w.method == "HEAD" && w.path != "answer" {
				w.method = "POST" // a failure of its handler would not be visible
			}
			go conn.Write([]byte(c.text(w, c.lines())))
			return read(conn, w)
		})
	}},
	{"HTTP/1 reset before the headers' end", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			conn.Write([]byte(c.cut(c.wish(0).head(c.lines()))))
			reset(conn)
			return nil
		})
	}},
	{"HTTP/1 reset within the body", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			_, text := c.half()
			conn.Write([]byte(text))
			time.Sleep(c.short())
			reset(conn)
			return nil
		})
	}},
	{"HTTP/1 reset within the answer", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(1000)
			go conn.Write([]byte(c.text(w, c.lines())))
			conn.SetReadDeadline(time.Now().Add(patience))
			conn.Read(make([]byte, 1+c.IntN(5000)))
			time.Sleep(c.short())
			reset(conn)
			return nil
		})
	}},
	{"HTTP/1 half a body, then nothing", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w, text := c.half()
			go conn.Write([]byte(text))
			return read(conn, w)
		})
	}},
	{"HTTP/1 half a body, then the end of writing", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w, text := c.half()
			go func() {
				conn.Write([]byte(text))
				conn.(interface{ CloseWrite() error }).CloseWrite()
			}()
			return read(conn, w)
		})
	}},
	{"HTTP/1 slow writer", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(100_000)
			go c.slowly(conn, c.text(w, c.lines()))()
			return read(conn, w)
		})
	}},
	{"HTTP/1 slow reader", func(c *client) error {
		conn, err := c.plain()
		if err != nil {
			return err
		}
		defer conn.Close()
		conn.(*net.TCPConn).SetReadBuffer(1 << 10)
		w := c.wish(10)
		w.n = bodySize - 20
		conn.Write([]byte(c.text(w, c.lines())))
		time.Sleep(c.moment())
		return read(conn, w)
	}},
	{"HTTP/1 trailers", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(10_000)
			declared := []string{"", "Trailer: X-Trailer\r\n", "Trailer: Content-Length\r\n", "Trailer: X-Other, Transfer-Encoding\r\n"}[c.IntN(4)]
			trailers := []string{"X-Trailer: a\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\nHost: y\r\n", "X-Trailer: " + strings.Repeat("x", 100_000) + "\r\n", "X\r\n"}[c.IntN(5)]
			w.sound = len(trailers) > 10 && len(trailers) < 100 // net/http decides whether such trailers spoil the body
			head := w.head(c.lines() + declared + "Transfer-Encoding: chunked\r\n")
			go conn.Write([]byte(head + c.chunks(w.body, trailers)))
			return read(conn, w)
		})
	}},
	{"HTTP/1 Expect", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(100_000)
			expect := "Expect: 100-continue\r\n"
			wait := c.short()
			switch c.IntN(4) {
			case 0: // it does not wait
				wait = 0
			case 1: // it waits for an event that does not happen
				wait = c.moment()
			case 2:
				expect = "Expect: 200-ok\r\n"
			}
			head, body := w.head(c.lines()+expect+fmt.Sprintf("Content-Length: %d\r\n", len(w.body))), string(w.body)
			if c.IntN(2) == 0 {
				head, body = w.head(c.lines()+expect+"Transfer-Encoding: chunked\r\n"), c.chunks(w.body, "")
			}
			go func() {
				conn.Write([]byte(head))
				time.Sleep(wait)
				conn.Write([]byte(body))
			}()
			return read(conn, w)
		})
	}},
	{"HTTP/1 pipelined, and garbage", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			var all []*wish
			text := ""
			for range 2 + c.IntN(8) {
				w := c.honest(3000)
				if c.IntN(8) == 0 {
					w = c.wish(3000)
				}
				all = append(all, w)
				text += c.text(w, c.lines())
			}
			if c.IntN(2) == 0 {
				text += starts[c.IntN(len(starts))]
			}
			go conn.Write([]byte(text))
			return read(conn, all...)
		})
	}},
	{"HTTP/1 garbage", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			c.requests++
			text := starts[c.IntN(len(starts))]
			if c.IntN(2) == 0 {
				b := []byte(c.text(c.honest(100), ""))
				for range 1 + c.IntN(3) {
					b[c.IntN(len(b))] = byte(c.Uint32())
				}
				text = string(b)
			}
			go conn.Write([]byte(text))
			conn.SetReadDeadline(time.Now().Add(patience))
			conn.Read(make([]byte, 1000))
			return nil
		})
	}},
	{"HTTP/1 huge headers", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(100)
			lines := strings.Repeat(fmt.Sprintf("X-%d: %s\r\n", c.IntN(100), strings.Repeat("x", 1+c.IntN(5000))), c.IntN(100))
			go conn.Write([]byte(c.text(w, lines)))
			return read(conn, w)
		})
	}},
	{"HTTP/1 malformed chunks", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(10_000)
			w.sound = false
			body := c.chunks(w.body, "")
			body = body[:len(body)-len("0\r\n\r\n")] + malformed[c.IntN(len(malformed))]
			head := w.head(c.lines() + "Transfer-Encoding: chunked\r\n")
			go conn.Write([]byte(head + body))
			return read(conn, w)
		})
	}},
	{"HTTP/1 contradictory headers", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(3)
			w.body = []byte("abc")
			w.path = "answer" // its answer does not depend on the assumed length of the body
			go conn.Write([]byte(w.head(c.lines()+conflicts[c.IntN(len(conflicts))]) + "3\r\nabc\r\n0\r\n\r\n"))
			return read(conn, w)
		})
	}},
	{"HTTP/1 flood of connections", func(c *client) error {
		var conns []net.Conn
		defer func() {
			for _, conn := range conns {
				if c.IntN(2) == 0 {
					reset(conn)
				} else {
					conn.Close()
				}
			}
		}()
		for range 20 {
			conn, err := c.plain()
			if err != nil {
				return err
			}
			conns = append(conns, conn)
			switch c.IntN(4) {
			case 0:
			case 1:
				conn.Write([]byte(c.cut(c.wish(0).head(""))))
			case 2:
				_, text := c.half()
				conn.SetWriteDeadline(time.Now().Add(timeout))
				conn.Write([]byte(text))
			case 3:
				conn.Write([]byte(c.wish(0).head("Content-Length: 0\r\n")))
			}
		}
		return nil
	}},
	{"HTTP/1 the body's end at the request's", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(1 << (4 + c.IntN(13)))
			w.body = append(w.body, '\n')
			text, pause := c.text(w, c.lines()), c.moment()
			go func() {
				conn.Write([]byte(text[:len(text)-1]))
				time.Sleep(pause)
				conn.Write([]byte(text[len(text)-1:]))
			}()
			return read(conn, w)
		})
	}},
	{"HTTP/1 the client's end at the request's", func(c *client) error {
		return c.with(func(conn net.Conn) error {
			w := c.wish(1000)
			go conn.Write([]byte(c.text(w, c.lines())))
			time.Sleep(c.moment())
			reset(conn)
			return nil
		})
	}},
}

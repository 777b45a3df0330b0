package clients

import (
	"fmt"
	"strings"
	"time"
)

// linked is a kind that uses an HTTP/2 connection.
func linked(name string, reads, large bool, do func(c *client, l *link)) kind {
	return kind{name, func(c *client) error {
		l, err := c.link(reads, large)
		if err != nil {
			return err
		}
		do(c, l)
		return l.end()
	}}
}

// begin sends a request's headers without the end of its body.
func (l *link) begin(stream uint32, w *wish, more ...string) {
	l.send(frame(frameHeaders, flagHeaders, stream, l.c.fields(l.wish(stream, w), more...)))
}

// half sends an incomplete request.
func (l *link) half(stream uint32) {
	c := l.c
	w := c.wish(1 << c.IntN(15))
	w.sound = false
	if c.IntN(2) == 0 {
		l.begin(stream, w, "content-length", fmt.Sprint(len(w.body)+1))
	} else {
		l.begin(stream, w)
	}
	l.send(frame(frameData, 0, stream, string(w.body)))
}

// broken are frames that break the protocol, on a connection whose stream 1 is half open.
var broken = []string{
	frame(frameData, 0, 0, "abc"), frame(frameData, 0, 99, "abc"), frame(frameData, flagPadded, 1, "\xff"), frame(frameData, flagPadded, 1, ""), frame(frameHeaders, flagHeaders, 2, "\x82"),
	frame(frameHeaders, 0, 3, "\x82") + frame(framePing, 0, 0, "12345678"), frame(frameHeaders, 0, 3, "\x82") + strings.Repeat(frame(frameContinuation, 0, 3, "\x82"), 2000),
	frame(frameHeaders, 0, 3, "") + strings.Repeat(frame(frameContinuation, 0, 3, ""), 5000), frame(frameHeaders, flagHeaders, 3, "\xff\xff\xff\xff\xff\xff"), frame(frameHeaders, flagHeaders, 3, "\x00"),
	frame(frameHeaders, flagHeaders, 3, fields(":method", "GET")), frame(frameHeaders, flagHeaders, 3, fields(":method", "GET", ":path", "/answer", ":scheme", "http", ":path", "/echo")),
	frame(frameHeaders, flagHeaders, 3, fields("a", "b", ":method", "GET", ":path", "/", ":scheme", "http")), frame(frameHeaders, 0x24, 3, "\x00\x00\x00\x03\x01"+fields(":method", "GET")),
	frame(frameContinuation, flagHeaders, 1, ""), frame(framePriority, 0, 1, "\x00\x00\x00\x01\x01"), frame(framePriority, 0, 1, "abc"), frame(frameReset, 0, 0, "\x00\x00\x00\x00"), frame(frameReset, 0, 77, "\x00\x00\x00\x00"),
	frame(frameReset, 0, 1, "abc"), frame(frameSettings, 0, 1, ""), frame(frameSettings, flagEnd, 0, "abcdef"), settings(4, 1<<31), settings(5, 1), settings(2, 7), settings(4, 0), settings(0xffff, 0xffffffff),
	frame(framePush, flagHeaders, 1, "\x00\x00\x00\x02"), frame(framePing, 0, 0, "abc"), frame(framePing, 0, 1, "12345678"), frame(frameGoAway, 0, 1, "12345678"), frame(frameGoAway, 0, 0, ""), frame(frameGoAway, 0, 0, number(0)+number(11)+"debug"),
	frame(frameWindow, 0, 0, number(0)), frame(frameWindow, 0, 1, number(0)), frame(frameWindow, 0, 0, number(1<<31-1)), frame(frameWindow, 0, 1, number(1<<31-1)), frame(frameWindow, 0, 1, "abc"), frame(0x42, 0xff, 1, "unknown"),
	"\xff\xff\xff\x00\x00\x00\x00\x00\x01", preface, "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
}

// floods are frames to send very often.
var floods = []string{frame(framePing, 0, 0, "12345678"), settings(4, 65535), frame(frameWindow, 0, 0, number(1)), frame(frameData, 0, 1, ""), frame(framePriority, 0, 1, "\x00\x00\x00\x00\x01"), frame(frameData, flagPadded, 1, "\x40"+strings.Repeat("\x00", 0x40)),
	frame(frameSettings, flagEnd, 0, ""), frame(0x42, 0, 1, "")}

// odd are headers that a request may not have, or rarely has.
var odd = [][]string{{"connection", "close"}, {"transfer-encoding", "chunked"}, {"te", "gzip"}, {"te", "trailers"}, {"Upper", "x"}, {"a b", "x"}, {"", "x"}, {"a", "\x00"}, {"content-length", "-1"}, {"content-length", "3", "content-length", "4"},
	{":status", "200"}, {":protocol", "websocket"}, {"expect", "100-continue"}, {"expect", "200-ok"}, {"upgrade", "h2c"}, {"trailer", "content-length"}, {"host", "y"}, {"cookie", strings.Repeat("x", 9000)}}

var http2 = []kind{
	linked("HTTP/2 honest, many streams", true, false, func(c *client, l *link) {
		for i := range 1 + c.IntN(8) {
			stream := uint32(2*i + 1)
			w := c.wish(3000)
			l.begin(stream, w)
			l.send(c.data(stream, w.body))
		}
		l.wait()
	}),
	linked("HTTP/2 reset within headers", true, false, func(c *client, l *link) {
		block := c.fields(l.wish(1, c.wish(0)))
		l.send(frame(frameHeaders, 0, 1, block[:c.IntN(len(block))]))
		time.Sleep(c.short())
	}),
	linked("HTTP/2 reset within the body", true, false, func(c *client, l *link) {
		for i := range 1 + c.IntN(8) {
			stream := uint32(2*i + 1)
			l.half(stream)
			if c.IntN(2) == 0 {
				time.Sleep(c.short())
			}
			l.send(frame(frameReset, 0, stream, number(uint32(c.IntN(14)))))
		}
	}),
	linked("HTTP/2 half a body, then the connection's end", true, false, func(c *client, l *link) {
		l.half(1)
		if c.IntN(2) == 0 {
			l.send(frame(frameGoAway, 0, 0, number(0)+number(0)))
		}
		time.Sleep(c.short())
	}),
	linked("HTTP/2 half a body, then nothing", true, false, func(c *client, l *link) {
		l.half(1)
		l.wait()
	}),
	linked("HTTP/2 reset within the answer", true, true, func(c *client, l *link) {
		w := c.wish(100)
		w.flush = true
		l.begin(1, w)
		l.send(c.data(1, w.body))
		for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
			l.mu.Lock()
			begun := l.got[1] != nil
			l.mu.Unlock()
			if begun {
				break
			}
		}
		time.Sleep(c.short())
		l.send(frame(frameReset, 0, 1, number(8)))
	}),
	linked("HTTP/2 rapid resets", true, false, func(c *client, l *link) {
		for i := range 50 {
			stream := uint32(2*i + 1)
			l.send(frame(frameHeaders, flagHeaders, stream, c.fields(c.wish(0))), frame(frameReset, 0, stream, number(8)))
		}
		time.Sleep(c.short())
	}),
	linked("HTTP/2 no window", false, false, func(c *client, l *link) {
		l.send(settings(4, uint32(c.IntN(100))))
		w := c.wish(100)
		w.n = bodySize - 20
		l.begin(1, w)
		l.send(c.data(1, w.body))
		time.Sleep(c.moment() + c.short())
	}),
	linked("HTTP/2 takes no bytes", false, true, func(c *client, l *link) {
		for i := range 1 + c.IntN(20) {
			w := c.wish(0)
			w.path, w.n = []string{"answer", "flood", "spin"}[c.IntN(3)], bodySize-20
			l.begin(uint32(2*i+1), w)
			l.send(frame(frameData, flagEnd, uint32(2*i+1), ""))
		}
		time.Sleep(c.moment() + c.short())
	}),
	linked("HTTP/2 slow writer", true, false, func(c *client, l *link) {
		w := c.wish(10_000)
		l.begin(1, w)
		c.slowly(l.Conn, c.data(1, w.body))()
		l.wait()
	}),
	linked("HTTP/2 trailers", true, false, func(c *client, l *link) {
		w := c.wish(10_000)
		if c.IntN(2) == 0 {
			l.begin(1, w, "trailer", "x-trailer")
		} else {
			l.begin(1, w)
		}
		body := c.data(1, w.body)
		trailers := [][]string{{"x-trailer", "a"}, {"content-length", "3"}, {":path", "/"}, {"transfer-encoding", "chunked"}, {"x", strings.Repeat("x", 10_000)}, {}}[c.IntN(6)]
		flags := byte(flagHeaders | flagEnd)
		if c.IntN(4) == 0 {
			flags, w.sound = flagHeaders, false
		}
		l.send(body[:len(body)-9], frame(frameHeaders, flags, 1, fields(trailers...)))
		l.wait()
	}),
	linked("HTTP/2 broken frames", true, false, func(c *client, l *link) {
		l.half(1)
		for range 1 + c.IntN(3) {
			l.send(broken[c.IntN(len(broken))])
		}
		time.Sleep(c.short())
	}),
	linked("HTTP/2 random frames", true, false, func(c *client, l *link) {
		l.half(1)
		for range 1 + c.IntN(30) {
			b := make([]byte, c.IntN(40))
			for i := range b {
				b[i] = byte(c.Uint32())
			}
			l.send(frame(byte(c.IntN(11)), byte(c.Uint32()), uint32(c.IntN(6)), string(b)))
		}
		time.Sleep(c.short())
	}),
	linked("HTTP/2 floods of frames", true, false, func(c *client, l *link) {
		l.half(1)
		l.send(strings.Repeat(floods[c.IntN(len(floods))], 3000))
		time.Sleep(c.short())
	}),
	linked("HTTP/2 odd headers, lengths that are wrong", true, false, func(c *client, l *link) {
		w := c.wish(1000)
		w.path = "answer"
		if c.IntN(2) == 0 {
			w.path, w.sound = "collect", false
			l.begin(1, w, "content-length", fmt.Sprint(len(w.body)+1+c.IntN(3)))
		} else {
			l.begin(1, w, odd[c.IntN(len(odd))]...)
		}
		l.send(c.data(1, w.body))
		l.wait()
	}),
	linked("HTTP/2 the body's end at the request's", true, false, func(c *client, l *link) {
		w := c.wish(1 << (4 + c.IntN(12)))
		l.begin(1, w)
		body := c.data(1, w.body)
		l.send(body[:len(body)-9])
		time.Sleep(c.moment())
		l.send(body[len(body)-9:])
		l.wait()
	}),
	linked("HTTP/2 a reset at the request's end", true, false, func(c *client, l *link) {
		l.half(1)
		time.Sleep(c.moment())
		l.send(frame(frameReset, 0, 1, number(8)))
		l.wait()
	}),
}

package clients

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// The frames of HTTP/2: RFC 9113, section 6.
const (
	frameData         = 0
	frameHeaders      = 1
	framePriority     = 2
	frameReset        = 3
	frameSettings     = 4
	framePush         = 5
	framePing         = 6
	frameGoAway       = 7
	frameWindow       = 8
	frameContinuation = 9

	flagEnd     = 1 // of a stream; of settings and pings: an acknowledgement
	flagHeaders = 4 // end of the headers
	flagPadded  = 8
)

// preface is the first message of a client.
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// frame returns a frame of HTTP/2.
func frame(kind, flags byte, stream uint32, payload string) string {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = append(b, flags)
	return string(binary.BigEndian.AppendUint32(b, stream)) + payload
}

func number(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

// settings is a frame of settings: pairs of id and value.
func settings(list ...uint32) string {
	var b []byte
	for i := 0; i < len(list); i += 2 {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(b, uint16(list[i])), list[i+1])
	}
	return frame(frameSettings, 0, 0, string(b))
}

// fields is a block of headers: names and values as literals (RFC 7541, section 6.2.2).
func fields(list ...string) string {
	var b strings.Builder
	for i := 0; i < len(list); i += 2 {
		b.WriteByte(0)
		for _, s := range list[i : i+2] {
			b.Write(length(len(s)))
			b.WriteString(s)
		}
	}
	return b.String()
}

// length encodes a number with a prefix of seven bits: RFC 7541, section 5.1.
func length(n int) []byte {
	if n < 127 {
		return []byte{byte(n)}
	}
	b := []byte{127}
	for n -= 127; n >= 128; n >>= 7 {
		b = append(b, byte(n)|0x80)
	}
	return append(b, byte(n))
}

// fields are the headers of a request, with additional ones.
func (c *client) fields(w *wish, more ...string) string {
	list := []string{":method", w.method, ":scheme", "http", ":path", w.uri(), ":authority", "x"}
	if c.IntN(2) == 0 {
		list = append(list, "x-watch", "1")
	}
	if c.IntN(4) == 0 {
		list = append(list, "x-deadline", fmt.Sprint(1+c.IntN(int(timeout/time.Microsecond))))
	}
	return fields(append(list, more...)...)
}

// data is a body in frames of at most 16 KiB. The last frame ends the stream.
func (c *client) data(stream uint32, body []byte) string {
	var b strings.Builder
	for len(body) > 0 {
		n := min(len(body), 1+c.IntN(16<<10))
		b.WriteString(frame(frameData, 0, stream, string(body[:n])))
		body = body[n:]
	}
	return b.String() + frame(frameData, flagEnd, stream, "")
}

// A link is an HTTP/2 connection.
type link struct {
	net.Conn
	c *client

	mu     sync.Mutex
	wishes map[uint32]*wish // by stream
	got    map[uint32]*answer
	wrong  error
	read   chan struct{} // closed when reading has ended
}

// link connects. With reads it also reads. Small windows are the protocol's defaults; large ones
// hold all possible answers.
func (c *client) link(reads, large bool) (*link, error) {
	conn, err := c.plain()
	if err != nil {
		return nil, err
	}
	l := &link{Conn: conn, c: c, wishes: map[uint32]*wish{}, got: map[uint32]*answer{}, read: make(chan struct{})}
	text := preface + settings(1, 0) // no table: a status of 200 is one byte
	if large {
		text = preface + settings(1, 0, 4, 1<<31-1) + frame(frameWindow, 0, 0, number(1<<31-1-65535))
	}
	if _, err := io.WriteString(conn, text); err != nil {
		conn.Close()
		return nil, busy{err}
	}
	if reads {
		go l.receive()
	} else {
		close(l.read)
	}
	return l, nil
}

// wish assigns a request to a stream.
func (l *link) wish(stream uint32, w *wish) *wish {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wishes[stream] = w
	return w
}

// send writes frames. It ignores errors: the server may end the connection at any time.
func (l *link) send(frames ...string) { io.WriteString(l.Conn, strings.Join(frames, "")) }

// receive reads until the connection ends, and checks the answers.
func (l *link) receive() {
	defer close(l.read)
	in := bufio.NewReader(l.Conn)
	for {
		var head [9]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return
		}
		payload := make([]byte, binary.BigEndian.Uint32(head[:4])>>8)
		if _, err := io.ReadFull(in, payload); err != nil {
			return
		}
		l.take(head[3], head[4], binary.BigEndian.Uint32(head[5:])&(1<<31-1), payload)
	}
}

// take handles a received frame.
func (l *link) take(kind, flags byte, stream uint32, payload []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	w, a := l.wishes[stream], l.got[stream]
	switch {
	case kind == frameSettings && flags == 0:
		go l.send(frame(frameSettings, flagEnd, 0, ""))
	case w == nil:
	case kind == frameHeaders && a == nil:
		a = &answer{nonce: "-"}
		if block := strings.TrimLeft(string(payload), "\x20"); block != "" && block[0] == 0x88 {
			a.status = 200
		}
		l.got[stream] = a
	case kind == frameData && a != nil:
		a.body = append(a.body, payload...)
		if len(payload) > 0 {
			go l.send(frame(frameWindow, 0, 0, number(uint32(len(payload)))), frame(frameWindow, 0, stream, number(uint32(len(payload)))))
		}
	}
	if a = l.got[stream]; a != nil && !a.whole && flags&flagEnd != 0 && (kind == frameHeaders || kind == frameData) {
		a.whole = true
	}
	if a != nil && l.wrong == nil {
		l.wrong = w.check(*a)
		if l.wrong != nil {
			l.wrong = fmt.Errorf("stream %d: %w", stream, l.wrong)
		}
	}
}

// settled reports whether every wish has a finished answer.
func (l *link) settled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for stream := range l.wishes {
		if a := l.got[stream]; a == nil || !a.whole {
			return false
		}
	}
	return true
}

// wait waits, with a long timeout, until all wishes are answered or the connection has ended.
func (l *link) wait() {
	for end := time.Now().Add(patience); time.Now().Before(end) && !l.settled(); {
		select {
		case <-l.read:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// end ends the connection, and returns the first error in the answers.
func (l *link) end() error {
	if l.c.IntN(2) == 0 {
		reset(l.Conn)
	}
	l.Close()
	<-l.read
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wrong
}

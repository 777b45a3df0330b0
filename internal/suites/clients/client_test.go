package clients

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A client makes the requests of one kind once. An answer, as far as it arrives, must be right; it
// need not arrive.
type client struct {
	*rand.Rand
	at       addresses
	requests int
}

// A wish is one request and its allowed answers.
type wish struct {
	method, path, nonce string
	n                   int // bytes of the answer, if the client may choose
	flush               bool
	body                []byte
	sound               bool // the whole body is sent correctly
}

// wish draws a request with a body of at most size bytes. Half of them are for a handler whose
// answer is finite.
func (c *client) wish(size int) *wish {
	c.requests++
	w := &wish{method: "POST", nonce: fmt.Sprintf("N%015x", c.Uint64()>>4), sound: true, flush: c.IntN(2) == 0}
	w.path = whole[c.IntN(len(whole))]
	if c.IntN(2) == 0 {
		w.path = ends[c.IntN(len(ends))]
	}
	w.n = c.size()
	w.body = lines(w.nonce, c.IntN(size+1))
	return w
}

// honest draws a request that must be answered completely.
func (c *client) honest(size int) *wish {
	w := c.wish(size)
	w.path, w.flush = whole[c.IntN(len(whole))], false
	return w
}

// size draws the size of an answer, in all orders of magnitude.
func (c *client) size() int { return c.IntN(1 << c.IntN(17)) }

// moment draws a time close to a request's timeout.
func (c *client) moment() time.Duration {
	return timeout + time.Duration(c.IntN(2_000_000)-1_000_000)
}

// short draws a time within which a request may or may not be answered.
func (c *client) short() time.Duration { return time.Duration(c.IntN(1 << (10 + c.IntN(15)))) }

func (w *wish) uri() string {
	uri := fmt.Sprintf("/%s?nonce=%s&n=%d", w.path, w.nonce, w.n)
	if w.flush {
		uri += "&flush=1"
	}
	return uri
}

// lines returns the first n bytes of a nonce's answer.
func lines(nonce string, n int) []byte {
	return bytes.Repeat([]byte(nonce+"\n"), n/(len(nonce)+1)+1)[:n]
}

// want returns the complete answer, if it is known.
func (w *wish) want() (body []byte, ok bool) {
	switch {
	case slices.Contains(ends, w.path):
		return nil, false
	case w.path == "echo" || w.path == "collect":
		return append([]byte(w.nonce+"\n"), w.body...), w.sound
	}
	return lines(w.nonce, w.n), true
}

var nonces = regexp.MustCompile(`N[0-9a-f]{15}`)

// An answer is the response to a request.
type answer struct {
	status int
	nonce  string // from the header; "-": unknown
	body   []byte
	whole  bool // it looks complete
}

// check returns what is wrong with the answer to a wish.
func (w *wish) check(a answer) error {
	for _, n := range nonces.FindAll(a.body, -1) {
		if string(n) != w.nonce {
			return fmt.Errorf("the answer to %s %s has bytes of %s: %.200q", w.method, w.uri(), n, a.body)
		}
	}
	if a.status != http.StatusOK {
		if a.nonce != "-" && a.nonce != "" && a.nonce != w.nonce {
			return fmt.Errorf("the answer %d to %s %s has the nonce %s", a.status, w.method, w.uri(), a.nonce)
		}
		return nil
	}
	if a.nonce != "-" && a.nonce != w.nonce {
		return fmt.Errorf("the answer to %s %s has the nonce %q: %.200q", w.method, w.uri(), a.nonce, a.body)
	}
	want, ok := w.want()
	switch {
	case a.whole && !ok:
		return fmt.Errorf("the answer to %s %s looks whole, after %d bytes", w.method, w.uri(), len(a.body))
	case a.whole && w.method != "HEAD" && !bytes.Equal(a.body, want):
		return fmt.Errorf("the answer to %s %s has %d bytes, not %d: %.200q", w.method, w.uri(), len(a.body), len(want), a.body)
	case !ok:
		want = lines(w.nonce, max(len(a.body), len(w.nonce)+1))
	}
	if !bytes.HasPrefix(want, a.body) {
		return fmt.Errorf("the answer to %s %s begins otherwise: %.200q", w.method, w.uri(), a.body)
	}
	return nil
}

// patience is how long a client waits for events that it does not depend on.
const patience = 5 * timeout

// dial connects, over TLS or not.
func (c *client) dial() (net.Conn, error) {
	var conn net.Conn
	var err error
	if c.IntN(3) == 0 {
		conn, err = tls.DialWithDialer(&net.Dialer{Timeout: 20 * time.Second}, "tcp", c.at.TLS, &tls.Config{InsecureSkipVerify: true})
	} else {
		conn, err = c.plain()
	}
	if err != nil {
		return nil, busy{err}
	}
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn, nil
}

func (c *client) plain() (net.Conn, error) {
	conn, err := net.DialTimeout("tcp", c.at.Plain, 20*time.Second)
	if err != nil {
		return nil, busy{err}
	}
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn, nil
}

// busy is an error that says that the host takes no more connections now, or that this machine
// makes none.
type busy struct{ error }

// reset ends a connection abruptly.
func reset(conn net.Conn) {
	under := conn
	if t, ok := conn.(*tls.Conn); ok {
		under = t.NetConn()
	}
	under.(*net.TCPConn).SetLinger(0)
	under.Close()
}

// head is the head of an HTTP/1 request with additional header lines, each with its line end.
func (w *wish) head(lines string) string {
	return w.method + " " + w.uri() + " HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n"
}

// chunks is a body in chunks, with the final chunk.
func (c *client) chunks(body []byte, trailers string) string {
	var b strings.Builder
	for len(body) > 0 {
		n := min(len(body), 1+c.IntN(20_000))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return b.String() + "0\r\n" + trailers + "\r\n"
}

// text is a complete request with additional header lines.
func (c *client) text(w *wish, lines string) string {
	if c.IntN(2) == 0 {
		return w.head(lines+"Transfer-Encoding: chunked\r\n") + c.chunks(w.body, "")
	}
	return w.head(fmt.Sprintf("%sContent-Length: %d\r\n", lines, len(w.body))) + string(w.body)
}

// lines draws header lines that the host's middleware understands.
func (c *client) lines() string {
	text := ""
	if c.IntN(2) == 0 {
		text += "X-Watch: 1\r\n"
	}
	if c.IntN(4) == 0 {
		text += fmt.Sprintf("X-Deadline: %d\r\n", 1+c.IntN(int(timeout/time.Microsecond)))
	}
	return text
}

// answers reads the answers to the requests of one connection in order, until the connection ends,
// and checks each. It returns how many were complete.
func answers(conn io.Reader, wishes ...*wish) (n int, err error) {
	in := bufio.NewReader(conn)
	for _, w := range wishes {
		res, err := http.ReadResponse(in, &http.Request{Method: w.method})
		if err != nil {
			return n, nil
		}
		for res.StatusCode == http.StatusContinue {
			if res, err = http.ReadResponse(in, &http.Request{Method: w.method}); err != nil {
				return n, nil
			}
		}
		body, err := io.ReadAll(res.Body)
		a := answer{res.StatusCode, res.Header.Get("X-Nonce"), body, err == nil && (res.ContentLength >= 0 || slices.Contains(res.TransferEncoding, "chunked"))}
		if err := w.check(a); err != nil {
			return n, err
		}
		if err != nil || res.Close {
			return n, nil
		}
		n++
	}
	return n, nil
}

// read reads the answers with a long timeout.
func read(conn net.Conn, wishes ...*wish) error {
	conn.SetReadDeadline(time.Now().Add(patience))
	_, err := answers(conn, wishes...)
	return err
}

// ask makes an honest request. It returns an error if the answer is wrong or incomplete.
func ask(cl *http.Client, url string, w *wish) error {
	req, err := http.NewRequest(w.method, url+w.uri(), bytes.NewReader(w.body))
	if err != nil {
		return err
	}
	res, err := cl.Do(req)
	if err != nil {
		return busy{err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if e := w.check(answer{res.StatusCode, res.Header.Get("X-Nonce"), body, err == nil}); e != nil {
		return e
	}
	if err != nil || res.StatusCode != http.StatusOK {
		return busy{fmt.Errorf("%s: %v, %d bytes, %v", w.uri(), res.Status, len(body), err)}
	}
	return nil
}

// isBusy reports whether an error says that no request was made.
func isBusy(err error) bool { return errors.As(err, new(busy)) }

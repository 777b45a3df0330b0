package clients

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"time"
)

// transport is the standard library's transport for HTTP/1 and HTTP/2, for one client.
func (c *client) transport() (cl *http.Client, url string) {
	t := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Protocols: new(http.Protocols), IdleConnTimeout: timeout}
	url = "https://" + c.at.TLS
	switch c.IntN(3) {
	case 0:
		t.Protocols.SetHTTP1(true)
	case 1:
		t.Protocols.SetHTTP2(true)
	case 2:
		t.Protocols.SetUnencryptedHTTP2(true)
		url = "http://" + c.at.Plain
	}
	return &http.Client{Transport: t, Timeout: 20 * time.Second}, url
}

// canceled makes requests and cancels each after a time that it draws.
func (c *client) canceled(when func(c *client) time.Duration, half bool) error {
	cl, url := c.transport()
	defer cl.CloseIdleConnections()
	for range 1 + c.IntN(4) {
		w := c.wish(20_000)
		ctx, cancel := context.WithCancel(context.Background())
		body, pipe := io.Pipe()
		var reader io.Reader = bytes.NewReader(w.body)
		if half {
			reader, w.sound = body, false
			go pipe.Write(w.body)
		}
		req, err := http.NewRequestWithContext(ctx, w.method, url+w.uri(), reader)
		if err != nil {
			cancel()
			return err
		}
		for line := range strings.Lines(c.lines()) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			req.Header.Set(name, value)
		}
		if half && c.IntN(2) == 0 {
			req.ContentLength = int64(len(w.body)) + 1
		}
		timer := time.AfterFunc(when(c), func() {
			cancel()
			pipe.CloseWithError(context.Canceled) // the library's client waits for the reader of the body
		})
		if res, e := cl.Do(req); e == nil {
			text, e := io.ReadAll(res.Body)
			res.Body.Close()
			err = w.check(answer{res.StatusCode, res.Header.Get("X-Nonce"), text, e == nil})
		}
		timer.Stop()
		cancel()
		pipe.CloseWithError(context.Canceled)
		if err != nil {
			return err
		}
	}
	return nil
}

var library = []kind{
	{"library, half a body and canceled", func(c *client) error { return c.canceled((*client).short, true) }},
	{"library, canceled", func(c *client) error { return c.canceled((*client).short, false) }},
	{"library, canceled at the request's end", func(c *client) error { return c.canceled((*client).moment, c.IntN(2) == 0) }},
	{"library, honest", func(c *client) error {
		cl, url := c.transport()
		defer cl.CloseIdleConnections()
		for range 1 + c.IntN(4) {
			if err := ask(cl, url, c.honest(50_000)); err != nil && !isBusy(err) {
				return err
			}
		}
		return nil
	}},
}

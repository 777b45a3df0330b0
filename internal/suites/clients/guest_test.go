package clients

// guest answers as the path says. Its bytes show which request they belong to: they are lines of
// the request's nonce.
const guest = `package app

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
)

var (
	served int
	sink   [][]byte
)

// lines writes the first n bytes of the answer to a nonce.
func lines(w io.Writer, nonce string, n int) error {
	line := nonce + "\n"
	var piece []byte
	for len(piece) < 4000 {
		piece = append(piece, line...)
	}
	for n > 0 {
		k := min(n, len(piece))
		if _, err := w.Write(piece[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

func Handler() http.Handler {
	mux := http.NewServeMux()
	handle := func(name string, f func(w http.ResponseWriter, r *http.Request, nonce string)) {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
			served++
			q := r.URL.Query()
			nonce := q.Get("nonce")
			w.Header().Set("X-Nonce", nonce)
			w.Header().Set("X-Served", strconv.Itoa(served))
			n, _ := strconv.Atoi(q.Get("n"))
			if name != "echo" && name != "collect" && name != "early" && name != "flood" {
				lines(w, nonce, n)
			}
			if q.Get("flush") != "" {
				w.(http.Flusher).Flush()
			}
			f(w, r, nonce)
		})
	}
	// Those whose answers have an end.
	handle("answer", func(w http.ResponseWriter, r *http.Request, nonce string) {})
	handle("echo", func(w http.ResponseWriter, r *http.Request, nonce string) {
		fmt.Fprintln(w, nonce)
		if _, err := io.Copy(w, r.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
	})
	handle("collect", func(w http.ResponseWriter, r *http.Request, nonce string) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintln(w, nonce)
		w.Write(b)
	})
	handle("late", func(w http.ResponseWriter, r *http.Request, nonce string) {
		go func() {
			for range 50 {
				fmt.Fprintln(w, "late", nonce)
				http.NewResponseController(w).Flush()
				r.Body.Read(make([]byte, 100))
				runtime.Gosched()
			}
		}()
	})
	handle("hijack", func(w http.ResponseWriter, r *http.Request, nonce string) {
		_, hijacker := w.(http.Hijacker)
		_, pusher := w.(http.Pusher)
		_, notifier := w.(http.CloseNotifier)
		c := http.NewResponseController(w)
		_, _, err := c.Hijack()
		if hijacker || pusher || notifier || err == nil || c.EnableFullDuplex() == nil {
			panic("more than a handler may have")
		}
	})
	handle("trailer", func(w http.ResponseWriter, r *http.Request, nonce string) {
		w.Header().Set(http.TrailerPrefix+"X-Late", nonce)
		w.Header().Set("X-Late", nonce)
		w.Header().Set("Content-Length", "3")
		w.Header().Set("Transfer-Encoding", "identity")
	})
	handle("prints", func(w http.ResponseWriter, r *http.Request, nonce string) {
		for range 10 {
			fmt.Println(nonce)
		}
	})
	// Those that must not look whole.
	handle("early", func(w http.ResponseWriter, r *http.Request, nonce string) {
		fmt.Fprintln(w, nonce)
		w.(http.Flusher).Flush()
		io.Copy(w, r.Body)
		panic(http.ErrAbortHandler)
	})
	handle("spin", func(w http.ResponseWriter, r *http.Request, nonce string) { for {} })
	handle("hang", func(w http.ResponseWriter, r *http.Request, nonce string) {
		go func() { for { runtime.Gosched() } }()
		select {}
	})
	handle("deadlock", func(w http.ResponseWriter, r *http.Request, nonce string) { select {} })
	handle("panic", func(w http.ResponseWriter, r *http.Request, nonce string) { panic(nonce) })
	handle("abort", func(w http.ResponseWriter, r *http.Request, nonce string) { panic(http.ErrAbortHandler) })
	handle("exit", func(w http.ResponseWriter, r *http.Request, nonce string) { os.Exit(3) })
	handle("flood", func(w http.ResponseWriter, r *http.Request, nonce string) { for lines(w, nonce, 17<<10) == nil {}; panic(nonce) })
	handle("memory", func(w http.ResponseWriter, r *http.Request, nonce string) { for { sink = append(sink, make([]byte, 1<<20)) } })
	handle("headers", func(w http.ResponseWriter, r *http.Request, nonce string) {
		for i := range 5000 {
			w.Header().Set("X-Header-"+strconv.Itoa(i), nonce)
		}
		w.(http.Flusher).Flush()
		panic("5000 headers were sent")
	})
	handle("status", func(w http.ResponseWriter, r *http.Request, nonce string) { w.WriteHeader(70000); panic("no status") })
	handle("split", func(w http.ResponseWriter, r *http.Request, nonce string) {
		w.Header().Set("X-Split", "a\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
		w.(http.Flusher).Flush()
		panic("split")
	})
	return mux
}
`

// whole are the guest's paths with a finite answer. ends are those whose answer must not look
// finished.
var (
	whole = []string{"answer", "echo", "collect", "late", "hijack", "trailer", "prints"}
	ends  = []string{"early", "spin", "hang", "deadlock", "panic", "abort", "exit", "flood", "memory", "headers", "status", "split"}
)

// Playground serves a page on which anyone may write Go programs, run them and share them. The
// programs run in this process. Each has an instance of its own, with limits on its source,
// compilation, gas, memory, output and time.
//
//	go run ./examples/playground -http localhost:8080
//
// The page replays output by the program's clock, which is virtual: a program that sleeps for a
// minute has run in a millisecond, and its output appears over a minute. The page shows errors at
// their lines, the figures of the run, and on request where the gas went. Runs are deterministic,
// so a second run, with a profile, is the same as the first.
//
// Shared programs are stored under the hash of their text: in memory, or with -store in a
// directory.
//
// server.go has the handlers, run.go compiles and runs, store.go keeps shared programs, and
// page.html is the page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/gyrvm/gyr"
)

func main() {
	addr := flag.String("http", "localhost:8080", "listen at `ADDRESS`")
	dir := flag.String("store", "", "keep shared programs in `DIRECTORY`; empty: in memory")
	cache := flag.String("cache", defaultCache(), "keep the compiled standard library in `DIRECTORY`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *addr, *dir, *cache); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// defaultCache returns a directory of the user, or "" if the user has none.
func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "gyr")
}

// serve answers requests until ctx ends.
func serve(ctx context.Context, addr, dir, cache string) error {
	fmt.Fprintln(os.Stderr, "playground: opening the standard library")
	base, err := gyr.OpenBase(ctx, gyr.BaseConfig{Cache: cache, Progress: func(p gyr.Progress) {
		fmt.Fprintf(os.Stderr, "\r\x1b[K%s", p)
	}})
	fmt.Fprint(os.Stderr, "\r\x1b[K")
	if err != nil {
		return err
	}
	shared := memoryStore()
	if dir != "" {
		if shared, err = directoryStore(dir); err != nil {
			return err
		}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "playground: http://%s\n", l.Addr())
	server := &http.Server{
		Handler:           newServer(base, defaultLimits(), shared),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		stopped <- server.Shutdown(last)
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// A program that sends signals to itself.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, os.Interrupt)
	go func() { time.Sleep(time.Millisecond); syscall.Kill(syscall.Getpid(), syscall.SIGTERM) }()
	fmt.Println(<-c)
	p, _ := os.FindProcess(os.Getpid())
	fmt.Println(p.Signal(os.Interrupt), <-c)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGHUP)
	p.Signal(syscall.SIGHUP)
	<-ctx.Done()
	fmt.Println(ctx.Err(), context.Cause(ctx))
	stop()
	signal.Ignore(syscall.SIGHUP)
	fmt.Println(signal.Ignored(syscall.SIGHUP), p.Signal(syscall.SIGHUP))
	p.Signal(os.Interrupt)
	signal.Stop(c)
	fmt.Println(<-c)
	signal.Reset()
}

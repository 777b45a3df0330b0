// A program that waits for signals compiles, and gets none.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	select {
	case s := <-c:
		fmt.Println(s)
	case <-time.After(time.Second):
		fmt.Println("no signal")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	fmt.Println(ctx.Err())
	stop()
	<-ctx.Done()
	fmt.Println(ctx.Err())
	signal.Stop(c)
	signal.Reset()

	p, err := os.FindProcess(os.Getpid() + 1)
	if err == nil {
		err = p.Signal(syscall.SIGTERM)
	}
	fmt.Println(err, errors.Is(err, syscall.ENOSYS))
}

// Command hostile is a program that tries to get more from processes than it has.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func self(args ...string) *exec.Cmd {
	c := exec.Command("/proc/self/exe", args...)
	c.Args[0] = os.Args[0]
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c
}

func start(args ...string) *exec.Cmd {
	c := self(args...)
	if err := c.Start(); err != nil {
		fmt.Println("start:", err)
	}
	return c
}

var sink [][]byte

func main() {
	arg := ""
	if len(os.Args) > 2 {
		arg = os.Args[2]
	}
	switch os.Args[1] {
	case "bomb": // each starts two
		self("bomb").Start()
		self("bomb").Run()
	case "chain": // ever deeper
		if err := self("chain").Run(); err != nil {
			fmt.Println(err)
		}
	case "many": // that nobody waits for
		for i := 0; ; i++ {
			if err := self("exit").Start(); err != nil {
				fmt.Println(i > 10, err)
				return
			}
		}
	case "exit":
	case "series": // one after the other, for ever
		for {
			self("exit").Run()
		}
	case "spin":
		for {
		}
	case "orphan":
		start("spin")
	case "orphans": // of a child that ends
		self("orphan").Run()
		time.Sleep(time.Millisecond)
	case "eat": // memory of a child
		for {
			sink = append(sink, make([]byte, 1<<20))
		}
	case "eaters":
		for range 8 {
			fmt.Println(self("eat").Run())
		}
	case "both": // the parent's memory and the child's
		start("eat")
		for {
			sink = append(sink, make([]byte, 1<<16))
			runtime.Gosched()
		}
	case "files": // in the tree, by children that end
		for i := 0; ; i++ {
			if err := self("file", fmt.Sprint(i)).Run(); err != nil {
				fmt.Println(err)
				return
			}
		}
	case "file":
		if err := os.WriteFile("/tmp/"+arg, make([]byte, 8<<20), 0o666); err != nil {
			os.Exit(1)
		}
	case "full": // a pipe that nobody reads
		c := exec.Command(os.Args[0], "yes")
		c.StdoutPipe()
		fmt.Println(c.Start())
		fmt.Println(c.Wait())
	case "yes":
		for {
			if _, err := fmt.Println(strings.Repeat("y", 1000)); err != nil {
				os.Exit(3)
			}
		}
	case "unread": // the child does not read, and ends
		c := self("exit")
		in, _ := c.StdinPipe()
		fmt.Println(c.Start())
		_, err := io.Copy(in, strings.NewReader(strings.Repeat("x", 1<<20)))
		fmt.Println(err, c.Wait())
	case "gone": // the reader of what the child writes goes
		c := exec.Command(os.Args[0], "yes")
		out, _ := c.StdoutPipe()
		fmt.Println(c.Start())
		io.ReadFull(out, make([]byte, 100))
		out.Close()
		fmt.Println(c.Wait())
	case "pipes": // many, never closed
		for i := 0; ; i++ {
			c := self("exit")
			if _, err := c.StdinPipe(); err != nil {
				fmt.Println(err)
				return
			}
			r, w, err := os.Pipe()
			if err != nil {
				fmt.Println(err)
				return
			}
			c.Stdout = w
			if err := c.Start(); err != nil {
				fmt.Println(err)
				return
			}
			c.Process.Wait()
			_ = r
		}
	case "ignore": // a signal that is ignored, and then one that cannot be
		c := exec.Command(os.Args[0], "deaf")
		out, _ := c.StdoutPipe()
		c.Start()
		io.ReadFull(out, make([]byte, 1))
		fmt.Println(c.Process.Signal(syscall.SIGTERM), c.Process.Signal(syscall.Signal(77)), c.Process.Signal(syscall.Signal(0)))
		time.Sleep(time.Millisecond)
		fmt.Println(c.Process.Kill(), c.Process.Signal(syscall.SIGTERM), c.Wait())
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("x")
		for {
		}
	case "strangers": // processes that are not there, and the program itself
		for _, pid := range []int{-1, 0, 1, 2, 4, 1 << 30} {
			fmt.Println(pid, syscall.Kill(pid, syscall.SIGTERM))
		}
		_, err := syscall.Wait4(4711, nil, 0, nil)
		fmt.Println(err)
	case "grandchild": // is nobody's business but its parent's
		c := exec.Command(os.Args[0], "parent")
		out, _ := c.StdoutPipe()
		c.Start()
		var pid int
		fmt.Fscan(out, &pid)
		fmt.Println(syscall.Kill(pid, syscall.SIGKILL))
		c.Process.Kill()
		c.Wait()
	case "parent":
		c := start("spin")
		fmt.Println(c.Process.Pid)
		c.Wait()
	case "waits": // twice, and at the same time
		c := start("exit")
		done := make(chan error)
		for range 2 {
			go func() { _, err := syscall.Wait4(c.Process.Pid, nil, 0, nil); done <- err }()
		}
		a, b := <-done, <-done
		fmt.Println((a == nil) != (b == nil))
	case "long": // arguments
		fmt.Println(self("exit", strings.Repeat("x", 2<<20)).Run())
		fmt.Println(self("exit", "a\x00b").Run())
	case "env":
		c := self("exit")
		c.Env = []string{strings.Repeat("E", 1<<19) + "=x", "=", "x", "A\x00=b"}
		fmt.Println(c.Run())
	case "dir":
		c := self("exit")
		c.Dir = "/nowhere"
		fmt.Println(c.Run())
	case "fds":
		c := self("exit")
		c.ExtraFiles = []*os.File{os.Stdin}
		fmt.Println(c.Run())
		_, _, err := syscall.StartProcess(os.Args[0], []string{"x"}, &syscall.ProcAttr{Files: []uintptr{77, 1 << 20, 1 << 21}})
		fmt.Println(err)
	case "paths":
		for _, p := range []string{"", ".", "/", "/bin", "/bin/..", "/bin/../bin/hostile", "/tmp/hostile", "../bin/hostile", "/proc/self/exe/", "/etc/passwd"} {
			c := &exec.Cmd{Path: p, Args: []string{"x"}}
			fmt.Println(p, c.Run() != nil)
		}
	case "output": // of a child, beyond the limit
		self("yes").Run()
	case "panic": // in a child
		fmt.Println(self("crash").Run())
	case "crash":
		panic("crashed")
	case "sleepers": // whose sum is long
		for range 20 {
			start("sleep")
		}
		time.Sleep(3 * time.Hour)
	case "sleep":
		time.Sleep(time.Hour)
	case "deadlock":
		c := exec.Command(os.Args[0], "stdin")
		c.StdinPipe()
		fmt.Println(c.Run())
	case "stdin":
		io.ReadAll(os.Stdin)
	case "deadlocks": // in a child alone
		fmt.Println(self("lock").Run())
	case "lock":
		select {}
	case "locks": // that a child holds when it is killed
		f, _ := os.Create("/tmp/lock")
		c := exec.Command(os.Args[0], "holds")
		out, _ := c.StdoutPipe()
		c.Start()
		io.ReadFull(out, make([]byte, 5))
		fmt.Println(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
		go func() {
			time.Sleep(time.Millisecond)
			c.Process.Kill()
		}()
		fmt.Println(syscall.Flock(int(f.Fd()), syscall.LOCK_EX), c.Wait())
	case "holds":
		f, _ := os.Open("/tmp/lock")
		fmt.Println("holds", syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
		for {
		}
	}
	if os.Args[1] != "exit" {
		fmt.Println("end")
	}
}

// A program that starts others compiles, and is told that there are none.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"syscall"
)

func main() {
	_, err := exec.LookPath("ls")
	fmt.Printf("%v | %T %v\n", err, err, errors.Is(err, exec.ErrNotFound))
	_, err = exec.Command("ls").Output()
	fmt.Printf("%v | %T\n", err, err)

	cmd := exec.Command("/bin/ls", "-l")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	fmt.Println(cmd, "|", err, "|", errors.Is(err, errors.ErrUnsupported), cmd.Process, cmd.ProcessState)
	_, err = exec.Command("/bin/ls").StdinPipe()
	fmt.Println(err)
	ctx, cancel := context.WithCancel(context.Background())
	cmd = exec.CommandContext(ctx, "/bin/true")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cancel()
	fmt.Println(cmd.Run())

	p, err := os.StartProcess("/bin/ls", []string{"ls"}, &os.ProcAttr{})
	fmt.Println(p, err, errors.Is(err, syscall.ENOSYS))
	_, _, err = os.Pipe()
	fmt.Println(err)
	_, err = user.Lookup("root")
	var unknown user.UnknownUserError
	fmt.Println(err, errors.As(err, &unknown))
	u, err := user.Current()
	fmt.Println(u, err)
	_, err = user.LookupGroup("wheel")
	fmt.Println(err)
	_, err = syscall.Wait4(-1, nil, 0, nil)
	fmt.Println(err)
	fmt.Println(syscall.Kill(1, syscall.SIGTERM), syscall.Kill(syscall.Getpid(), 0))
	_, _, errno := syscall.Syscall(9, 0, 0, 0)
	fmt.Println(errno, errors.Is(errno, errors.ErrUnsupported))
	h, err := os.Hostname()
	fmt.Println(h, err)
}

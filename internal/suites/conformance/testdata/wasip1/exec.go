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
	fmt.Println(err != nil)
	h, err := os.Hostname()
	fmt.Println(h, err)
}

// Command tree is a process of a random tree. Its argument says what it does.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// A node is a process.
type node struct {
	Name  string
	Lines int    // to print
	Exit  int    // status
	Echo  bool   // print what is read, in capital letters
	Serve bool   // answer lines one by one
	Wait  string // after "ready": "spin", "sleep", "read", or "signal" for a signal
	Kids  []kid
	Race  bool // all kids at once
}

// A kid is a process that a node starts.
type kid struct {
	Node   node
	In     int    // lines of input
	Out    string // inherit, capture, both, file, talk, or pipe to the next one
	Signal int    // sent after its first line
}

func main() {
	var n node
	if err := json.Unmarshal([]byte(os.Args[1]), &n); err != nil {
		fmt.Println(err)
		os.Exit(99)
	}
	caught := make(chan os.Signal, 1)
	if n.Wait == "signal" {
		signal.Notify(caught, syscall.SIGTERM, syscall.SIGINT)
	}
	for i := range n.Lines {
		fmt.Printf("%s line %d\n", n.Name, i)
	}
	switch {
	case n.Echo:
		text, err := io.ReadAll(os.Stdin)
		fmt.Printf("%s%s read %d %v\n", strings.ToUpper(string(text)), n.Name, len(text), err)
	case n.Serve:
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
			fmt.Println(strings.ToUpper(s.Text()))
		}
	}
	if n.Wait != "" {
		fmt.Println("ready")
		switch n.Wait {
		case "spin":
			for {
			}
		case "sleep":
			time.Sleep(time.Hour)
		case "read":
			io.ReadAll(os.Stdin)
		case "signal":
			fmt.Println(n.Name, "got", <-caught)
		}
	}
	if n.Race {
		n.race()
	} else {
		for i := 0; i < len(n.Kids); i++ {
			if k := &n.Kids[i]; k.Out == "pipe" && i+1 < len(n.Kids) {
				n.pipeline(k, &n.Kids[i+1])
				i++
			} else {
				n.run(k)
			}
		}
	}
	os.Exit(n.Exit)
}

func (k *kid) command() *exec.Cmd {
	text, _ := json.Marshal(k.Node)
	c := exec.Command(os.Args[0], string(text))
	if k.In > 0 {
		c.Stdin = strings.NewReader(strings.Repeat("some words\n", k.In))
	}
	return c
}

func short(b []byte) string {
	if len(b) > 200 {
		h := fnv.New64a()
		h.Write(b)
		return fmt.Sprintf("%q… %d bytes, %x", b[:50], len(b), h.Sum64())
	}
	return fmt.Sprintf("%q", b)
}

func (n *node) run(k *kid) {
	c := k.command()
	switch {
	case k.Signal != 0:
		c.Stdin = nil
		if k.Node.Wait == "read" {
			c.StdinPipe()
		}
		out, _ := c.StdoutPipe()
		if err := c.Start(); err != nil {
			fmt.Println(n.Name, err)
			return
		}
		r := bufio.NewReader(out)
		for {
			l, err := r.ReadString('\n')
			if l == "ready\n" || err != nil {
				break
			}
		}
		fmt.Println(n.Name, "sends", c.Process.Signal(syscall.Signal(k.Signal)))
		rest, err := io.ReadAll(r)
		fmt.Println(n.Name, "killed:", short(rest), err, c.Wait())
	case k.Out == "capture":
		out, err := c.Output()
		fmt.Println(n.Name, "captured:", short(out), err)
	case k.Out == "both":
		out, err := c.CombinedOutput()
		fmt.Println(n.Name, "captured both:", short(out), err)
	case k.Out == "file":
		f, err := os.CreateTemp("", "tree")
		if err != nil {
			fmt.Println(err)
			return
		}
		defer os.Remove(f.Name())
		c.Stdout = f
		err = c.Run()
		text, _ := os.ReadFile(f.Name())
		fmt.Println(n.Name, "in a file:", short(text), err)
	case k.Out == "talk":
		k.Node.Serve = true
		c = k.command()
		c.Stdin = nil
		in, _ := c.StdinPipe()
		out, _ := c.StdoutPipe()
		if err := c.Start(); err != nil {
			fmt.Println(n.Name, err)
			return
		}
		r := bufio.NewReader(out)
		for range k.Node.Lines {
			r.ReadString('\n')
		}
		for i := range k.In {
			fmt.Fprintln(in, "word", i)
			l, err := r.ReadString('\n')
			fmt.Printf("%s talks: %q %v\n", n.Name, l, err)
		}
		in.Close()
		io.Copy(os.Stdout, r)
		fmt.Println(n.Name, c.Wait())
	default:
		c.Stdout = os.Stdout
		fmt.Println(n.Name, "ran:", c.Run())
	}
}

func (n *node) pipeline(a, b *kid) {
	b.Node.Echo = true
	x, y := a.command(), b.command()
	out, err := x.StdoutPipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	y.Stdin = out
	y.Stdout = os.Stdout
	if err := x.Start(); err != nil {
		fmt.Println(err)
		return
	}
	if err := y.Run(); err != nil {
		fmt.Println(n.Name, "second:", err)
	}
	fmt.Println(n.Name, "first:", x.Wait())
}

func (n *node) race() {
	var list []*exec.Cmd
	for i := range n.Kids {
		c := n.Kids[i].command()
		c.Stdout = os.Stdout
		if err := c.Start(); err != nil {
			fmt.Println(n.Name, err)
			continue
		}
		list = append(list, c)
	}
	for _, c := range list {
		fmt.Println(n.Name, "waited:", c.Wait())
	}
}

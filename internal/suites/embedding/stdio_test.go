package embedding_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

const stdioProgram = `package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	switch os.Args[1] {
	case "writes":
		for i := range 100 {
			fmt.Fprintln(os.Stdout, "line", i)
			if i%10 == 0 {
				fmt.Fprintln(os.Stderr, "error", i)
			}
		}
		os.Stdout.Write(make([]byte, 1<<20))
		for {
		}
	case "echo":
		for s := bufio.NewScanner(os.Stdin); s.Scan(); {
			fmt.Println("got", s.Text())
		}
	}
}
`

func compileText(t *testing.T, text string) *gyr.Program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// writes notes each Write.
type writes struct{ list []string }

func (w *writes) Write(p []byte) (int, error) {
	w.list = append(w.list, string(p))
	return len(p), nil
}

// One write of the guest is one immediate Write of the host, in order, and nothing is lost when a
// limit ends the run. Input is read when the guest asks for it.
func TestStdio(t *testing.T) {
	p := compileText(t, stdioProgram)

	t.Run("writes", func(t *testing.T) {
		var both writes
		in, err := p.NewInstance(context.Background(), gyr.Config{Args: []string{"writes"}, Stdout: &both, Stderr: &both, Gas: 10_000_000})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var limit *gyr.OutOfGasError
		if err := in.Run(context.Background()); !errors.As(err, &limit) || limit.Used != 10_000_000 || limit.Func != "main.main" {
			t.Fatalf("%v", err)
		}
		var want []string
		for i := range 100 {
			want = append(want, fmt.Sprintf("line %d\n", i))
			if i%10 == 0 {
				want = append(want, fmt.Sprintf("error %d\n", i))
			}
		}
		if n := len(both.list); n != len(want)+1 || len(both.list[n-1]) != 1<<20 {
			t.Fatalf("%d writes, want %d and then one of 1 MiB", n, len(want))
		}
		for i, w := range want {
			if both.list[i] != w {
				t.Fatalf("write %d is %q, want %q", i, both.list[i], w)
			}
		}
	})

	t.Run("echo", func(t *testing.T) {
		inr, inw := io.Pipe()
		outr, outw := io.Pipe()
		in, err := p.NewInstance(context.Background(), gyr.Config{Args: []string{"echo"}, Stdin: inr, Stdout: outw})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		done := make(chan error, 1)
		go func() {
			done <- in.Run(context.Background())
			outw.Close()
		}()
		answers := bufio.NewReader(outr)
		for i := range 5 {
			// The answer arrives before the next line is available.
			fmt.Fprintf(inw, "%d\n", i)
			got, err := answers.ReadString('\n')
			if want := fmt.Sprintf("got %d\n", i); got != want {
				t.Fatalf("answer %q, %v, want %q", got, err, want)
			}
		}
		inw.Close()
		if rest, _ := io.ReadAll(answers); len(rest) > 0 {
			t.Errorf("more output: %q", rest)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})

	t.Run("canceled while reading", func(t *testing.T) {
		inr, inw := io.Pipe()
		defer inw.Close()
		ctx, cancel := context.WithCancel(context.Background())
		in, err := p.NewInstance(ctx, gyr.Config{Args: []string{"echo"}, Stdin: inr, Stdout: &strings.Builder{}})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		done := make(chan error, 1)
		go func() { done <- in.Run(ctx) }()
		fmt.Fprintln(inw, "x")
		cancel()
		var dead *gyr.DeadlineError
		if err := <-done; !errors.As(err, &dead) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

// A closed instance reports that it is closed.
func TestClosed(t *testing.T) {
	p := compileText(t, "package main\nfunc main() {}\n")
	in, err := p.NewInstance(context.Background(), gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := in.Run(context.Background()); !errors.Is(err, gyr.ErrClosed) {
		t.Errorf("Run: %v", err)
	}
	if err := in.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

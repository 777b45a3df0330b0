package load

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestErrcheck(t *testing.T) {
	n, same, k := 0, 0, 0
	filepath.Walk("/usr/local/go/test", func(p string, fi os.FileInfo, err error) error {
		if filepath.Ext(p) != ".go" {
			return nil
		}
		src, _ := os.ReadFile(p)
		line, _, _ := bytes.Cut(src, []byte("\n"))
		if strings.TrimSpace(string(line)) != "// errorcheck" {
			return nil
		}
		if k++; k%4 != 0 {
			return nil
		}
		n++
		_, err = Load(context.Background(), Config{Unsafe: true, Patterns: []string{p}, Dir: filepath.Dir(p)})
		c := exec.Command("go", "build", "-o", "/dev/null", filepath.Base(p))
		c.Dir = filepath.Dir(p)
		c.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GO111MODULE=on", "GOFLAGS=-mod=mod")
		out, _ := c.CombinedOutput()
		got := ""
		if err != nil {
			got = err.Error()
		}
		want := strings.TrimSpace(string(out))
		if got == want {
			same++
		} else {
			fmt.Printf("=== %s\n--- got\n%s\n--- want\n%s\n", p, got, want)
		}
		return nil
	})
	fmt.Println("SUM", n, same)
}

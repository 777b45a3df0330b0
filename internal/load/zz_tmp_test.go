package load

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestGoroot(t *testing.T) {
	n, bad := 0, 0
	filepath.Walk("/usr/local/go/test", func(p string, fi os.FileInfo, err error) error {
		if filepath.Ext(p) != ".go" {
			return nil
		}
		src, _ := os.ReadFile(p)
		line, _, _ := bytes.Cut(src, []byte("\n"))
		if !bytes.HasPrefix(line, []byte("// run")) || bytes.HasPrefix(line, []byte("// rundir"))|| bytes.HasPrefix(line, []byte("// runindir")) {
			return nil
		}
		if ok, _ := newMatcher(nil).header(src); !ok {
			return nil
		}
		n++
		_, err = Load(context.Background(), Config{Unsafe: true, Patterns: []string{p}})
		if err != nil {
			bad++
			fmt.Printf("%s: %v\n", p, err)
		}
		return nil
	})
	fmt.Println(n, bad)
}

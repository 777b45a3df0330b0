package load

import (
	"context"
	"fmt"
	"go/ast"
	"os"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(0, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func TestTmp(t *testing.T) {
	pats := strings.Fields(os.Getenv("PAT"))
	for i := range 4 {
		start := cpu()
		w := time.Now()
		p, err := Load(context.Background(), Config{Dir: os.Getenv("D"), NoCache: os.Getenv("NOCACHE") != "", Unsafe: true, NoPrune: os.Getenv("NOPRUNE") != "", Test: os.Getenv("TEST") != "", Patterns: pats, Stats: func(s Stats) { fmt.Printf("%+v\n", s) }})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("cpu", cpu()-start, "wall", time.Since(w))
		if i > 0 || os.Getenv("V") == "" {
			continue
		}
		type row struct {
			n, k, size int
			name       string
		}
		var rows []row
		for _, q := range p.Packages {
			r := row{name: q.Path}
			for _, f := range q.Files {
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok {
						r.n++
						if fn.Body != nil {
							r.k++
							r.size += int(fn.End() - fn.Pos())
							if os.Getenv("V") == q.Path {
								fmt.Print(receiverName(fn), ".", fn.Name.Name, " ")
							}
						}
					}
				}
			}
			rows = append(rows, r)
		}
		sort.Slice(rows, func(i, j int) bool { return rows[i].k > rows[j].k })
		for _, r := range rows {
			fmt.Printf("%-30s %5d %5d %d\n", r.name, r.n, r.k, r.size)
		}
	}
}

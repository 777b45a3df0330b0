// Gpython runs a Python program in gpython: sieves, dictionaries, strings, classes and generators.
package main

import (
	"os"
	"strings"

	_ "github.com/go-python/gpython/stdlib"

	"github.com/go-python/gpython/py"
)

const script = `
class Point:
    def __init__(self, x, y):
        self.x = x
        self.y = y
    def dist(self, o):
        return abs(self.x - o.x) + abs(self.y - o.y)

def sieve(n):
    flags = [True] * (n + 1)
    count = 0
    for i in range(2, n + 1):
        if flags[i]:
            count += 1
            j = i + i
            while j <= n:
                flags[j] = False
                j += i
    return count

def words(n):
    seen = {}
    s = 7
    for i in range(n):
        s = (s * 1103515245 + 12345) % 2147483648
        k = "w" + str(s % 97)
        if k in seen:
            seen[k] += 1
        else:
            seen[k] = 1
    total = 0
    for k in sorted(seen.keys()):
        total = (total * 31 + seen[k]) % 1000003
    return total

def squares(n):
    for i in range(n):
        yield i * i

def run(n):
    total = 0
    for r in range(n):
        total += sieve(2000)
        total += words(500)
        total += sum(squares(300))
        a = Point(r, 3)
        for i in range(200):
            b = Point(i, r)
            total += a.dist(b)
    return total

print(run(SIZE))
`

func main() {
	ctx := py.NewContext(py.DefaultContextOpts())
	defer ctx.Close()
	code, err := py.Compile(strings.Replace(script, "SIZE", os.Args[1], 1), "script.py", py.ExecMode, 0, true)
	if err == nil {
		_, err = py.RunCode(ctx, code, "script.py", nil)
	}
	if err != nil {
		py.TracebackDump(err)
		os.Exit(1)
	}
}

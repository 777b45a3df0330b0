// Command fasta writes DNA sequences made by a repetition and by weighted random
// choice. It prints a checksum of the text, or with -stream as the second
// argument the text itself. The size is the unit of the sequences' lengths.
//
// Usage: fasta [size]
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
)

// lcg is the generator of the FASTA programs.
type lcg uint32

func (g *lcg) next() float64 {
	*g = (*g*3877 + 29573) % 139968
	return float64(*g) / 139968
}

type weighted struct {
	c byte
	p float64
}

var iub = []weighted{{'a', 0.27}, {'c', 0.12}, {'g', 0.12}, {'t', 0.27}, {'B', 0.02}, {'D', 0.02}, {'H', 0.02}, {'K', 0.02}, {'M', 0.02}, {'N', 0.02}, {'R', 0.02}, {'S', 0.02}, {'V', 0.02}, {'W', 0.02}, {'Y', 0.02}}

var human = []weighted{{'a', 0.3029549426680}, {'c', 0.1979883004921}, {'g', 0.1975473066391}, {'t', 0.3015094502008}}

const alu = "GGCCGGGCGCGGTGGCTCACGCCTGTAATCCCAGCACTTTGGGAGGCCGAGGCGGGCGGATCACCTGAGGTCAGGAGTTCGAGACCAGCCTGGCCAACATGGTGAAACCCCGTCTCTACTAAAAATACAAAAATTAGCCGGGCGTGGTGGCGCGCGCCTGTAATCCCAGCTACTCGGGAGGCTGAGGCAGGAGAATCGCTTGAACCCGGGAGGCGGAGGTTGCAGTGAGCCGAGATCGCGCCACTGCACTCCAGCCTGGGCGACAGAGCGAGACTCCGTCTCAAAAA"

const width = 60

// cumulate turns weights into a cumulative table.
func cumulate(w []weighted) []weighted {
	c := append([]weighted(nil), w...)
	sum := 0.0
	for i := range c {
		sum += c[i].p
		c[i].p = sum
	}
	c[len(c)-1].p = 1
	return c
}

// fasta writes the three sequences of the benchmark for size n.
func fasta(n int, w io.Writer) {
	line := make([]byte, 0, width+1)
	io.WriteString(w, ">ONE Homo sapiens alu\n")
	at := 0
	for left := 2 * n; left > 0; left -= width {
		line = line[:0]
		for range min(left, width) {
			line = append(line, alu[at])
			if at++; at == len(alu) {
				at = 0
			}
		}
		w.Write(append(line, '\n'))
	}
	g := lcg(42)
	random := func(name string, table []weighted, n int) {
		io.WriteString(w, name)
		for left := n; left > 0; left -= width {
			line = line[:0]
			for range min(left, width) {
				r := g.next()
				i := 0
				for table[i].p < r {
					i++
				}
				line = append(line, table[i].c)
			}
			w.Write(append(line, '\n'))
		}
	}
	random(">TWO IUB ambiguity codes\n", cumulate(iub), 3*n)
	random(">THREE Homo sapiens frequency\n", cumulate(human), 5*n)
}

// A checksum is a writer that folds what it is given.
type checksum struct{ sum, n uint64 }

func (c *checksum) Write(p []byte) (int, error) {
	for _, b := range p {
		c.sum = (c.sum ^ uint64(b)) * 1099511628211
	}
	c.n += uint64(len(p))
	return len(p), nil
}

func main() {
	n := size(100000)
	if len(os.Args) > 2 && os.Args[2] == "-stream" {
		w := bufio.NewWriter(os.Stdout)
		fasta(n, w)
		w.Flush()
		return
	}
	c := &checksum{sum: 14695981039346656037}
	fasta(n, c)
	fmt.Printf("%d %016x\n", c.n, c.sum)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}

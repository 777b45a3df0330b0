// Command regexredux counts and replaces patterns in DNA with package regexp. It
// makes its input, or with -stream reads FASTA text.
//
// Usage: regexredux [size]
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
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

// The flag -stream reads (and writes) the real FASTA stream; without it a
// program makes its input itself and prints a checksum.
func streaming() bool { return len(os.Args) > 1 && os.Args[1] == "-stream" }

// input is the FASTA text: standard input with -stream, else made here.
func input(def int) []byte {
	var buf bytes.Buffer
	if streaming() {
		if _, err := io.Copy(&buf, os.Stdin); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return buf.Bytes()
	}
	fasta(size(def), &buf)
	return buf.Bytes()
}

var variants = []string{"agggtaaa|tttaccct", "[cgt]gggtaaa|tttaccc[acg]", "a[act]ggtaaa|tttacc[agt]t", "ag[act]gtaaa|tttac[agt]ct", "agg[act]taaa|ttta[agt]cct", "aggg[acg]aaa|ttt[cgt]ccc", "agggt[cgt]aa|tt[acg]accct", "agggta[cgt]a|t[acg]taccct", "agggtaa[cgt]|[acg]ttaccct"}

var substitutions = []struct{ pat, by string }{{"tHa[Nt]", "<4>"}, {"aND|caN|Ha[DS]|WaS", "<3>"}, {"a[NSt]|BY", "<2>"}, {"\\|[^|][^|]*\\|", "|"}, {"\\|[^|][^|]*\\|", "-"}}

func main() {
	text := input(20000)
	before := len(text)
	text = regexp.MustCompile("(>[^\n]+)?\n").ReplaceAll(text, nil)
	clean := len(text)
	for _, v := range variants {
		fmt.Println(v, len(regexp.MustCompile(v).FindAllIndex(text, -1)))
	}
	for _, s := range substitutions {
		text = regexp.MustCompile(s.pat).ReplaceAll(text, []byte(s.by))
	}
	fmt.Printf("\n%d\n%d\n%d\n", before, clean, len(text))
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

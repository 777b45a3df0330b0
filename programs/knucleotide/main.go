// Command knucleotide counts the frequencies of nucleotide sequences with maps. It
// makes its input, or with -stream reads FASTA text.
//
// Usage: knucleotide [size]
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sort"
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

func frequencies(seq []byte, k int) map[string]int {
	m := map[string]int{}
	for i := 0; i+k <= len(seq); i++ {
		m[string(seq[i:i+k])]++
	}
	return m
}

func printAll(m map[string]int, total int) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if m[keys[i]] != m[keys[j]] {
			return m[keys[i]] > m[keys[j]]
		}
		return keys[i] < keys[j]
	})
	for _, k := range keys {
		fmt.Printf("%s %.3f\n", k, 100*float64(m[k])/float64(total))
	}
	fmt.Println()
}

func main() {
	text := input(100000)
	at := bytes.Index(text, []byte(">THREE"))
	if at < 0 {
		fmt.Fprintln(os.Stderr, "no third sequence")
		os.Exit(1)
	}
	text = text[at:]
	text = text[bytes.IndexByte(text, '\n')+1:]
	seq := make([]byte, 0, len(text))
	for _, b := range text {
		if b != '\n' {
			seq = append(seq, b&^0x20)
		}
	}
	printAll(frequencies(seq, 1), len(seq))
	printAll(frequencies(seq, 2), len(seq)-1)
	for _, s := range []string{"GGT", "GGTA", "GGTATT", "GGTATTTTAATT", "GGTATTTTAATTTATAGT"} {
		fmt.Printf("%d\t%s\n", frequencies(seq, len(s))[s], s)
	}
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

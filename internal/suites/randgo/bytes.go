package randgo

import (
	"fmt"
	"strings"
)

// bytesStmt splits numbers into neighbouring bytes and combines bytes to numbers, as
// encoding/binary does: in both orders, with constant or computed indices, and sometimes with
// something between, a repeated byte, or a missing one.
func (g *gen) bytesStmt() []*node {
	const size = 24
	b, i := g.fresh("b"), g.fresh("i")
	decl := fmt.Sprintf("var %s [%d]byte", b, size)
	if g.chance(50) {
		decl = fmt.Sprintf("%s := make([]byte, %d)", b, size)
	}
	list := []*node{
		line(decl),
		line(fmt.Sprintf("for k := range %s { %s[k] = byte(k*%d + %d) }", b, b, g.between(1, 255), g.n(256))),
		line(fmt.Sprintf("%s := int(sum %% %d); _ = %s", i, size/2, i)),
	}
	indexed := false
	at := func(k int) string {
		if indexed {
			return fmt.Sprintf("%s[%s+%d]", b, i, k)
		}
		return fmt.Sprintf("%s[%d]", b, k)
	}
	for range g.between(1, 4) {
		indexed = g.chance(40)
		width := []int{2, 4, 8, 8}[g.n(4)]
		from := g.n(size/2 - width + 1)
		high := g.chance(40) // the highest byte first
		typ := []string{"uint16", "uint32", "uint64", "int64"}[g.between(map[int]int{2: 0, 4: 1, 8: 2}[width], 3)]
		order := g.order(width)
		shift := func(k int) int {
			if high {
				k = width - 1 - k
			}
			return 8 * k
		}
		if g.chance(50) {
			x := g.fresh("x")
			list = append(list, line(fmt.Sprintf("%s := %s(sum*%d); _ = %s", x, typ, 2*g.n(1<<30)+1, x)))
			for _, k := range order {
				switch {
				case g.chance(4):
					list = append(list, line(fmt.Sprintf("mix(uint64(%s))", at(g.n(size/2)))))
				case g.chance(4):
					list = append(list, line(fmt.Sprintf("%s = %d", at(g.n(size/2)), g.n(256))))
				case g.chance(4):
					continue
				}
				list = append(list, line(fmt.Sprintf("%s = byte(%s >> %d)", at(from+k), x, shift(k))))
			}
			continue
		}
		op := []string{" | ", " + ", " ^ "}[g.n(3)]
		if width > 2 && g.chance(25) {
			list = append(list, line(fmt.Sprintf("mix(uint64(%s))",
				g.halves(typ, width, high, op, func(k int) string { return at(from + k) }))))
			continue
		}
		var terms []string
		for _, k := range order {
			if g.chance(4) {
				k = g.n(width)
			}
			terms = append(terms, fmt.Sprintf("%s(%s)<<%d", typ, at(from+k), shift(k)))
		}
		if g.chance(20) {
			terms = append(terms, typ+"(sum)")
		}
		if g.chance(60) {
			list = append(list, line(fmt.Sprintf("mix(uint64(%s))", strings.Join(terms, op))))
			continue
		}
		// Term by term, with occasional stores between the terms.
		x := g.fresh("x")
		list = append(list, line(fmt.Sprintf("%s := %s", x, terms[0])))
		for _, t := range terms[1:] {
			if g.chance(20) {
				list = append(list, line(fmt.Sprintf("%s = byte(sum >> 3)", at(g.n(size/2)))))
			}
			list = append(list, line(fmt.Sprintf("%s = %s%s%s", x, x, op, t)))
		}
		list = append(list, line(fmt.Sprintf("mix(uint64(%s))", x)))
	}
	return append(list, line(fmt.Sprintf("mixS(string(%s[:]))", b)))
}

// halves returns a number made of the bytes at 0 to width-1. It combines two numbers of half as
// many bytes, which are made of bytes or of halves again.
func (g *gen) halves(typ string, width int, high bool, op string, at func(k int) string) string {
	if width == 1 {
		return at(0)
	}
	n := 2
	if width == 4 && g.chance(60) {
		n = 4 // bytes at once
	}
	part := width / n
	terms := make([]string, n)
	for i, k := range g.order(n) {
		place := k
		if high {
			place = n - 1 - k
		}
		of := g.halves(fmt.Sprintf("uint%d", 8*part), part, high, op, func(j int) string { return at(k*part + j) })
		terms[i] = fmt.Sprintf("%s(%s)<<%d", typ, of, 8*part*place)
	}
	return strings.Join(terms, op)
}

// order returns the numbers below n, mostly in one of their natural orders.
func (g *gen) order(n int) []int {
	list := make([]int, n)
	down := g.chance(50)
	for k := range list {
		list[k] = k
		if down {
			list[k] = n - 1 - k
		}
	}
	if g.chance(30) {
		for k := range list {
			j := k + g.n(n-k)
			list[k], list[j] = list[j], list[k]
		}
	}
	return list
}

// Command parser splits expressions into tokens, parses them by recursive
// descent, folds constants and evaluates the trees for many values of the variables. The
// size is the number of expressions.
//
// Usage: parser [size]
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type kind uint8

const (
	end kind = iota
	number
	name
	symbol
)

type token struct {
	kind kind
	text string
	pos  int
}

type lexer struct {
	src string
	at  int
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

func (l *lexer) next() (token, error) {
	for l.at < len(l.src) && (l.src[l.at] == ' ' || l.src[l.at] == '\t') {
		l.at++
	}
	start := l.at
	if start == len(l.src) {
		return token{end, "", start}, nil
	}
	switch c := l.src[l.at]; {
	case digit(c):
		for l.at < len(l.src) && digit(l.src[l.at]) {
			l.at++
		}
		return token{number, l.src[start:l.at], start}, nil
	case letter(c):
		for l.at < len(l.src) && (letter(l.src[l.at]) || digit(l.src[l.at])) {
			l.at++
		}
		return token{name, l.src[start:l.at], start}, nil
	case strings.IndexByte("+-*/%()<>?:,", c) >= 0:
		l.at++
		return token{symbol, l.src[start:l.at], start}, nil
	default:
		return token{}, fmt.Errorf("offset %d: unexpected %q", start, c)
	}
}

// A node is a part of an expression.
type node interface{ eval(env map[string]int) int }

type constant int
type variable string
type unary struct{ x node }
type binary struct {
	op   byte
	x, y node
}
type choice struct{ test, yes, no node }
type invoke struct {
	fn   string
	args []node
}

func (c constant) eval(map[string]int) int     { return int(c) }
func (v variable) eval(env map[string]int) int { return env[string(v)] }
func (u *unary) eval(env map[string]int) int   { return -u.x.eval(env) }

func (b *binary) eval(env map[string]int) int {
	x, y := b.x.eval(env), b.y.eval(env)
	switch b.op {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	case '/':
		if y == 0 {
			return 0
		}
		return x / y
	case '%':
		if y == 0 {
			return x
		}
		return x % y
	case '<':
		if x < y {
			return 1
		}
	case '>':
		if x > y {
			return 1
		}
	}
	return 0
}

func (c *choice) eval(env map[string]int) int {
	if c.test.eval(env) != 0 {
		return c.yes.eval(env)
	}
	return c.no.eval(env)
}

func (i *invoke) eval(env map[string]int) int {
	r := i.args[0].eval(env)
	for _, a := range i.args[1:] {
		if v := a.eval(env); i.fn == "max" {
			r = max(r, v)
		} else {
			r = min(r, v)
		}
	}
	return r
}

type parser struct {
	lex lexer
	tok token
	err error
}

func parse(src string) (node, error) {
	p := &parser{lex: lexer{src: src}}
	p.advance()
	n := p.choice()
	if p.err == nil && p.tok.kind != end {
		p.fail("operator")
	}
	return n, p.err
}

func (p *parser) advance() {
	if p.err == nil {
		p.tok, p.err = p.lex.next()
	}
}

func (p *parser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("offset %d: want %s, got %q", p.tok.pos, want, p.tok.text)
	}
}

func (p *parser) accept(s string) bool {
	if p.err == nil && p.tok.kind == symbol && p.tok.text == s {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.fail(s)
	}
}

func (p *parser) choice() node {
	n := p.level(0)
	if p.accept("?") {
		yes := p.choice()
		p.expect(":")
		return &choice{n, yes, p.choice()}
	}
	return n
}

var levels = []string{"<>", "+-", "*/%"}

func (p *parser) level(i int) node {
	if i == len(levels) {
		return p.operand()
	}
	n := p.level(i + 1)
	for p.err == nil && p.tok.kind == symbol && strings.Contains(levels[i], p.tok.text) {
		op := p.tok.text[0]
		p.advance()
		n = fold(op, n, p.level(i+1))
	}
	return n
}

func fold(op byte, x, y node) node {
	b := &binary{op, x, y}
	if _, ok := x.(constant); ok {
		if _, ok := y.(constant); ok {
			return constant(b.eval(nil))
		}
	}
	return b
}

func (p *parser) operand() node {
	tok := p.tok
	switch {
	case p.err != nil:
		return constant(0)
	case tok.kind == number:
		p.advance()
		v, err := strconv.Atoi(tok.text)
		if err != nil {
			p.err = err
		}
		return constant(v)
	case tok.kind == name:
		p.advance()
		if !p.accept("(") {
			return variable(tok.text)
		}
		call := &invoke{fn: tok.text, args: []node{p.choice()}}
		for p.accept(",") {
			call.args = append(call.args, p.choice())
		}
		p.expect(")")
		return call
	case p.accept("-"):
		return &unary{p.operand()}
	case p.accept("("):
		n := p.choice()
		p.expect(")")
		return n
	}
	p.fail("operand")
	return constant(0)
}

// write writes a random expression.
func write(b *strings.Builder, r *uint32, depth int) {
	*r = *r*1664525 + 1013904223
	x := *r >> 8
	if depth == 0 || x%7 == 0 {
		if x%3 == 0 {
			b.WriteString(strconv.Itoa(int(x >> 8 % 1000)))
		} else {
			b.WriteString([]string{"a", "b", "count", "x1", "limit"}[x>>4%5])
		}
		return
	}
	switch x % 11 {
	case 0, 1:
		b.WriteString("(")
		write(b, r, depth-1)
		b.WriteString(" ? ")
		write(b, r, depth-1)
		b.WriteString(" : ")
		write(b, r, depth-1)
		b.WriteString(")")
	case 2:
		b.WriteString([]string{"max(", "min("}[x>>5&1])
		write(b, r, depth-1)
		b.WriteString(", ")
		write(b, r, depth-1)
		b.WriteString(")")
	case 3:
		b.WriteString("-(")
		write(b, r, depth-1)
		b.WriteString(")")
	default:
		b.WriteString("(")
		write(b, r, depth-1)
		b.WriteByte(' ')
		b.WriteByte("+-*/%<>"[x>>6%7])
		b.WriteByte(' ')
		write(b, r, depth-1)
		b.WriteString(")")
	}
}

var errNone = errors.New("no error")

func main() {
	n := size(5000)
	r := uint32(12345)
	env := map[string]int{}
	sum, length := 0, 0
	last := errNone
	for i := range n {
		var b strings.Builder
		write(&b, &r, 6)
		src := b.String()
		if i%50 == 0 {
			src = src[:len(src)/2] + "$" // which is no token
		}
		length += len(src)
		tree, err := parse(src)
		if err != nil {
			last = err
			sum += len(err.Error())
			continue
		}
		for k := range 8 {
			env["a"], env["b"], env["count"], env["x1"], env["limit"] = k, i-k, i*k, 7-k, i%13
			sum = sum*31 + tree.eval(env)
		}
	}
	fmt.Println(length, sum, last)
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

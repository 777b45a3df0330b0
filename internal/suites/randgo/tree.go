package randgo

import "strings"

// A node is a declaration or statement. It consists of parts, each a head with the statements under
// it, and a closing tail. A simple statement is one part without a body and no tail. The reducer
// drops nodes and parts, and replaces nodes by their bodies.
type node struct {
	parts []part
	tail  string
	keep  bool // must not be dropped: the last return of a function
}

type part struct {
	head text
	body []*node
}

// A text is a sequence of strings and expressions (*expr).
type text []any

// An expr is an expression with its type in the program.
type expr struct {
	typ   *typ
	parts text
	konst bool // a constant for the type checker
}

func line(parts ...any) *node { return &node{parts: []part{{head: parts}}} }

// block is a statement "head { body }".
func block(head text, body []*node) *node {
	return &node{parts: []part{{append(head, " {"), body}}, tail: "}"}
}

func (t text) write(b *strings.Builder) {
	for _, p := range t {
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case *expr:
			p.parts.write(b)
		case text:
			p.write(b)
		}
	}
}

func (n *node) write(b *strings.Builder, indent string) {
	for _, p := range n.parts {
		b.WriteString(indent)
		p.head.write(b)
		b.WriteByte('\n')
		for _, s := range p.body {
			s.write(b, indent+"\t")
		}
	}
	if n.tail != "" {
		b.WriteString(indent + n.tail + "\n")
	}
}

func (e *expr) String() string {
	var b strings.Builder
	e.parts.write(&b)
	return b.String()
}

// A Program is a generated program: the source of a file of package main. In place of a main
// function it has one called Name, and it needs [Prelude].
type Program struct {
	Name string
	// Ends says that the program ends its process: by an unrecovered panic, a runtime error, a
	// deadlock or os.Exit.
	Ends bool

	decls []*node
}

// Source returns the file of the program.
func (p *Program) Source() string {
	var b strings.Builder
	b.WriteString(header)
	for _, d := range p.decls {
		b.WriteByte('\n')
		d.write(&b, "")
	}
	return b.String()
}

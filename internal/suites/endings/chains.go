package endings

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A chain is a random program of functions that call each other and themselves in deferred calls,
// panic, recover and end goroutines. Calls only lead to functions of higher numbers, so that each
// chain ends.
type chain struct {
	*rand.Rand
	b      strings.Builder
	name   string
	k      int // number of the current function
	n      int // number of functions
	left   int // statements that the function may still get
	marks  int // statements that report that they were reached
	indent int
	loops  int // range-over-func loops around the statement, in the same function
}

// newChain writes the chain of a seed as the function chainSEED and its callees.
func newChain(seed uint64) string {
	c := &chain{Rand: rand.New(rand.NewPCG(seed, 35)), name: fmt.Sprintf("chain%d", seed)}
	c.n = 2 + c.IntN(4)
	fmt.Fprintf(&c.b, "func %s() {\n\t%s_0()\n\tpanic(\"end of the chain\")\n}\n\n", c.name, c.name)
	for c.k = range c.n {
		c.left = 3 + c.IntN(8)
		fmt.Fprintf(&c.b, "func %s_%d() {\n", c.name, c.k)
		c.block(c.k > 0 && c.IntN(2) == 0)
		c.b.WriteString("}\n\n")
	}
	return c.b.String()
}

func (c *chain) line(format string, args ...any) {
	c.b.WriteString(strings.Repeat("\t", c.indent))
	fmt.Fprintf(&c.b, format, args...)
	c.b.WriteByte('\n')
}

func (c *chain) mark() int { c.marks++; return c.marks }

// block writes statements one level deeper. A deferred block often recovers.
func (c *chain) block(deferred bool) {
	c.indent++
	for i := 0; i < 1 || c.left > 0 && c.IntN(3) != 0; i++ {
		c.left--
		c.statement(deferred)
	}
	c.indent--
}

// literal writes a function literal between before and after, which call it.
func (c *chain) literal(before, after string, deferred bool) {
	loops := c.loops
	c.loops = 0
	c.line("%sfunc() {", before)
	c.block(deferred)
	c.line("}()%s", after)
	c.loops = loops
}

// ending writes a statement after which execution does not continue.
func (c *chain) ending(text string) { c.line("if one == 1 { %s }", text) }

func (c *chain) statement(deferred bool) {
	if deferred && c.IntN(3) == 0 {
		switch c.IntN(6) {
		case 0:
			c.ending("panic(recover())")
		case 1:
			c.line("func() { println(%d, recover() != nil) }()", c.mark())
		case 2:
			c.line("if recover() != nil { println(%d); panic(%d) }", c.mark(), c.mark())
		default:
			c.line("println(%d, recover() != nil)", c.mark())
		}
		return
	}
	next := func() string {
		if c.k+1 >= c.n {
			return fmt.Sprintf("println(%d)", c.mark())
		}
		return fmt.Sprintf("%s_%d()", c.name, c.k+1+c.IntN(c.n-c.k-1))
	}
	nested := c.left > 0 && c.indent < 6
	switch c.IntN(24) {
	case 0, 1, 2, 3, 4:
		if nested {
			c.literal("defer ", "", true)
			return
		}
	case 5, 6:
		c.line("defer %s", next())
		return
	case 7:
		c.line("defer panic(%d)", c.mark())
		return
	case 8, 9, 10:
		c.line("%s", next())
		return
	case 11, 12:
		if nested {
			c.literal("", "", c.IntN(4) == 0)
			return
		}
	case 13, 14:
		c.ending([]string{
			fmt.Sprintf("panic(%d)", c.mark()), fmt.Sprintf("panic(\"%d\\nlines\")", c.mark()), fmt.Sprintf("panic(plain{told(%d)})", c.mark()),
			fmt.Sprintf("panic(spoken(%d))", c.mark()), "panic(nil)", fmt.Sprintf("panic(wicked(%d))", []int{0, 9, 12, 13}[c.IntN(4)]),
		}[c.IntN(6)])
		return
	case 15:
		c.ending("runtime.Goexit()")
		return
	case 16:
		c.line("%s", []string{"println(nilp.a)", "println(nums[3*one])", "println(one / zero)", "nilm[text] = 1", "nilf()", "println(any1.(string))"}[c.IntN(6)])
		return
	case 17, 18:
		if nested {
			c.line("for i := range upto(%d) {", 1+c.IntN(3))
			c.indent++
			c.line("println(%d, i)", c.mark())
			c.indent--
			c.loops++
			c.block(deferred && c.IntN(2) == 0)
			c.loops--
			if c.IntN(4) == 0 {
				c.indent++
				c.line("%s", []string{"break", "continue", "return"}[c.IntN(3)])
				c.indent--
			}
			c.line("}")
			return
		}
	case 19:
		if nested {
			c.line("for i := range %d {", 2+c.IntN(2))
			c.indent++
			c.line("_ = i")
			c.literal("defer ", "", true)
			c.indent--
			c.line("}")
			return
		}
	case 20:
		if nested && c.IntN(2) == 0 {
			c.line("{")
			c.indent++
			c.line("done := make(chan int)")
			loops := c.loops
			c.loops = 0
			c.line("go func() {")
			c.line("\tdefer close(done)")
			c.block(false)
			c.line("}()")
			c.loops = loops
			c.line("<-done")
			c.indent--
			c.line("}")
			return
		}
	case 21:
		if c.IntN(3) == 0 {
			c.line("stacks()")
			return
		}
	case 22:
		if c.IntN(8) == 0 {
			c.line("caseUnlock()")
			return
		}
	case 23:
		if c.loops > 0 {
			c.ending([]string{"break", "continue", "return"}[c.IntN(3)])
			return
		}
	}
	c.line("println(%d)", c.mark())
}

// chains writes a file of the program with the chains of n seeds, starting with first, and returns
// their names.
func chains(first uint64, n int) (text string, names []string) {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"runtime\"\n\nvar _ = runtime.Goexit\n\n")
	for seed := first; seed < first+uint64(n); seed++ {
		b.WriteString(newChain(seed))
		names = append(names, fmt.Sprintf("chain%d", seed))
	}
	return b.String(), names
}

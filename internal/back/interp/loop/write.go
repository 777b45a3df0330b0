package loop

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/back/bytecode"
)

// Go returns the source of the loops.
func Go() ([]byte, error) { return generate(sources) }

// generate returns the source of the loops that files describe.
//
// Each mode is a function with the code of all operations in it, so that no loop tests its mode. A
// type parameter cannot do that: Go has no constants that depend on one, except unsafe.Sizeof.
func generate(files fs.FS) ([]byte, error) {
	p, err := parse(files)
	if err != nil {
		return nil, err
	}
	cases, err := p.cases()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(`// Code generated from loop/*.ops by loop/gen. DO NOT EDIT.

package interp

import (
	"math"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
)
`)
	for _, m := range p.modes {
		if err := p.function(&b, m, cases); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.defs)) {
		if d := p.defs[name]; !d.used {
			return nil, fmt.Errorf("%s: nothing uses %s", d.at, name)
		}
	}
	return format.Source(b.Bytes())
}

// function writes the loop of a mode.
func (p *program) function(b *bytes.Buffer, m *mode, cases []code) error {
	x := &expander{defs: p.defs}
	begin, err1 := x.expand(m.begin)
	each, err2 := x.expand(m.each)
	access, err3 := x.expand(m.access)
	end, err4 := x.expand(m.end)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	var bodies strings.Builder
	for _, c := range cases {
		lines := c.lines
		if c.accesses {
			lines = slices.Concat(access, lines)
		}
		fmt.Fprintf(&bodies, "case bytecode.%s:\n%s\n", strings.Join(c.names, ", bytecode."), strings.Join(lines, "\n"))
	}
	fmt.Fprintf(b, `
// run%[1]s is the loop that %[2]s.
//
//go:nocheckptr
//go:norace
func run%[1]s(_ uintptr, m *Machine) (why exit) {
	pc := pointer(m.pc)
	fp := pointer(m.fp)
	base := m.Base
	gas := m.Gas
	%[3]s
loop:
	for {
		w := *(*uint64)(pc)
		pc = unsafe.Add(pc, 8)
		%[4]s
		switch bytecode.Op(uint16(w)) {
		%[5]s
		default:
			why = exitSlow
			break loop
		}
	}
	m.pc = uintptr(pc)
	m.fp = uintptr(fp)
	m.Gas = gas
	%[6]s
	return why
}
`, m.name, m.does, strings.Join(begin, "\n"), strings.Join(each, "\n"), bodies.String(), strings.Join(end, "\n"))
	return nil
}

// A code is a case of the switch.
type code struct {
	names    []string // of its operations
	lines    []string
	accesses bool // it accesses guest memory
}

var guestMemory = regexp.MustCompile(`\bbase\b`)

// cases returns the cases of the switch, in the order of the table in package bytecode.
func (p *program) cases() ([]code, error) {
	byName := map[string]*operation{}
	for _, o := range p.ops {
		for _, name := range o.names {
			key := strings.ToLower(name)
			if other := byName[key]; other != nil {
				return nil, fmt.Errorf("%s: %s has code already, at %s", o.at, name, other.at)
			}
			byName[key] = o
		}
	}
	var cases []code
	done := map[*operation]bool{}
	for op := range bytecode.NumOps {
		name := bytecode.Ops[op].Name
		o := byName[name]
		delete(byName, name)
		switch {
		case op >= bytecode.FirstSlow:
			if o != nil {
				return nil, fmt.Errorf("%s: the loop leaves %s to a Go function (bytecode.FirstSlow)", o.at, name)
			}
			continue
		case o == nil:
			return nil, fmt.Errorf("no code for %s, operation %d of package bytecode", name, op)
		}
		f := newForm(name, bytecode.Ops[op])
		x := &expander{defs: p.defs, form: f}
		lines, err := x.expand(o.body)
		if err == nil {
			err = f.complete()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.at, err)
		}
		if !done[o] {
			done[o] = true
			cases = append(cases, code{o.names, lines, guestMemory.MatchString(strings.Join(lines, "\n"))})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		return nil, fmt.Errorf("%s: no operation of package bytecode is called %s", byName[name].at, name)
	}
	return cases, nil
}

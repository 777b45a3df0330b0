package listing

import (
	"fmt"
	"io"
	"regexp"

	"github.com/gyrvm/gyr/internal/ir"
)

// Passes collects the IR of functions after each pass. The compiler reports it while it compiles a
// program (opt.Options.Dump).
type Passes struct {
	// Match selects functions. All also keeps passes that changed nothing.
	Match *regexp.Regexp
	All   bool

	funcs map[*ir.Func]*passText
}

type passText struct {
	last  string
	text  []byte
	count int
}

// Dump takes a function as a pass left it, or as it is when a phase begins.
func (p *Passes) Dump(pass string, f *ir.Func) {
	if !p.Match.MatchString(f.Name) {
		return
	}
	if p.funcs == nil {
		p.funcs = map[*ir.Func]*passText{}
	}
	t := p.funcs[f]
	if t == nil {
		t = &passText{}
		p.funcs[f] = t
	}
	text := f.String()
	switch {
	case text != t.last:
		t.count++
		t.text = fmt.Appendf(t.text, "# %d: %s after %s\n%s\n", t.count, f.Name, pass, text)
	case p.All:
		t.text = fmt.Appendf(t.text, "# %s after %s: no change\n\n", f.Name, pass)
	}
	t.last = text
}

// Print writes what was collected of a function.
func (p *Passes) Print(w io.Writer, f *ir.Func) error {
	if t := p.funcs[f]; t != nil {
		_, err := w.Write(t.text)
		return err
	}
	return nil
}

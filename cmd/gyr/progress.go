package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progressDelay is how long a compilation runs before its stage is shown.
const progressDelay = time.Second

// A progressLine shows the stage of a long compilation on one line of a terminal, and wipes the
// line at the end.
type progressLine struct {
	w       io.Writer
	timer   *time.Timer
	columns func() int // of the terminal; 0 if unknown

	mu    sync.Mutex
	now   string
	shown bool
	done  bool
}

func newProgressLine(w io.Writer, delay time.Duration) *progressLine {
	p := &progressLine{w: w, columns: stderrColumns}
	p.timer = time.AfterFunc(delay, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.done {
			p.shown = true
			if p.now != "" {
				p.print()
			}
		}
	})
	return p
}

// print shows the stage on one line: what does not fit is left out, since a terminal would wrap it
// and keep its beginning.
func (p *progressLine) print() {
	text := []rune("gyr: " + p.now + "…")
	if n := p.columns() - 1; n > 0 && len(text) > n {
		text = append(text[:n-1], '…')
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", string(text))
}

// stderrColumns is the width of the terminal that standard error is; 0 if it is none.
func stderrColumns() int {
	n, _, err := term.GetSize(int(os.Stderr.Fd()))
	if err != nil {
		return 0
	}
	return n
}

// stage reports the current stage of the compilation.
func (p *progressLine) stage(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = name
	if p.shown && !p.done {
		p.print()
	}
}

// around returns a writer to w that removes the line during each write.
func (p *progressLine) around(w io.Writer) io.Writer { return aroundLine{p, w} }

type aroundLine struct {
	p *progressLine
	w io.Writer
}

func (a aroundLine) Write(b []byte) (int, error) {
	p := a.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown && !p.done {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	n, err := a.w.Write(b)
	if p.shown && !p.done && len(b) > 0 && b[len(b)-1] == '\n' {
		p.print()
	}
	return n, err
}

// stop wipes the line; nothing is shown after that.
func (p *progressLine) stop() {
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown && !p.done {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.done = true
}

// isTerminal reports whether a file is a terminal: a character device other than the null device.
func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}

//go:build !race

package probe

// The race detector is right about these: the probe reads an object's memory without its lock.

import (
	"bytes"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// A desk has goroutines: one for each letter, and one that files all notes and never ends.
type desk struct {
	mu    sync.Mutex
	last  []byte
	notes chan string
	filed []string
}

func newDesk() *desk {
	d := &desk{notes: make(chan string)}
	go func() {
		for n := range d.notes {
			d.mu.Lock()
			d.filed = append(d.filed, n)
			d.mu.Unlock()
		}
	}()
	return d
}

func (d *desk) Letter(text []byte) {
	text = bytes.Clone(text)
	go func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.last = text
	}()
}

func (d *desk) Note(text string) {
	if d.notes != nil {
		d.notes <- text
	}
}

func (d *desk) Last() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return string(d.last)
}

func (d *desk) Filed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.filed)
}

// TestSettled: the work of goroutines between two calls is done before the second one, with any
// number of processors.
func TestSettled(t *testing.T) {
	process.home = reflect.TypeOf(desk{}).PkgPath()
	defer func() { process.home = "" }()
	w := &worker{pkg: &Package{
		Functions: map[string]any{"newDesk": newDesk, "(*desk).Letter": (*desk).Letter, "(*desk).Note": (*desk).Note,
			"(*desk).Last": (*desk).Last, "(*desk).Filed": (*desk).Filed},
		Types: []any{(*desk)(nil)},
	}}
	all := w.sequences("type desk", 48)
	text := fmt.Sprint(all.Cases)
	if len(all.Cases) < 20 || !strings.Contains(text, ".(*desk).Letter(") || !strings.Contains(text, "newDesk(") {
		t.Fatalf("%d cases: %.300s", len(all.Cases), text)
	}
	for _, processors := range []int{1, 2, 1, 2} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		other := w.sequences("type desk", 48)
		for i := range min(len(all.Cases), len(other.Cases)) {
			if all.Cases[i] != other.Cases[i] {
				t.Fatalf("with %d processors, another answer:\n%+v\n%+v", processors, all.Cases[i], other.Cases[i])
			}
		}
	}
}

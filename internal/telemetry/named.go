package telemetry

import (
	"maps"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

const (
	// MaxNames is how many names of one sort an exporter keeps apart.
	MaxNames = 1000
	// MaxName is the longest name that it keeps, in bytes.
	MaxName = 200
	// Other stands for all other names. No exported function has this name.
	Other = "other"
)

// Known returns a name, or Other if it is longer than MaxName or no UTF-8. An untrusted image may
// have any bytes for a name.
func Known(name string) string {
	if len(name) > MaxName || !utf8.ValidString(name) {
		return Other
	}
	return name
}

// Named keeps a value for each of the first MaxNames names that it is asked for, and one for all
// other names. The zero value is ready for use, by any number of goroutines. For a name that
// has its value Get takes no lock and makes no allocation.
type Named[T any] struct {
	values atomic.Pointer[map[string]T] // never changed: a new name makes a new map
	mu     sync.Mutex                   // held for that
}

// Get returns the value for a name. The first Get of a name has it made, with the name or Other. The
// function must not call Get.
func (n *Named[T]) Get(name string, make func(name string) T) T {
	if v, ok := n.find(name); ok {
		return v
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if v, ok := n.find(name); ok {
		return v
	}
	values := map[string]T{}
	if old := n.values.Load(); old != nil {
		values = maps.Clone(*old)
	}
	if name = Known(name); len(values) >= MaxNames {
		name = Other
	}
	v := make(name)
	values[name] = v
	n.values.Store(&values)
	return v
}

// find returns the value for a name, if there is one.
func (n *Named[T]) find(name string) (v T, ok bool) {
	values := n.values.Load()
	if values == nil {
		return v, false
	}
	if v, ok = (*values)[name]; !ok && (len(*values) >= MaxNames || Known(name) == Other) {
		v, ok = (*values)[Other]
	}
	return v, ok
}

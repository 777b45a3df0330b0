package pprof

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Labels of goroutines: the runtime keeps a pointer to a labelMap a goroutine.

func runtime_setProfLabel(labels unsafe.Pointer)
func runtime_getProfLabel() unsafe.Pointer

type label struct{ key, value string }

// A LabelSet is a set of labels.
type LabelSet struct {
	list []label // sorted by key, keys differ
}

type labelContextKey struct{}

// A labelMap is the value of a context that has labels.
type labelMap struct {
	LabelSet
}

// String returns the labels, sorted.
func (m *labelMap) String() string {
	if m == nil {
		return ""
	}
	var list []string
	for _, l := range m.list {
		list = append(list, strconv.Quote(l.key)+":"+strconv.Quote(l.value))
	}
	slices.Sort(list)
	return "{" + strings.Join(list, ", ") + "}"
}

func labelsOf(ctx context.Context) []label {
	set, _ := ctx.Value(labelContextKey{}).(*labelMap)
	if set == nil {
		return nil
	}
	return set.list
}

// Labels takes an even number of strings representing key-value pairs and makes
// a [LabelSet] containing them. A label overwrites a prior label with the same key.
func Labels(args ...string) LabelSet {
	if len(args)%2 != 0 {
		panic("uneven number of arguments to pprof.Labels")
	}
	list := make([]label, 0, len(args)/2)
	for i := 0; i < len(args); i += 2 {
		list = append(list, label{args[i], args[i+1]})
	}
	return LabelSet{normalize(list)}
}

// normalize sorts the list; of labels with the same key the last remains.
func normalize(list []label) []label {
	slices.SortStableFunc(list, func(a, b label) int { return cmp.Compare(a.key, b.key) })
	out := list[:0]
	for i, l := range list {
		if i+1 == len(list) || list[i+1].key != l.key {
			out = append(out, l)
		}
	}
	return out
}

// WithLabels returns a new [context.Context] with the given labels added.
func WithLabels(ctx context.Context, labels LabelSet) context.Context {
	list := append(slices.Clone(labelsOf(ctx)), labels.list...)
	return context.WithValue(ctx, labelContextKey{}, &labelMap{LabelSet{normalize(list)}})
}

// SetGoroutineLabels sets the current goroutine's labels to match ctx.
func SetGoroutineLabels(ctx context.Context) {
	set, _ := ctx.Value(labelContextKey{}).(*labelMap)
	runtime_setProfLabel(unsafe.Pointer(set))
}

// Do calls f with a copy of the parent context with the given labels added to the
// parent's label map. Goroutines spawned while executing f inherit the labels.
func Do(ctx context.Context, labels LabelSet, f func(context.Context)) {
	old := runtime_getProfLabel()
	defer runtime_setProfLabel(old)
	ctx = WithLabels(ctx, labels)
	SetGoroutineLabels(ctx)
	f(ctx)
}

// Label returns the value of the label with the given key on ctx, and a boolean
// indicating whether that label exists.
func Label(ctx context.Context, key string) (string, bool) {
	for _, l := range labelsOf(ctx) {
		if l.key == key {
			return l.value, true
		}
	}
	return "", false
}

// ForLabels invokes f with each label set on the context, until it returns false.
func ForLabels(ctx context.Context, f func(key, value string) bool) {
	for _, l := range labelsOf(ctx) {
		if !f(l.key, l.value) {
			return
		}
	}
}

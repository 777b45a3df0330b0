//go:build go1.17

package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"time"
)

// What callers pass may fail: a function panics, a writer takes only so many bytes, a reader ends
// with an error or gives a byte at a time, a context ends. A version that drops an error, or that no
// longer recovers, is right as long as nothing fails.

const (
	failingTime = time.Second // for a function
	mostFailing = 128
)

var errMade = errors.New("made to fail")

// A failingWriter takes so many bytes.
type failingWriter struct {
	got  bytes.Buffer
	room int
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if len(b) <= w.room {
		w.room -= len(b)
		return w.got.Write(b)
	}
	n, _ := w.got.Write(b[:w.room])
	w.room = 0
	return n, errMade
}

// A failingReader gives a text in steps, and then an error. With together the last step and the
// error come at once.
type failingReader struct {
	text     string
	step, at int
	end      error
	together bool
}

func (r *failingReader) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), r.step)], r.text[r.at:])
	if r.at += n; r.at == len(r.text) && (n == 0 && len(b) > 0 || r.together) {
		return n, r.end
	}
	return n, nil
}

// String does not tell how much was read: a version may read ahead.
func (r *failingReader) String() string {
	return fmt.Sprintf("reader of %q, %d at a time, then %v", r.text, r.step, r.end)
}

// An endingContext ends when the functions of a case were called so often, or ended before.
type endingContext struct {
	context.Context
	how string
}

// An ender ends the context of a case.
type ender struct {
	mu   sync.Mutex
	left int // calls
	end  func()
}

// called notes the call of a function of the case. Without a context that it ends it takes no lock, which
// would order the calls of several goroutines and hide their races.
func (e *ender) called() {
	if e.end == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.left--; e.left == 0 {
		e.end()
	}
}

func (m *maker) ending() *endingContext {
	ctx, end := context.WithCancel(context.Background())
	calls := m.rng.Intn(4)
	if calls == 0 {
		end()
	}
	m.ender.left, m.ender.end = calls, end
	return &endingContext{ctx, fmt.Sprintf("context that ends after %d calls", calls)}
}

var ending = reflect.TypeOf((*endingContext)(nil))

var failingIn, failingOut = reflect.TypeOf((*failingReader)(nil)), reflect.TypeOf((*failingWriter)(nil))

// ofProbe reports whether a type is that of a reader, writer or context that the probe makes.
func ofProbe(t reflect.Type) bool {
	return t == streamIn || t == streamOut || t == failingIn || t == failingOut || t == ending
}

// canFail reports whether values of a type may hold what fails.
func canFail(t reflect.Type, d int) bool {
	if d > depth {
		return false
	}
	switch t.Kind() {
	case reflect.Func:
		return true
	case reflect.Interface:
		return t == readerType || t == writerType || t == contextType
	case reflect.Slice, reflect.Array, reflect.Map, reflect.Ptr:
		return canFail(t.Elem(), d+1)
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			if t.Field(i).PkgPath == "" && canFail(t.Field(i).Type, d+1) {
				return true
			}
		}
	}
	return false
}

// fails fills a variable with something that fails, if its type has such values.
func (m *maker) fails(v reflect.Value) bool {
	if !m.failing || m.rng.Intn(3) == 0 {
		return false
	}
	switch {
	case v.Type() == writerType:
		v.Set(reflect.ValueOf(&failingWriter{room: m.rng.Intn(40)}))
	case v.Type() == readerType:
		r := &failingReader{text: m.text(), step: 1 + m.rng.Intn(3)*m.rng.Intn(5), end: io.EOF, together: m.rng.Intn(3) == 0}
		if m.rng.Intn(2) == 0 {
			r.end = errMade
		}
		v.Set(reflect.ValueOf(r))
	case v.Type() == contextType:
		v.Set(reflect.ValueOf(m.ending()))
	case v.Kind() == reflect.Func && m.rng.Intn(2) == 0:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { panic("made to fail") }))
	default:
		return false
	}
	return true
}

// failsFirst is for a function with an error as last result. It reports whether a call is the first one
// with its arguments, which fails; nil if it does not depend on that. A version that keeps an error is
// right as long as calls fail always.
func (m *maker) failsFirst(t reflect.Type) func(args string) bool {
	if !m.flaky || t.NumOut() == 0 || t.Out(t.NumOut()-1) != errorType {
		return nil
	}
	var mu sync.Mutex
	called := map[string]bool{}
	return func(args string) bool {
		mu.Lock()
		defer mu.Unlock()
		was := called[args]
		called[args] = true
		return !was
	}
}

// around is a text with a key of the case's maps between a letter of the sources and its counterpart.
func (m *maker) around(key string) string {
	var short []string
	for _, s := range m.w.order.Strings {
		if len(s) == 1 {
			short = append(short, s)
		}
	}
	if len(short) == 0 {
		return key
	}
	open := short[m.rng.Intn(len(short))]
	end, ok := closing[open]
	if !ok {
		end = open
	}
	return m.text() + open + key + end
}

// closing are the second halves of pairs.
var closing = map[string]string{"{": "}", "(": ")", "[": "]", "<": ">"}

// failing calls a function with arguments that fail: those of tests and benchmarks with others in the
// place of what can fail, and random ones.
func (w *worker) failing(r *Report, c *callee) {
	f := c.f.Type()
	able := false
	for i := 0; i < f.NumIn(); i++ {
		able = able || canFail(f.In(i), 0)
	}
	if !able {
		r.Unsupported = "nothing that it takes can fail"
		return
	}
	m := w.maker(c.name)
	m.failing = true
	allowed := newBudget(failingTime)
	for i := 0; i < w.limit(r.Name, mostFailing) && allowed.left(); i++ {
		w.enter(r.Name)
		m.begin(i)
		m.letters = w.someLetters(m.rng)
		var list []reflect.Value
		place := "random"
		if n := len(c.origins); n > 0 && i%2 == 0 {
			list = cloneAll(c.origins[i/2%n])
			place = placed("with ", c.place(i/2%n))
			for _, v := range list {
				if canFail(v.Type(), 0) {
					m.fill(v, 0, false)
				}
			}
		} else {
			for k := 0; k < f.NumIn(); k++ {
				if t := f.In(k); !m.makeable(t, 0) && !(c.method && k == 0) {
					return
				}
				v := reflect.New(f.In(k)).Elem()
				m.fill(v, 0, c.method && k == 0)
				list = append(list, v)
			}
		}
		for _, v := range list {
			if v.Kind() == reflect.String && len(m.keys) > 0 && m.rng.Intn(2) == 0 {
				v.SetString(m.around(m.keys[m.rng.Intn(len(m.keys))]))
			}
		}
		key, told := keyOf(place, list)
		if !told {
			continue
		}
		before, out := fmt.Sprintf("case %d, %s", i, key), notCalled
		if !w.misused(r.Name, before) {
			out = clip(invoke(c.name, c.f, list, c.method, c.rest).out)
		}
		r.Cases = append(r.Cases, Case{before, out})
	}
}

//go:build go1.17

package probe

import (
	"math/rand"
	"reflect"
	"sync/atomic"
	"time"
)

// What an object calls may call the object: a listener adds another one, a loader asks the cache for
// something else. A version that holds a lock during such calls, or that reads a list which they
// change, is right as long as they only answer. In every eighth sequence of a type the functions that
// were passed call a method each.

// waitsForItself is the result of a call that waits for a lock that its caller holds. In the parent it
// is misuse.
const waitsForItself = runtimePanic + ": does not come to an end when a function that it calls calls a method"

// mostBlocked bounds the calls of a type that wait for themselves. Each takes some time.
const mostBlocked = 2

// callsBack lets functions of this case call methods of the object, until end is called. A function that
// runs within such a call only answers.
func (m *maker) callsBack(object reflect.Value, t reflect.Type, methods []string) (end func()) {
	inner := *m
	inner.rng = rand.New(rand.NewSource(m.rng.Int63()))
	inner.texts, inner.ender = nil, &ender{}
	var inside, over int32
	m.within = func() {
		if atomic.LoadInt32(&over) != 0 || !atomic.CompareAndSwapInt32(&inside, 0, 1) {
			return
		}
		defer atomic.StoreInt32(&inside, 0)
		if object.IsNil() {
			return // the constructor calls
		}
		f := reflect.ValueOf(m.w.pkg.Functions[methods[inner.rng.Intn(len(methods))]])
		plainly(f, inner.filled(f.Type(), t, object))
	}
	return func() { atomic.StoreInt32(&over, 1) }
}

// takesFunctions reports whether a function may be called with functions.
func takesFunctions(f reflect.Type) bool {
	for i := 0; i < f.NumIn(); i++ {
		if f.In(i).Kind() == reflect.Func {
			return true
		}
	}
	return false
}

// awaited makes a call in which functions call methods. It does not wait for a call that waits for
// itself.
func awaited(call func() *called) *called {
	done := make(chan *called, 1)
	go func() { done <- call() }()
	allowed := newBudget(blockedTime)
	for {
		select {
		case c := <-done:
			return c
		case <-time.After(blockedTime / 20):
		}
		if allowed.blocked() {
			return nil
		}
	}
}

package ir

import (
	"slices"
	"sync/atomic"
)

// The functions of a module are numbered: those of its base come first, and function 0 does not
// exist. A program that runs from a cache uses few of the thousands in the standard library. So a
// module that was read from a trusted image makes each function on first use.

// lateFuncs makes the functions of a module one by one.
type lateFuncs struct {
	made []atomic.Pointer[Func] // by number, without the base's
	read func(i int) *Func      // makes function i
	sig  SigOf
}

// NumFuncs returns how many functions there are, the base's and function 0 included.
func (m *Module) NumFuncs() int {
	n := 0
	for ; m != nil; m = m.Base {
		n += m.numOwn()
	}
	return n
}

func (m *Module) numOwn() int {
	if m.lateFuncs != nil {
		return len(m.lateFuncs.made)
	}
	return len(m.own)
}

// Func returns the function with a number below NumFuncs: nil for number 0, and for a function that
// an incomplete module lacks. Several goroutines may call it at once.
func (m *Module) Func(i int) *Func {
	for first := m.FirstOwn(); ; first -= m.numOwn() {
		if i >= first {
			return m.ownFunc(i - first)
		}
		m = m.Base
	}
}

// ownFunc returns function i of those that are not the base's.
func (m *Module) ownFunc(i int) *Func {
	l := m.lateFuncs
	if l == nil {
		return m.own[i]
	}
	f := l.made[i].Load()
	if f == nil && (i > 0 || m.Base != nil) {
		if f = l.read(i); !l.made[i].CompareAndSwap(nil, f) {
			f = l.made[i].Load()
		}
	}
	return f
}

// Funcs returns all functions by number, in a new list. It makes those that nobody has used yet.
func (m *Module) Funcs() []*Func {
	list := make([]*Func, 0, m.NumFuncs())
	var chain []*Module
	for ; m != nil; m = m.Base {
		chain = append(chain, m)
	}
	for _, m := range slices.Backward(chain) {
		for i := range m.numOwn() {
			list = append(list, m.ownFunc(i))
		}
	}
	return list
}

// Own returns the functions that are not the base's.
func (m *Module) Own() []*Func {
	list := m.own
	if l := m.lateFuncs; l != nil {
		list = make([]*Func, len(l.made))
		for i := range list {
			list[i] = m.ownFunc(i)
		}
	}
	if m.Base == nil && len(list) > 0 {
		list = list[1:]
	}
	return list
}

// AddFunc adds a function to a module whose functions are all made, and sets the function's number
// and module.
func (m *Module) AddFunc(f *Func) {
	if m.Base == nil && len(m.own) == 0 {
		m.own = append(m.own, nil)
	}
	f.Index, f.Module = int32(m.NumFuncs()), m
	m.own = append(m.own, f)
}

// SetFuncs replaces the functions that are not the base's. Without a base the first one is nil.
func (m *Module) SetFuncs(own []*Func) { m.own, m.lateFuncs = own, nil }

// SigOf returns the signature of a function, its SigIndex, and how it may be called by value,
// without making the function.
type SigOf func(i int) (sig *Sig, number int32, called ByValue)

// ByValue says how a function may be called by value.
type ByValue uint8

const (
	WithItsOwn  ByValue = iota // with its own signature
	WithAny                    // with any signature
	ByNameAlone                // not at all
)

// CalledAs returns how a function with these flags may be called by value.
func CalledAs(flags FuncFlags) ByValue {
	switch {
	case flags&(MakeFuncStub|AnySignature) != 0:
		return WithAny
	case flags&ByName != 0:
		return ByNameAlone
	}
	return WithItsOwn
}

// SetLateFuncs gives a module n functions after its base's. read makes a function on first use.
// read and sig get the number without the base's functions, without a base never 0. Several
// goroutines may call them at once.
func (m *Module) SetLateFuncs(n int, read func(i int) *Func, sig SigOf) {
	m.own, m.lateFuncs = nil, &lateFuncs{made: make([]atomic.Pointer[Func], n), read: read, sig: sig}
}

// InBase reports whether a function of the module is one of its base's.
func (m *Module) InBase(f *Func) bool { return int(f.Index) < m.FirstOwn() }

// FirstOwn returns the number of the first function that is not the base's: 0 without a base.
func (m *Module) FirstOwn() int {
	if m.Base == nil {
		return 0
	}
	return m.Base.NumFuncs()
}

package ir

import (
	"fmt"
	"sync"
)

// SigNumbers give signatures numbers, from 1 on. Tiers compare them when a function value is
// called. A base's come first in the numbers of all programs on it. Once such a program exists the
// base gets no more of them, since another program may have taken the next one for another
// signature. They are safe for concurrent use.
type SigNumbers struct {
	base  *SigNumbers
	first uint32 // the last number of the base

	mu    sync.Mutex
	ids   map[string]uint32 // by Sig.Key
	fixed bool

	of     *Module // see Know
	listed []uint32
}

// NewSigNumbers makes numbers that begin after those of a base; base may be nil.
func NewSigNumbers(base *SigNumbers) *SigNumbers {
	s := &SigNumbers{base: base, ids: map[string]uint32{}}
	if base != nil {
		base.mu.Lock()
		base.fixed = true
		s.first = base.first + uint32(len(base.ids))
		base.mu.Unlock()
	}
	return s
}

// Of returns the number of a signature. It panics if the signature is new and no number can be
// given any more.
func (s *SigNumbers) Of(sig *Sig) uint32 {
	k := sig.Key()
	if id := s.base.fixedID(k); id != 0 {
		return id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.ids[k]
	if id == 0 {
		if s.fixed {
			panic(fmt.Sprintf("signature %s is not among Module.Sigs", k))
		}
		id = s.first + uint32(len(s.ids)) + 1
		s.ids[k] = id
	}
	return id
}

// Know numbers the signatures of a module that others continue; OfFunc then finds them by
// Func.SigIndex. It must be called before any other use of the numbers.
func (s *SigNumbers) Know(m *Module) {
	s.listed = make([]uint32, len(m.Sigs))
	for i := range m.Sigs {
		s.listed[i] = s.Of(&m.Sigs[i])
	}
	s.of = m
}

// BadSig is the number of no signature: it stands for functions that no call by value may name.
const BadSig = 0

// OfFunc returns the number that calls of f are checked against. all is the number of functions
// that any call may name.
func (s *SigNumbers) OfFunc(f *Func, all uint32) uint32 {
	switch CalledAs(f.Flags) {
	case WithAny:
		return all
	case ByNameAlone:
		return BadSig
	}
	if i := int(f.SigIndex) - 1; i >= 0 && f.Module == s.of && i < len(s.listed) {
		return s.listed[i]
	}
	return s.Of(&f.Sig)
}

// Fill writes the numbers that calls of a module's functions are checked against, without those of
// the base: BadSig for a missing function, and all for those that any call may name. It does not
// make functions that were not used yet.
func (s *SigNumbers) Fill(m *Module, all uint32, to []uint32) {
	l := m.lateFuncs
	if l == nil {
		for i, f := range m.own {
			if to[i] = BadSig; f != nil {
				to[i] = s.OfFunc(f, all)
			}
		}
		return
	}
	first := 0
	if m.Base == nil {
		first, to[0] = 1, BadSig
	}
	for i := first; i < len(l.made); i++ {
		switch sig, number, called := l.sig(i); {
		case called == WithAny:
			to[i] = all
		case called == ByNameAlone:
			to[i] = BadSig
		case m == s.of && number > 0 && int(number) <= len(s.listed):
			to[i] = s.listed[number-1]
		default:
			to[i] = s.Of(sig)
		}
	}
}

// fixedID returns the number of a signature that s or a base of it has, 0 if none has. The numbers
// are fixed: they do not change any more. s may be nil.
func (s *SigNumbers) fixedID(key string) uint32 {
	for ; s != nil; s = s.base {
		if id := s.ids[key]; id != 0 {
			return id
		}
	}
	return 0
}

// Keys returns the keys of the signatures whose numbers are not the base's, in the order of the
// numbers.
func (s *SigNumbers) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := make([]string, len(s.ids))
	for k, id := range s.ids {
		keys[id-1-s.first] = k
	}
	return keys
}

// Count returns how many signatures Keys returns, and First the number before them: the base's last
// one, 0 without a base.
func (s *SigNumbers) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ids)
}

func (s *SigNumbers) First() uint32 { return s.first }

// Restore gives the signatures with these keys their numbers in the order of Keys. It reports
// whether it can: no signature may have two numbers, and no number may be missing.
func (s *SigNumbers) Restore(keys []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[string]bool, len(keys))
	for i, k := range keys {
		id := s.ids[k]
		switch {
		case seen[k], s.base.fixedID(k) != 0:
			return false
		case id == 0 && (s.fixed || i < len(s.ids)), id != 0 && id != s.first+uint32(i)+1:
			return false
		}
		seen[k] = true
	}
	for i, k := range keys {
		if s.ids[k] == 0 {
			s.ids[k] = s.first + uint32(i) + 1
		}
	}
	return true
}

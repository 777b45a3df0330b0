// Package pprof is gyr's replacement of runtime/pprof. Profiles of guest code
// are taken by the host, which measures without disturbing: the predefined
// profiles but that of goroutines are empty here, and CPU profiling records nothing. Profiles that the
// program makes itself and labels work.
package pprof

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A Profile is a collection of stack traces showing the call sequences
// that led to instances of a particular event.
type Profile struct {
	name  string
	mu    sync.Mutex
	m     map[any][]uintptr
	count func() int // of a predefined profile
}

var profiles struct {
	sync.Mutex
	m map[string]*Profile
}

func lockProfiles() {
	profiles.Lock()
	if profiles.m == nil {
		none := func() int { return 0 }
		profiles.m = map[string]*Profile{
			"goroutine":    {name: "goroutine", count: runtime.NumGoroutine},
			"threadcreate": {name: "threadcreate", count: none},
			"heap":         {name: "heap", count: none},
			"allocs":       {name: "allocs", count: none},
			"block":        {name: "block", count: none},
			"mutex":        {name: "mutex", count: none},
		}
	}
}

// NewProfile creates a new profile with the given name. It panics if one exists.
func NewProfile(name string) *Profile {
	lockProfiles()
	defer profiles.Unlock()
	if name == "" {
		panic("pprof: NewProfile with empty name")
	}
	if profiles.m[name] != nil {
		panic("pprof: NewProfile name already in use: " + name)
	}
	p := &Profile{name: name, m: map[any][]uintptr{}}
	profiles.m[name] = p
	return p
}

// Lookup returns the profile with the given name, or nil.
func Lookup(name string) *Profile {
	lockProfiles()
	defer profiles.Unlock()
	return profiles.m[name]
}

// Profiles returns all known profiles, sorted by name.
func Profiles() []*Profile {
	lockProfiles()
	defer profiles.Unlock()
	all := make([]*Profile, 0, len(profiles.m))
	for _, p := range profiles.m {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Profile) int { return cmp.Compare(a.name, b.name) })
	return all
}

// Name returns this profile's name.
func (p *Profile) Name() string { return p.name }

// Count returns the number of execution stacks currently in the profile.
func (p *Profile) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count != nil {
		return p.count()
	}
	return len(p.m)
}

// Add adds the current execution stack to the profile, associated with value.
func (p *Profile) Add(value any, skip int) {
	if p.name == "" {
		panic("pprof: use of uninitialized Profile")
	}
	if p.count != nil {
		panic("pprof: Add called on built-in Profile")
	}
	stk := make([]uintptr, 32)
	stk = stk[:runtime.Callers(skip+2, stk)]
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m[value] != nil {
		panic("pprof: Profile.Add of duplicate value")
	}
	p.m[value] = stk
}

// Remove removes the execution stack associated with value from the profile.
func (p *Profile) Remove(value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.m, value)
}

// WriteTo writes a snapshot of the profile to w: with debug 0 as the pprof tool reads it, otherwise as
// a text. That has the stacks with their numbers, the most frequent first, and for the goroutine
// profile with debug 2 a traceback of all goroutines.
func (p *Profile) WriteTo(w io.Writer, debug int) error {
	if p.name == "" {
		panic("pprof: use of zero Profile")
	}
	if p.name == "goroutine" && debug >= 2 {
		buf := make([]byte, 64<<10)
		for {
			n := runtime.Stack(buf, true)
			if n < len(buf) || len(buf) >= 64<<20 {
				_, err := w.Write(buf[:n])
				return err
			}
			buf = make([]byte, 2*len(buf))
		}
	}
	stacks := p.stacks()
	if debug == 0 {
		return writeProto(w, p.name, counted(stacks))
	}
	if _, err := fmt.Fprintf(w, "%s profile: total %d\n", p.name, len(stacks)); err != nil {
		return err
	}
	return writeStacks(w, counted(stacks))
}

// stacks returns the execution stacks in the profile.
func (p *Profile) stacks() (all [][]uintptr) {
	if p.name == "goroutine" {
		records := make([]runtime.StackRecord, runtime.NumGoroutine())
		n, ok := runtime.GoroutineProfile(records)
		for !ok {
			records = make([]runtime.StackRecord, n)
			n, ok = runtime.GoroutineProfile(records)
		}
		for i := range records[:n] {
			all = append(all, records[i].Stack())
		}
		return all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, stk := range p.m {
		all = append(all, stk)
	}
	return all
}

// A stackCount is how many there are of a stack.
type stackCount struct {
	n     int
	key   string // its text
	stack []uintptr
}

// counted returns each stack once, the most frequent first.
func counted(all [][]uintptr) (list []stackCount) {
	index := map[string]int{}
	for _, stk := range all {
		key := "@"
		for _, pc := range stk {
			key += fmt.Sprintf(" %#x", pc)
		}
		i, ok := index[key]
		if !ok {
			i = len(list)
			index[key] = i
			list = append(list, stackCount{key: key, stack: stk})
		}
		list[i].n++
	}
	slices.SortFunc(list, func(a, b stackCount) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.key, b.key)) })
	return list
}

// writeStacks writes stacks as a text.
func writeStacks(w io.Writer, all []stackCount) error {
	for _, s := range all {
		if _, err := fmt.Fprintf(w, "%d %s\n%s\n", s.n, s.key, frames(s.stack, false)); err != nil {
			return err
		}
	}
	return nil
}

// frames returns the lines of a stack, without functions of the runtime at its top unless there are no others or all are
// asked for.
func frames(stk []uintptr, all bool) (text string) {
	list := runtime.CallersFrames(stk)
	for more := len(stk) > 0; more; {
		var f runtime.Frame
		f, more = list.Next()
		if text == "" && !all && strings.HasPrefix(f.Function, "runtime.") {
			continue
		}
		text += fmt.Sprintf("#\t%#x\t%s+%#x\t%s:%d\n", f.PC, f.Function, f.PC-f.Entry, f.File, f.Line)
	}
	if text == "" && !all {
		return frames(stk, true)
	}
	return text
}

// WriteHeapProfile is shorthand for Lookup("heap").WriteTo(w, 0).
func WriteHeapProfile(w io.Writer) error { return Lookup("heap").WriteTo(w, 0) }

var cpuProfiling struct {
	sync.Mutex
	on bool
}

// StartCPUProfile starts a profile that stays empty: the host profiles guests.
func StartCPUProfile(w io.Writer) error {
	cpuProfiling.Lock()
	defer cpuProfiling.Unlock()
	if cpuProfiling.on {
		return errors.New("cpu profiling already in use")
	}
	cpuProfiling.on = true
	return nil
}

// StopCPUProfile stops the current CPU profile, if any.
func StopCPUProfile() {
	cpuProfiling.Lock()
	defer cpuProfiling.Unlock()
	cpuProfiling.on = false
}

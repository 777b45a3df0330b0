package probe

import (
	"reflect"
	"sync"
	"testing"
)

// Tables that calls make.
var (
	lazyTable  []int
	lazyAtOnce []int
	lazyOnce   sync.Once
)

func fromTable(i int) int {
	if lazyTable == nil {
		lazyTable = []int{1, 2, 3}
	}
	return lazyTable[i%3]
}

func fromTableOnce(i int) int {
	lazyOnce.Do(func() { lazyAtOnce = []int{1, 2, 3} })
	return lazyAtOnce[i%3]
}

// TestCold: variables that calls have changed get their first values, and what belongs together
// does so together.
func TestCold(t *testing.T) {
	w := &worker{pkg: &Package{State: map[string]interface{}{"lazyTable": &lazyTable, "lazyAtOnce": &lazyAtOnce, "lazyOnce": &lazyOnce}}}
	lazyTable, lazyAtOnce, lazyOnce = nil, nil, sync.Once{}
	w.remember()
	fromTable(1)
	fromTableOnce(1)
	undo := w.cold()
	if lazyTable != nil || lazyAtOnce != nil {
		t.Error("the tables are still there")
	}
	if fromTableOnce(1) != 2 {
		t.Error("the table is not made again")
	}
	undo()
	if lazyTable == nil || lazyAtOnce == nil {
		t.Error("the tables are not back")
	}
	r := examineWith(w, (*worker).concurrent, "fromTableOnce", fromTableOnce, 1)
	if r.Calls == 0 || r.Races != "" {
		t.Errorf("%d calls, %s", r.Calls, r.Races)
	}
}

// A counts has a method that reads it and one that does not only read it.
type counts struct{ n, total int }

func (c *counts) read() int { return c.n }

func (c *counts) count() int {
	c.total += c.n
	return c.n
}

// TestTogether: goroutines share a receiver if the parent's method only reads it.
func TestTogether(t *testing.T) {
	w := &worker{pkg: &Package{}}
	parent := examineWith(w, (*worker).concurrent, "(*counts).count", (*counts).read, &counts{n: 2})
	if !parent.Together || parent.Calls == 0 {
		t.Errorf("together %v, %d calls", parent.Together, parent.Calls)
	}
	alone := examineWith(w, (*worker).concurrent, "(*counts).count", (*counts).count, &counts{n: 2})
	if alone.Together || alone.Calls != 0 || alone.Unsupported == "" {
		t.Errorf("a method that writes is called: %+v", alone)
	}
}

// A wordList can only be changed by its method.
type wordList struct{ words []string }

func (l *wordList) Add(word string) { l.words = append(l.words, word) }
func (l *wordList) Len() int        { return len(l.words) }

var noWords = &wordList{}

// TestChangedByMethods: a result that all callers share shows when one of them changes it by a
// method.
func TestChangedByMethods(t *testing.T) {
	process.home = reflect.TypeOf(wordList{}).PkgPath()
	w := &worker{pkg: &Package{Functions: map[string]interface{}{"(*wordList).Add": (*wordList).Add, "(*wordList).Len": (*wordList).Len}}}
	one := examineWith(w, (*worker).disturbed, "newList", func(string) *wordList { return &wordList{} }, "x")
	all := examineWith(w, (*worker).disturbed, "newList", func(string) *wordList { return noWords }, "x")
	differ := len(one.Cases) != len(all.Cases)
	for i := range one.Cases {
		differ = differ || one.Cases[i].Out != all.Cases[i].Out
	}
	if !differ {
		t.Error("a shared list does not show")
	}
}

// examineWith runs a part of a worker for a function with one input.
func examineWith(w *worker, part func(*worker, *Report, *callee), name string, f, input interface{}) *Report {
	process.home = reflect.TypeOf(leaf{}).PkgPath()
	v := reflect.New(reflect.TypeOf(input)).Elem()
	v.Set(reflect.ValueOf(input))
	r := &Report{Name: Concurrent + " " + name}
	part(w, r, &callee{name: name, f: reflect.ValueOf(f), method: name[0] == '(', benches: 1, rest: newSettler(), origins: [][]reflect.Value{{v}}})
	return r
}

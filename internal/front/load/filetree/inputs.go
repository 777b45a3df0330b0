package filetree

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Inputs records everything that a load read from a file system: contents, listings, and missing
// files. A load with the same Options finds the same program as long as [Check] finds all of them
// the same.
//
// The environment, the Go installation's place and release, and the overlay are not included: see
// package gomod.
type Inputs struct {
	mu sync.Mutex
	m  map[inputKey]*Input
}

type inputKey struct {
	kind InputKind
	name string
}

// InputKind is a kind of read.
type InputKind uint8

const (
	InputFile   InputKind = iota // the contents of a file
	InputList                    // the names and types in a directory
	InputGoList                  // the same, but only names that matter for loading a package: sources
	InputType                    // file, directory or missing; symbolic links are followed
	InputLink                    // the same, without following a link
	numInputKinds
)

// An Input is one read and its result.
type Input struct {
	Kind  InputKind
	Name  string   // absolute, or a path in Options.FS
	FS    bool     // in Options.FS, not in the file system of the machine
	Stamp Stamp    // of the file or directory when it was read
	Sum   [32]byte // of the result
}

// A Stamp identifies the state in which a file was, without reading the file. The zero Stamp
// identifies no state.
type Stamp struct {
	Size         int64
	MTime, CTime int64 // nanoseconds since 1970; CTime and Inode are 0 where the system has none
	Inode        uint64
}

// racy is the age from which a Stamp distinguishes a change from the next one. File systems count
// time in steps of up to two seconds.
const racy = 2 * time.Second

// StampOf returns the stamp of a file at the time now. It is zero if the file may change again
// without a change of its stamp.
func StampOf(info fs.FileInfo, now time.Time) Stamp {
	s := Stamp{Size: info.Size(), MTime: info.ModTime().UnixNano()}
	s.CTime, s.Inode = changeOf(info)
	return s.settled(now)
}

// settled returns s, or the zero Stamp if s is too young at the time now.
func (s Stamp) settled(now time.Time) Stamp {
	if since := now.UnixNano() - max(s.MTime, s.CTime); since < int64(racy) {
		return Stamp{}
	}
	return s
}

// add records a result, unless the same read was recorded before: the load uses the first result.
func (in *Inputs) add(i Input) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.m == nil {
		in.m = map[inputKey]*Input{}
	}
	k := inputKey{i.Kind, i.Name}
	switch old := in.m[k]; {
	case old == nil:
		in.m[k] = &i
	case old.Sum != i.Sum:
		old.Sum, old.Stamp = unstable, Stamp{} // the file changed during the load
	}
}

// unstable is the sum of a read that gave two results: nothing equals it.
var unstable = sha256.Sum256([]byte("changed while it was loaded"))

// Merge adds the inputs of other.
func (in *Inputs) Merge(other *Inputs) {
	for _, i := range other.List() {
		in.add(i)
	}
}

// List returns the inputs, sorted.
func (in *Inputs) List() []Input {
	in.mu.Lock()
	defer in.mu.Unlock()
	list := make([]Input, 0, len(in.m))
	for _, i := range in.m {
		list = append(list, *i)
	}
	slices.SortFunc(list, func(a, b Input) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return int(a.Kind) - int(b.Kind)
	})
	return list
}

// Check reports whether all reads still have the same results; fsys is the present value of
// Options.FS. If a stamp does not show that nothing has changed, Check reads again and renews the
// stamp. renewed reports whether it renewed any.
//
// Sorted lists ([Inputs.List]) take the least time.
func Check(inputs []Input, fsys fs.FS) (same, renewed bool) {
	c := newChecker(inputs, fsys)
	defer c.close()
	for i := range inputs {
		in := &inputs[i]
		old := in.Stamp
		if !c.check(in) {
			return false, false
		}
		renewed = renewed || in.Stamp != old
	}
	return true, renewed
}

// A checker checks inputs, one after the other.
type checker struct {
	fs  fs.FS     // Options.FS
	now time.Time // the time of the first check; for later checks it makes stamps seem younger, not older
	asker

	name string // of the last request, whose state is in last
	last state
}

// A state has the facts that the checker needs about a file or directory, with symbolic links
// followed.
type state struct {
	typ   [32]byte // see typeSum
	stamp Stamp    // zero: none
}

func newChecker(inputs []Input, fsys fs.FS) *checker {
	c := &checker{fs: fsys, now: time.Now()}
	c.open(commonDir(inputs))
	return c
}

// manyInputs is the number of inputs from which opening their common directory takes less time than
// finding it for each.
const manyInputs = 32

// commonDir returns the common directory of the first and the last of many inputs, with a final
// separator. It returns "" for few inputs, or if they have no such directory.
func commonDir(inputs []Input) string {
	if len(inputs) < manyInputs {
		return ""
	}
	a, b := inputs[0].Name, inputs[len(inputs)-1].Name
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	dir := a[:n]
	for dir != "" && !os.IsPathSeparator(dir[len(dir)-1]) {
		dir = dir[:len(dir)-1]
	}
	return dir
}

// check is Check for one input.
func (c *checker) check(i *Input) bool {
	if i.Kind >= numInputKinds || i.FS && c.fs == nil {
		return false
	}
	var t Tree
	if i.FS {
		t.FS = c.fs
	}
	var stamp Stamp
	switch {
	case i.Kind == InputType && !i.FS:
		return i.Sum == c.state(i.Name).typ
	case i.Kind == InputType || i.Kind == InputLink:
		return i.Sum == typeSum(t.question(i.Kind, i.Name))
	case !i.FS:
		if stamp = c.state(i.Name).stamp; stamp == i.Stamp && stamp != (Stamp{}) {
			return true
		}
	}
	var sum [32]byte
	if i.Kind == InputFile {
		sum = contentSum(t.RawFile(i.Name, maxEmbedded))
	} else {
		list, err := t.RawDir(i.Name)
		sum = listSum(i.Kind, list, err)
	}
	i.Stamp = stamp
	return sum == i.Sum
}

// state returns the state of a file or directory of the machine.
func (c *checker) state(name string) state {
	if name == c.name && name != "" {
		return c.last
	}
	s, ok := c.ask(name, c.now)
	if !ok {
		info, err := os.Stat(name)
		s = state{typ: typeSum(info, err)}
		if err == nil {
			s.stamp = StampOf(info, c.now)
		}
	}
	c.name, c.last = name, s
	return s
}

// failed is the sum of a read that failed.
var failed = sha256.Sum256([]byte("not there"))

func contentSum(data []byte, err error) [32]byte {
	if err != nil {
		return failed
	}
	return sha256.Sum256(data)
}

func listSum(kind InputKind, list []fs.DirEntry, err error) [32]byte {
	if err != nil {
		return failed
	}
	var b []byte
	for _, e := range list {
		if kind == InputGoList && !isSource(e.Name()) {
			continue
		}
		b = append(b, e.Name()...)
		b = append(b, 0, typeLetter(e.Type()))
	}
	return sha256.Sum256(b)
}

// ForeignExt has the extensions of sources that only the gc toolchain or a C compiler could build.
// Headers alone are harmless.
var ForeignExt = map[string]bool{
	".s": true, ".S": true, ".sx": true, ".c": true, ".cc": true, ".cpp": true, ".cxx": true,
	".m": true, ".f": true, ".F": true, ".for": true, ".f90": true, ".swig": true, ".swigcxx": true, ".syso": true,
}

// isSource reports whether files of that name matter for loading a package.
func isSource(name string) bool {
	i := strings.LastIndexByte(name, '.')
	return i >= 0 && (name[i:] == ".go" || ForeignExt[name[i:]])
}

func typeLetter(m fs.FileMode) byte {
	switch {
	case m.IsDir():
		return 'd'
	case m.IsRegular():
		return 'f'
	case m&fs.ModeSymlink != 0:
		return 'l'
	}
	return 'o'
}

func typeSum(info fs.FileInfo, err error) [32]byte {
	if err != nil {
		return failed
	}
	return [32]byte{typeLetter(info.Mode())}
}

// record returns the function that records a result. It must be called before the read.
func (t Tree) record(kind InputKind, name string) func(sum [32]byte) {
	if t.Rec == nil {
		return func([32]byte) {}
	}
	i := Input{Kind: kind, Name: name, FS: t.FS != nil}
	if t.FS == nil && kind <= InputGoList {
		now := time.Now()
		if info, err := os.Stat(name); err == nil {
			i.Stamp = StampOf(info, now)
		}
	}
	return func(sum [32]byte) {
		i.Sum = sum
		t.Rec.add(i)
	}
}

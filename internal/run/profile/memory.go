package profile

import (
	"io"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Memory counts the objects of a run by the context that allocated them. It
// is not safe for concurrent use.
type Memory struct {
	tree    *Tree
	index   map[bucketKey]uint32
	buckets []bucket
	live    []object // not freed by a collection yet
	before  Objects
}

// Objects are a number of objects and their bytes.
type Objects struct{ Count, Bytes uint64 }

func (o *Objects) minus(p Objects) {
	o.Count -= min(o.Count, p.Count)
	o.Bytes -= min(o.Bytes, p.Bytes)
}

type bucketKey struct {
	node *Node
	pos  ir.Pos
}

type bucket struct {
	bucketKey
	allocs, frees Objects
}

// An object was allocated and is not freed.
type object struct {
	addr   uint32
	words  uint32 // size
	bucket uint32
}

// NewMemory makes an empty record over the contexts of t. before are the objects that the heap
// allocated earlier.
func NewMemory(t *Tree, before Objects) *Memory {
	return &Memory{tree: t, index: map[bucketKey]uint32{}, before: before}
}

// Alloc counts an object of size bytes, rounded up to words of 8 as in the
// heap's figures, that was allocated at pos in the function of n.
func (m *Memory) Alloc(n *Node, pos ir.Pos, addr uint32, size uint64) {
	k := bucketKey{n, pos}
	i, ok := m.index[k]
	if !ok {
		i = uint32(len(m.buckets))
		m.index[k] = i
		m.buckets = append(m.buckets, bucket{bucketKey: k})
	}
	words := (size + 7) / 8
	b := &m.buckets[i]
	b.allocs.Count++
	b.allocs.Bytes += words * 8
	m.live = append(m.live, object{addr, uint32(words), i})
}

// Sweep counts the objects that a collection frees: those whose addresses reached does not accept.
func (m *Memory) Sweep(reached func(addr uint32) bool) {
	n := 0
	for _, o := range m.live {
		if reached(o.addr) {
			m.live[n] = o
			n++
			continue
		}
		b := &m.buckets[o.bucket]
		b.frees.Count++
		b.frees.Bytes += uint64(o.words) * 8
	}
	m.live = m.live[:n]
}

// Write writes the profile of memory: objects and bytes allocated, and the part that no collection
// has freed. inUse are the heap's figures of that part. Frames of the runtime that allocate for the
// program are left out. Earlier allocations have a frame of their own.
func (m *Memory) Write(w io.Writer, inUse Objects) error {
	e := newEncoder(m.tree.mod,
		valueType{"alloc_objects", "count"}, valueType{"alloc_space", "bytes"},
		valueType{"inuse_objects", "count"}, valueType{"inuse_space", "bytes"})
	e.p.period, e.p.every = valueType{"space", "bytes"}, 1
	e.p.byDefault = "alloc_space"
	for i := range m.buckets {
		b := &m.buckets[i]
		e.begin()
		e.add(b.node.Func, b.pos)
		e.context(b.node)
		e.dropRuntime()
		live := b.allocs
		live.minus(b.frees)
		inUse.minus(live)
		e.end("", int64(b.allocs.Count), int64(b.allocs.Bytes), int64(live.Count), int64(live.Bytes))
	}
	if m.before.Count > 0 {
		e.begin()
		e.pseudo("[snapshot]")
		e.end("", int64(m.before.Count), int64(m.before.Bytes), int64(inUse.Count), int64(inUse.Bytes))
	}
	return e.p.write(w)
}

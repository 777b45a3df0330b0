package decode

import (
	"encoding/binary"
	"maps"
	"slices"
	"sort"
)

// A Table is an encoded map from strings to numbers. Nothing is decoded before a string is looked
// up. The keys are stored one after the other in ascending order. Each key has two numbers: its
// end, and its value. A damaged Table lacks keys and does no other harm. A Table is immutable.
type Table struct {
	keys, numbers []byte
}

// TableOf returns a table with the contents of a map.
func TableOf[T int32 | uint32](m map[string]T) (t Table) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		t.keys = append(t.keys, k...)
		t.numbers = binary.LittleEndian.AppendUint32(t.numbers, uint32(len(t.keys)))
		t.numbers = binary.LittleEndian.AppendUint32(t.numbers, uint32(m[k]))
	}
	return t
}

// Append appends the table in the form that [Reader.Table] reads.
func (t Table) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(t.Len()))
	b = append(b, t.numbers...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.keys)))
	return append(b, t.keys...)
}

// Table reads a table. It remains a part of B.
func (r *Reader) Table() Table {
	numbers := r.Bytes(8 * uint64(r.Count(8)))
	return Table{numbers: numbers, keys: r.Bytes(uint64(r.U32()))}
}

// Len returns the number of keys.
func (t Table) Len() int { return len(t.numbers) / 8 }

// Get returns the value of a key.
func (t Table) Get(key string) (n uint32, ok bool) {
	i, ok := sort.Find(t.Len(), func(i int) int {
		switch k := t.key(i); {
		case key < string(k): // does not copy
			return -1
		case key == string(k):
			return 0
		}
		return 1
	})
	if ok {
		n = t.number(2*i + 1)
	}
	return n, ok
}

// key returns key i.
func (t Table) key(i int) []byte {
	start, end := uint32(0), t.number(2*i)
	if i > 0 {
		start = t.number(2*i - 2)
	}
	if start > end || uint64(end) > uint64(len(t.keys)) {
		return nil
	}
	return t.keys[start:end]
}

func (t Table) number(i int) uint32 { return binary.LittleEndian.Uint32(t.numbers[4*i:]) }

package plan

import (
	"encoding/binary"

	"github.com/gyrvm/gyr/internal/back/native/arena"
)

// A Label is a place in the code, bound once.
type Label int32

// A Buffer is code that is being written, with its labels. The zero value is ready to use; Reset
// restores it and keeps the memory.
type Buffer struct {
	Buf    []byte
	Leads  bool    // the next instruction begins a block: a label is here, or the one before may lead elsewhere
	labels []int32 // offset, or unbound
	tables []wordTable
	tally  tally
}

// A wordTable is data for instructions, which name it by a label. It follows the code.
type wordTable struct {
	label Label
	words []uint64
}

const unbound = -1

// Reset empties the buffer.
func (b *Buffer) Reset() {
	b.Buf, b.labels, b.Leads = arena.Kept(b.Buf), arena.Kept(b.labels), false
	b.tables, b.tally = b.tables[:0], tally{}
}

// Code returns the buffer itself: it implements Assembler.Code for what embeds it.
func (b *Buffer) Code() *Buffer { return b }

// Pos returns the offset of the next instruction.
func (b *Buffer) Pos() int { return len(b.Buf) }

// NewLabel makes a label that is not bound yet.
func (b *Buffer) NewLabel() Label {
	b.labels = append(b.labels, unbound)
	return Label(len(b.labels) - 1)
}

// Bind binds a label here.
func (b *Buffer) Bind(l Label) {
	if b.labels[l] != unbound {
		panic("plan: label bound twice")
	}
	b.labels[l] = int32(len(b.Buf))
	b.Leads = true
}

// Bound reports whether a label is bound.
func (b *Buffer) Bound(l Label) bool { return b.labels[l] != unbound }

// Offset returns the offset of a bound label.
func (b *Buffer) Offset(l Label) int { return int(b.labels[l]) }

// Fill appends bytes until the length is a multiple of n.
func (b *Buffer) Fill(n int, with byte) {
	for len(b.Buf)%n != 0 {
		b.Buf = append(b.Buf, with)
	}
}

// WordTable returns the label of words that follow the code.
func (b *Buffer) WordTable(words ...uint64) Label {
	l := b.NewLabel()
	b.tables = append(b.tables, wordTable{l, words})
	return l
}

// writeTables appends the tables. trap fills the space before them.
func (b *Buffer) writeTables(trap byte) {
	for _, t := range b.tables {
		b.Fill(16, trap)
		b.Bind(t.label)
		for _, w := range t.words {
			b.Buf = binary.LittleEndian.AppendUint64(b.Buf, w)
		}
	}
	b.tables = b.tables[:0]
}

package state

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Chunks.
//
// A chunk is a range of pages with the proof that they are those of the state, so that a receiver
// who knows the root checks each chunk when it arrives, from whomever and in any order. The chunk of
// page 0 has the sections.
//
//	"gyr chunk 1\n"  root  hash of all sections  first page  page after the last
//	only from page 0 on: number of sections, and of each: length and bytes of its name, length and bytes of its content
//	for each page that is not zeros: its distance from the previous one, and its content as in a File
//	0
//	for each subtree outside of the range, as large as possible, by ascending addresses: 0 for zeros, or 1 and its hash
//
// Numbers are uvarints. The previous page of the first one is the page before the range.

const chunkMagic = "gyr chunk 1\n"

// WriteChunks writes a state in chunks of about size bytes, in the order of their pages. page
// returns the content of a page, nil for zeros. write gets each chunk, and may keep it. Equal states
// and sizes give equal chunks.
func WriteChunks(tree *Tree, sections []Section, size int, page func(number uint32) ([]byte, error), write func(chunk []byte) error) error {
	hashes, err := HashSections(sections)
	if err != nil {
		return err
	}
	record := hashRecord(hashes)
	root := rootOf(tree.Hash(), record)
	w := &chunkWriter{tree: tree, root: root, record: record, sections: sections, write: write, last: -1}
	var none Tree
	var failed error
	err = Diff(&none, tree, func(n uint32) bool {
		b, err := page(n)
		if err == nil && b != nil && len(b) != PageSize {
			err = fmt.Errorf("%d bytes instead of %d", len(b), PageSize)
		}
		if err != nil {
			failed = &PageError{n, err}
			return false
		}
		if len(w.pages) >= size {
			if failed = w.flush(n); failed != nil {
				return false
			}
		}
		w.pages = binary.AppendUvarint(w.pages, uint64(int64(n)-w.last))
		w.pages, w.last = appendPage(w.pages, b), int64(n)
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	return w.flush(Pages)
}

// A chunkWriter is a call of WriteChunks.
type chunkWriter struct {
	tree         *Tree
	root, record Hash
	sections     []Section
	write        func([]byte) error

	first uint32 // page of the chunk that is made
	last  int64  // page that was added last
	pages []byte
}

// flush writes the chunk of the pages up to one, which is not in it.
func (w *chunkWriter) flush(end uint32) error {
	b := append([]byte(chunkMagic), w.root[:]...)
	b = append(b, w.record[:]...)
	b = binary.AppendUvarint(b, uint64(w.first))
	b = binary.AppendUvarint(b, uint64(end))
	if w.first == 0 {
		b = appendSections(b, w.sections)
	}
	b = append(append(b, w.pages...), 0)
	var beside func(level int, index uint32, n *node, hash Hash) error
	beside = func(level int, index uint32, n *node, hash Hash) (err error) {
		switch placeOf(level, index, w.first, end) {
		case within:
			return nil
		case outside:
			if hash == zeros[level] {
				b = append(b, 0)
			} else {
				b = append(append(b, 1), hash[:]...)
			}
			return nil
		}
		if n, err = fetch(w.tree.source, level, index, n, hash); err != nil {
			return err
		}
		for i := range n.hash {
			if err := beside(level-1, index<<fanBits|uint32(i), n.below[i], n.hash[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := beside(levels, 0, w.tree.top, w.tree.Hash()); err != nil {
		return err
	}
	w.first, w.last, w.pages = end, int64(end)-1, nil
	return w.write(b)
}

// appendSections appends sections as files and chunks have them.
func appendSections(b []byte, sections []Section) []byte {
	b = binary.AppendUvarint(b, uint64(len(sections)))
	for _, s := range sections {
		b = binary.AppendUvarint(b, uint64(len(s.Name)))
		b = append(b, s.Name...)
		b = binary.AppendUvarint(b, uint64(len(s.Content)))
		b = append(b, s.Content...)
	}
	return b
}

const (
	outside = iota
	within
	across
)

// placeOf says where the pages of a subtree lie, as against a range.
func placeOf(level int, index, first, end uint32) int {
	lo, hi := uint64(index)<<(level*fanBits), (uint64(index)+1)<<(level*fanBits)
	switch {
	case hi <= uint64(first) || lo >= uint64(end):
		return outside
	case lo >= uint64(first) && hi <= uint64(end):
		return within
	}
	return across
}

// Chunks are the parts of a state that have arrived. Its methods are for one goroutine at a time.
type Chunks struct {
	root  Hash
	file  File
	parts []pageRange // ascending, apart from each other
	done  bool        // sections are there
}

// A pageRange is the pages from first to end, which is not in it.
type pageRange struct{ first, end uint32 }

// NewChunks returns a collection of the chunks of a state with a root. Only the root needs to be
// trusted.
func NewChunks(root Hash) *Chunks {
	return &Chunks{root: root, file: File{root: root, pages: map[uint32]*[PageSize]byte{}}}
}

// Add adds a chunk, in any order. It checks the chunk against the root. After an error, a
// [*FileError], nothing has changed. To add a chunk again changes nothing.
func (c *Chunks) Add(chunk []byte) error {
	k, err := openChunk(c.root, chunk)
	if err != nil {
		return err
	}
	if k.first == 0 {
		c.file.sections, c.done = k.sections, true
	}
	for _, p := range k.pages {
		c.file.pages[p.Number] = (*[PageSize]byte)(p.Content)
	}
	parts := append(c.parts, pageRange{k.first, k.end})
	slices.SortFunc(parts, func(a, b pageRange) int { return cmp.Compare(a.first, b.first) })
	c.parts = parts[:1]
	for _, r := range parts[1:] {
		if l := &c.parts[len(c.parts)-1]; r.first <= l.end {
			l.end = max(l.end, r.end)
		} else {
			c.parts = append(c.parts, r)
		}
	}
	return nil
}

// Missing returns the first pages that no chunk has had, and whether there are any.
func (c *Chunks) Missing() (first, end uint32, any bool) {
	switch {
	case len(c.parts) == 0:
		return 0, Pages, true
	case c.parts[0].first > 0:
		return 0, c.parts[0].first, true
	case c.parts[0].end == Pages:
		return 0, 0, false
	case len(c.parts) > 1:
		return c.parts[0].end, c.parts[1].first, true
	}
	return c.parts[0].end, Pages, true
}

// File returns the state when all chunks are there. No chunk may be added afterwards.
func (c *Chunks) File() (*File, error) {
	if first, end, any := c.Missing(); any {
		return nil, &FileError{"chunks", fmt.Errorf("pages %d to %d are missing", first, end-1)}
	}
	f := c.file
	var pages []Page
	for n, b := range f.pages {
		pages = append(pages, Page{n, b[:]})
	}
	slices.SortFunc(pages, func(a, b Page) int { return cmp.Compare(a.Number, b.Number) })
	if err := f.tree.Update(pages); err != nil {
		return nil, &FileError{"tree", err}
	}
	hashes, err := HashSections(f.sections)
	if err == nil && Root(f.tree.Hash(), hashes) != f.root {
		err = ErrDamaged
	}
	if err != nil {
		return nil, &FileError{"root", err}
	}
	return &f, nil
}

// An openedChunk is a chunk that was checked.
type openedChunk struct {
	first, end uint32
	sections   []Section
	pages      []Page
}

var errOtherState = errors.New("it is a chunk of another state")

// openChunk reads a chunk and checks it against a root.
func openChunk(root Hash, b []byte) (*openedChunk, error) {
	wrong := func(what string, err error) (*openedChunk, error) { return nil, &FileError{"chunk: " + what, err} }
	if len(b) < len(chunkMagic)+2*sha256.Size || string(b[:len(chunkMagic)]) != chunkMagic {
		return wrong("head", errors.New("the bytes are no chunk of this version"))
	}
	b = b[len(chunkMagic):]
	if got := Hash(b[:sha256.Size]); got != root {
		return wrong("root", fmt.Errorf("%w, whose root is %v", errOtherState, got))
	}
	record := Hash(b[sha256.Size : 2*sha256.Size])
	in := bufio.NewReader(bytes.NewReader(b[2*sha256.Size:]))
	first, err1 := binary.ReadUvarint(in)
	end, err2 := binary.ReadUvarint(in)
	if err := cmp.Or(cut(err1), cut(err2)); err != nil || first >= end || end > Pages {
		return wrong("head", cmp.Or(err, errOrder))
	}
	k := &openedChunk{first: uint32(first), end: uint32(end)}
	if first == 0 {
		f := &File{}
		if err := f.readSections(in); err != nil {
			return wrong("sections", err)
		}
		hashes, err := HashSections(f.sections)
		if err == nil && hashRecord(hashes) != record {
			err = ErrDamaged
		}
		if err != nil {
			return wrong("sections", err)
		}
		k.sections = f.sections
	}
	for at := int64(first) - 1; ; {
		step, err := binary.ReadUvarint(in)
		if err != nil {
			return wrong("pages", cut(err))
		}
		if step == 0 {
			break
		}
		if step > Pages || at+int64(step) >= int64(end) {
			return wrong("pages", errOrder)
		}
		at += int64(step)
		page, err := readPage(in, true)
		if err == nil && page == nil {
			err = errZeros
		}
		if err != nil {
			return wrong(fmt.Sprint("page ", at), err)
		}
		k.pages = append(k.pages, Page{uint32(at), page[:]})
	}
	tree, err := k.hash(in)
	if err == nil {
		if _, more := in.ReadByte(); more != io.EOF {
			err = errors.New("bytes follow")
		}
	}
	if err == nil && rootOf(tree, record) != root {
		err = ErrDamaged
	}
	if err != nil {
		return wrong("proof", err)
	}
	return k, nil
}

// hash returns the hash of the tree: of the chunk's pages, and the subtrees beside them.
func (k *openedChunk) hash(in *bufio.Reader) (Hash, error) {
	var buffer pageBuffer
	pages := k.pages
	var of func(level int, index uint32) (Hash, error)
	of = func(level int, index uint32) (h Hash, err error) {
		place := placeOf(level, index, k.first, k.end)
		if place == outside {
			switch kind, err := in.ReadByte(); {
			case err != nil:
				return h, cut(err)
			case kind == 0:
				return zeros[level], nil
			case kind != 1:
				return h, errHead
			}
			if _, err := io.ReadFull(in, h[:]); err != nil {
				return h, cut(err)
			}
			if h == zeros[level] {
				return h, errZeros
			}
			return h, nil
		}
		if place == within && (len(pages) == 0 || pages[0].Number>>(level*fanBits) != index) {
			return zeros[level], nil
		}
		if level == 0 {
			h = buffer.hash(pages[0].Content)
			pages = pages[1:]
			return h, nil
		}
		var parts [Fanout]Hash
		for i := range parts {
			if parts[i], err = of(level-1, index<<fanBits|uint32(i)); err != nil {
				return h, err
			}
		}
		return HashNode(&parts), nil
	}
	return of(levels, 0)
}

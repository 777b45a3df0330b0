package state

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A File is a state in one piece, for a wire or a disk: whole, or as the difference from an earlier
// one. Equal states have equal bytes. [Read] checks the content against the root in the file. A
// reader that knows the root from elsewhere compares it.
//
//	"gyr state 2\n"  root  hash of the tree of the state that it continues, or of zeros
//	number of sections, and of each: length and bytes of its name, length and bytes of its content
//	for each page that differs: distance from the page before (the first: from page -1), its content as in code.go
//	0
//
// Numbers are uvarints. Files of version 1, which have pages in full, are read too. A File is
// immutable; several goroutines may use it.
type File struct {
	root     Hash
	tree     Tree
	sections []Section
	pages    map[uint32]*[PageSize]byte // those that are not zero
}

const (
	fileMagic  = "gyr state 2\n"
	fileMagic1 = "gyr state 1\n" // without codes
)

// A FileError says which part of a state's bytes is wrong.
type FileError struct {
	What string // "head", "section 3", "page 17", "root"
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("state: %s: %v", e.What, e.Err) }
func (e *FileError) Unwrap() error { return e.Err }

var (
	errHead  = errors.New("the bytes are no state of this version")
	errBase  = errors.New("the state continues another one than was given")
	errOrder = errors.New("it does not stand in order")
)

// Write writes a state: its difference from the tree base, or all of it if base is nil. page
// returns the content of a page, nil for zeros.
func Write(w io.Writer, base, tree *Tree, sections []Section, page func(number uint32) ([]byte, error)) error {
	hashes, err := HashSections(sections)
	if err != nil {
		return err
	}
	if base == nil {
		base = &Tree{}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	number := func(v uint64) { out.Write(binary.AppendUvarint(nil, v)) } // out keeps the first error
	root, from := Root(tree.Hash(), hashes), base.Hash()
	out.WriteString(fileMagic)
	out.Write(root[:])
	out.Write(from[:])
	out.Write(appendSections(nil, sections))
	last := int64(-1)
	var buf []byte
	var failed error
	err = Diff(base, tree, func(n uint32) bool {
		var b []byte
		if b, failed = page(n); failed == nil && b != nil && len(b) != PageSize {
			failed = fmt.Errorf("%d bytes instead of %d", len(b), PageSize)
		}
		if failed != nil {
			failed = &PageError{n, failed}
			return false
		}
		number(uint64(int64(n) - last))
		last = int64(n)
		buf = appendPage(buf[:0], b)
		out.Write(buf)
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	number(0)
	return out.Flush()
}

// These limit what Read accepts from untrusted bytes before it has seen as many.
const (
	maxSections = 1 << 8
	maxSection  = 1 << 30
)

// Read reads a state. base is the state that it continues, nil if it is whole. The error is a
// [*FileError], possibly around an error of the reader.
func Read(r io.Reader, base *File) (*File, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var head [len(fileMagic) + 2*sha256.Size]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, &FileError{"head", cut(err)}
	}
	f := &File{root: Hash(head[len(fileMagic):]), pages: map[uint32]*[PageSize]byte{}}
	magic := string(head[:len(fileMagic)])
	if magic != fileMagic && magic != fileMagic1 {
		return nil, &FileError{"head", errHead}
	}
	if base != nil {
		f.tree = base.tree
		maps.Copy(f.pages, base.pages)
	}
	if f.tree.Hash() != Hash(head[len(fileMagic)+sha256.Size:]) {
		return nil, &FileError{"head", errBase}
	}
	if err := f.readSections(in); err != nil {
		return nil, err
	}
	if err := f.readPages(in, magic == fileMagic); err != nil {
		return nil, err
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return nil, &FileError{"end", errors.New("bytes follow")}
	}
	hashes, err := HashSections(f.sections)
	if err == nil && Root(f.tree.Hash(), hashes) != f.root {
		err = ErrDamaged
	}
	if err != nil {
		return nil, &FileError{"root", err}
	}
	return f, nil
}

// cut turns io.EOF into an error that cannot be mistaken for the end of a state.
func cut(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (f *File) readSections(in *bufio.Reader) error {
	n, err := binary.ReadUvarint(in)
	if err != nil || n > maxSections {
		return &FileError{"head", cmp.Or(cut(err), errHead)}
	}
	for i := range n {
		name, err := readBytes(in, 1<<10)
		var content []byte
		if err == nil {
			content, err = readBytes(in, maxSection)
		}
		if err != nil {
			return &FileError{fmt.Sprint("section ", i), err}
		}
		f.sections = append(f.sections, Section{string(name), content})
	}
	return nil
}

// readBytes reads a length and as many bytes. It allocates memory as bytes arrive.
func readBytes(in *bufio.Reader, most uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, cut(err)
	}
	if n > most {
		return nil, fmt.Errorf("%d bytes, at most %d", n, most)
	}
	var b []byte
	for uint64(len(b)) < n {
		part := make([]byte, min(n-uint64(len(b)), 1<<16))
		if _, err := io.ReadFull(in, part); err != nil {
			return nil, cut(err)
		}
		b = append(b, part...)
	}
	return b, nil
}

func (f *File) readPages(in *bufio.Reader, coded bool) error {
	at := int64(-1)
	var batch []Page
	flush := func() error {
		if err := f.tree.Update(batch); err != nil {
			return &FileError{"tree", err}
		}
		batch = batch[:0]
		return nil
	}
	for {
		step, err := binary.ReadUvarint(in)
		if err != nil {
			return &FileError{fmt.Sprint("behind page ", at), cut(err)}
		}
		if step == 0 {
			return flush()
		}
		if step > Pages || at+int64(step) >= Pages {
			return &FileError{fmt.Sprint("behind page ", at), errOrder}
		}
		at += int64(step)
		wrong := func(err error) error { return &FileError{fmt.Sprint("page ", at), err} }
		b, err := readPage(in, coded)
		if err != nil {
			return wrong(err)
		}
		p := Page{Number: uint32(at)}
		if b != nil {
			p.Content, f.pages[p.Number] = b[:], b
		} else {
			delete(f.pages, p.Number)
		}
		if batch = append(batch, p); len(batch) == 1<<10 {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// Root returns the root.
func (f *File) Root() Hash { return f.root }

// Tree returns the hash tree over the pages.
func (f *File) Tree() Tree { return f.tree }

// Sections returns the sections. The contents must not be changed.
func (f *File) Sections() ([]Section, error) { return slices.Clone(f.sections), nil }

// ReadPage copies a page into a slice of [PageSize] bytes.
func (f *File) ReadPage(number uint32, into []byte) error {
	if number >= Pages || len(into) != PageSize {
		return &PageError{number, fmt.Errorf("into %d bytes", len(into))}
	}
	if b := f.pages[number]; b != nil {
		copy(into, b[:])
	} else {
		clear(into)
	}
	return nil
}

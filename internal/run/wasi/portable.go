package wasi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/printable"
)

// The tree of files as data. Nodes stand in the order in which a walk from the root comes to them, names in ascending order; a node that
// several names lead to stands once. How much was written, which descriptors the guest
// has closed of those that it began with, what they list, and how many files of the host had numbers, is told before.

var (
	errFiles = errors.New("the section is not what the name says")
)

const (
	kidNew   = 0
	kidKnown = 1
)

// AppendState appends what the guest has of files to b. It has none open. It fails where something of the host's is granted that the guest has looked
// at: what stands there is not known to be the same elsewhere.
func (s *System) AppendState(b []byte) ([]byte, error) {
	fds := s.fds
	for len(fds) > 0 && fds[len(fds)-1] == nil { // the next file gets the lowest number that is free
		fds = fds[:len(fds)-1]
	}
	b = binary.AppendUvarint(b, uint64(s.written))
	b = binary.AppendUvarint(b, uint64(len(fds)))
	for _, f := range fds {
		if f == nil {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		b = binary.AppendUvarint(b, f.rights)
		b = binary.AppendUvarint(b, f.inheriting)
		b = f.appendListing(b)
	}
	if n := len(s.files.byID); n > 0 {
		return nil, fmt.Errorf("the guest has given times or permissions to %d files of granted directories", n)
	}
	b = binary.AppendUvarint(b, s.files.last)
	if s.world == nil {
		return append(b, 0), nil
	}
	if err := s.granted(); err != nil {
		return nil, err
	}
	b = append(b, 1)
	b = binary.AppendUvarint(b, s.world.last)
	numbers := map[*node]uint64{}
	b = s.world.root.append(b, numbers)
	return binary.AppendUvarint(b, numbers[s.world.dev]), nil
}

// appendListing appends what fd_readdir goes on with.
func (f *file) appendListing(b []byte) []byte {
	if f.listing == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	b = binary.AppendUvarint(b, uint64(f.listCost))
	b = binary.AppendUvarint(b, uint64(len(f.listing)))
	for _, e := range f.listing {
		b = append(appendText(b, e.name), e.typ)
	}
	return b
}

// listing reads it for a file.
func (r *treeReader) listing(f *file) {
	if r.byte() == 0 {
		return
	}
	r.Short = r.Short || f.typ != typeDirectory
	f.listing, f.listCost = []entry{}, int64(r.Uvarint(math.MaxInt64))
	for range r.Uvarint(uint64(len(r.B))) {
		if f.listing = append(f.listing, entry{r.Text(), r.byte()}); r.Short {
			return
		}
	}
}

// granted returns an error that names what the host grants of files; nil: nothing.
func (s *System) granted() error {
	if len(s.grants) == 0 {
		return nil
	}
	g := s.grants[0]
	return fmt.Errorf("the guest has looked at files, and the host grants %s (Config.%s)", printable.Text(g.guest), g.field)
}

// append appends a node and what is below it.
func (n *node) append(b []byte, numbers map[*node]uint64) []byte {
	numbers[n] = uint64(len(numbers))
	flags := byte(0)
	for i, set := range []bool{n.ro, n.pinned, n.device != nil} {
		if set {
			flags |= 1 << i
		}
	}
	b = append(b, n.typ, flags)
	for _, v := range []uint64{uint64(n.names), n.number, uint64(n.mode), n.mtime, n.atime, uint64(n.data.size)} {
		b = binary.AppendUvarint(b, v)
	}
	b = appendText(b, n.target)
	if n.device != nil {
		b = appendText(b, n.device.name)
	}
	b = binary.AppendUvarint(b, uint64(len(n.data.blocks)))
	for _, i := range slices.Sorted(maps.Keys(n.data.blocks)) {
		b = binary.AppendUvarint(b, uint64(i))
		b = append(b, n.data.blocks[i][:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(n.kids)))
	for _, name := range slices.Sorted(maps.Keys(n.kids)) {
		b = appendText(b, name)
		kid := n.kids[name]
		if number, ok := numbers[kid]; ok {
			b = binary.AppendUvarint(append(b, kidKnown), number)
			continue
		}
		b = kid.append(append(b, kidNew), numbers)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// A treeReader reads the nodes of a tree, by their numbers.
type treeReader struct {
	decode.Reader
	nodes []*node
}

func (r *treeReader) number() uint64 { return r.Uvarint(math.MaxUint64) }

func (r *treeReader) byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// SetState makes what a guest that has just begun has of files what the state says.
func (s *System) SetState(b []byte) error {
	r := &treeReader{Reader: decode.Reader{B: b}}
	s.written = int64(r.Uvarint(math.MaxInt64))
	n := r.number()
	if n > uint64(len(s.fds)) {
		return errFiles
	}
	for fd, f := range s.fds {
		if f != nil {
			f.listing, f.listCost = nil, 0 // what the beginning was charged for is no part of the heap's figures any more
		}
		switch there := uint64(fd) < n && r.byte() == 1; {
		case there && f == nil, r.Short:
			return errFiles
		case there:
			f.rights, f.inheriting = r.number(), r.number()
			r.listing(f)
		case f != nil:
			s.fds[fd] = nil
			s.open--
			s.release(f)
		}
	}
	s.world, s.files = nil, fileNumbers{last: r.number()}
	if r.byte() == 1 {
		if len(s.grants) > 0 {
			return s.granted()
		}
		t := &tree{last: r.number()}
		t.root = r.node(0)
		dev := r.number()
		if r.Short || dev >= uint64(len(r.nodes)) {
			return errFiles
		}
		t.dev = r.nodes[dev]
		s.world = t
	}
	if !r.End() {
		return errFiles
	}
	for _, f := range s.fds {
		if f != nil {
			f.node = nil
		}
	}
	s.touched = true
	return nil
}

// node reads a node, depth levels below the root, and what is below it.
func (r *treeReader) node(depth int) *node {
	n := &node{}
	r.nodes = append(r.nodes, n)
	n.typ = r.byte()
	flags := r.byte()
	n.ro, n.pinned = flags&1 != 0, flags&2 != 0
	n.names, n.number, n.mode = int(r.number()), r.number(), uint16(r.Uvarint(modeAll))
	n.mtime, n.atime, n.data.size = r.number(), r.number(), int64(r.number())
	n.target = r.Text()
	if flags&4 != 0 {
		name := r.Text()
		for _, d := range devices {
			if d.name == name {
				n.device = &d
			}
		}
		r.Short = r.Short || n.device == nil
	}
	for range r.number() {
		i := int64(r.number())
		b := r.Bytes(blockSize)
		if r.Short {
			return n
		}
		if n.data.blocks == nil {
			n.data.blocks = map[int64]*[blockSize]byte{}
		}
		n.data.blocks[i] = (*[blockSize]byte)(slices.Clone(b))
	}
	for range r.number() {
		name := r.Text()
		kid := (*node)(nil)
		switch r.byte() {
		case kidNew:
			if r.Short || depth > maxPath {
				r.Short = true
				return n
			}
			kid = r.node(depth + 1)
		case kidKnown:
			i := r.number()
			if r.Short || i >= uint64(len(r.nodes)) {
				r.Short = true
				return n
			}
			kid = r.nodes[i]
		default:
			r.Short = true
		}
		if r.Short {
			return n
		}
		if n.kids == nil {
			n.kids = map[string]*node{}
		}
		n.kids[name] = kid
		if kid.typ == typeDirectory {
			kid.parent = n
		}
	}
	return n
}

package wasi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// The tree of files as data. Nodes are in the order of a walk from the root, names in ascending
// order. A node with several names occurs once. Before the tree come the amount of output, the
// preopened descriptors that the guest has closed, the listings of the others, and how many files
// of the host had numbers.

var (
	errFiles = errors.New("the section is not what the name says")
)

const (
	kidNew   = 0
	kidKnown = 1
)

// AppendState appends the guest's state of files to b. The guest has no file open. It fails if the
// guest has used a grant of the host: the contents need not be the same elsewhere.
func (s *System) AppendState(b []byte) ([]byte, error) {
	fds := s.fds
	for len(fds) > 0 && fds[len(fds)-1] == nil { // the next file gets the lowest free number
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
	w := &treeWriter{numbers: map[*node]uint64{}}
	b = w.node(b, s.world.root, 0)
	if w.deep {
		return nil, fmt.Errorf("there are more than %d directories in each other", maxPath)
	}
	return binary.AppendUvarint(b, w.numbers[s.world.dev]), nil
}

// appendListing appends what fd_readdir continues with.
func (f *file) appendListing(b []byte) []byte {
	if f.listing == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	b = binary.AppendUvarint(b, uint64(len(f.listing)))
	for _, e := range f.listing {
		b = append(appendText(b, e.name), e.typ)
	}
	return b
}

// listing reads the listing of a file.
func (r *treeReader) listing(f *file) {
	there := r.byte()
	if there == 0 {
		return
	}
	r.Short = r.Short || there != 1 || f.typ != typeDirectory
	f.listing = []entry{}
	for range r.Uvarint(uint64(len(r.B))) {
		e := entry{r.Text(), r.byte()}
		if r.Short {
			return
		}
		f.listing = append(f.listing, e)
		f.listCost += int64(len(e.name)) + memory.UnitEntry // as list has charged it
	}
	r.charges += uint64(f.listCost)
}

// granted returns an error that names a grant of files by the host, or nil.
func (s *System) granted() error {
	if len(s.grants) == 0 {
		return nil
	}
	g := s.grants[0]
	return fmt.Errorf("the guest has looked at files, and the host grants %s (Config.%s)", printable.Text(g.guest), g.field)
}

// A treeWriter writes the nodes of a tree.
type treeWriter struct {
	numbers map[*node]uint64
	deep    bool // some nodes are too far below the root
}

// node appends a node, depth levels below the root, and everything below it.
func (w *treeWriter) node(b []byte, n *node, depth int) []byte {
	numbers := w.numbers
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
		if depth > maxPath {
			w.deep = true
			return b
		}
		b = w.node(append(b, kidNew), kid, depth+1)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// A treeReader reads the nodes of an untrusted tree, by their numbers.
type treeReader struct {
	decode.Reader
	nodes   []*node
	links   map[*node]int   // names read for each node
	inodes  map[uint64]bool // numbers of the nodes read
	last    uint64          // the highest valid number
	charges uint64          // the guest's charge for what was read
	err     error           // an error other than missing bytes
	stop    func() error
}

func (r *treeReader) number() uint64 { return r.Uvarint(math.MaxUint64) }

func (r *treeReader) byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// bad records an error. Nothing more is read.
func (r *treeReader) bad(format string, args ...any) {
	if r.err == nil && !r.Short {
		r.err = fmt.Errorf(format, args...)
	}
	r.Fail()
}

// wrong returns the error, or nil.
func (r *treeReader) wrong() error {
	switch {
	case r.err != nil:
		return r.err
	case !r.End():
		return errFiles
	}
	return nil
}

// SetState gives a guest that has just begun the files of a state, which is untrusted. It returns
// the least that counts as memory of the host for them. What every guest has from the start stays,
// and descriptors get no more rights than they have. stop is called regularly; its error ends the
// work. After an error the system can only be closed.
func (s *System) SetState(b []byte, stop func() error) (charges uint64, err error) {
	r := &treeReader{Reader: decode.Reader{B: b}, links: map[*node]int{}, inodes: map[uint64]bool{}, stop: stop}
	s.written = int64(r.Uvarint(math.MaxInt64))
	n := r.number()
	if n > uint64(len(s.fds)) {
		return 0, errFiles
	}
	for fd, f := range s.fds {
		if f != nil {
			f.listing, f.listCost = nil, 0 // the restored heap's figures do not contain the charge for it
		}
		there := byte(0)
		if uint64(fd) < n {
			there = r.byte()
		}
		switch {
		case there > 1 || there == 1 && f == nil || r.Short || fd == int(n)-1 && there == 0:
			return 0, errFiles
		case there == 1:
			rights, inheriting := r.number(), r.number()
			if rights&^f.rights != 0 || inheriting&^f.inheriting != 0 {
				return 0, fmt.Errorf("descriptor %d has rights that it is not given", fd)
			}
			f.rights, f.inheriting = rights, inheriting
			r.listing(f)
		case f != nil:
			s.fds[fd] = nil
			s.open--
			s.release(f)
		}
	}
	s.world, s.files = nil, fileNumbers{last: r.number()}
	switch r.byte() {
	case 0:
	case 1:
		if len(s.grants) > 0 {
			return 0, s.granted()
		}
		if s.world, err = r.tree(s.newTree()); err != nil {
			return 0, err
		}
	default:
		return 0, errFiles
	}
	if err := r.wrong(); err != nil {
		return 0, err
	}
	for _, f := range s.fds {
		if f != nil {
			f.node = nil
		}
	}
	s.touched = true
	return r.charges, nil
}

// tree reads a tree. own is a new guest's tree.
func (r *treeReader) tree(own *tree) (*tree, error) {
	t := &tree{last: r.number()}
	if r.last = t.last; t.last < own.last {
		return nil, errFiles
	}
	t.root = r.node(0, own.root)
	r.links[t.root]++
	dev := r.number()
	if err := r.wrong(); err != nil {
		return nil, err
	}
	for _, n := range r.nodes {
		if n.names != r.links[n] {
			return nil, fmt.Errorf("file %d has %d names, not %d", n.number, r.links[n], n.names)
		}
	}
	if dev >= uint64(len(r.nodes)) || r.nodes[dev].number != own.dev.number {
		return nil, errFiles
	}
	t.dev = r.nodes[dev]
	return t, nil
}

// node reads a node, depth levels below the root, and everything below it. own is the node at its
// place in a new guest's tree; nil: the guest has made it.
func (r *treeReader) node(depth int, own *node) *node {
	n := &node{}
	r.nodes = append(r.nodes, n)
	if len(r.nodes)%64 == 0 {
		r.poll()
	}
	n.typ = r.byte()
	flags := r.byte()
	n.ro, n.pinned = flags&1 != 0, flags&2 != 0
	n.names, n.number, n.mode = int(r.Uvarint(math.MaxInt)), r.number(), uint16(r.Uvarint(modeAll))
	n.mtime, n.atime, n.data.size = r.number(), r.number(), int64(r.Uvarint(maxFile))
	n.target = r.Text()
	if flags&4 != 0 {
		name := r.Text()
		for _, d := range devices {
			if d.name == name {
				n.device = &d
			}
		}
	}
	switch {
	case r.Short:
		return n
	case n.number == 0 || n.number > r.last || r.inodes[n.number]:
		r.bad("a file has the number %d", n.number)
	case flags&^7 != 0 || n.pinned || flags&4 != 0 && n.device == nil || !n.fits(own):
		r.bad("file %d is not as it is from the start", n.number)
	case n.typ == typeSymlink && (n.target == "" || len(n.target) > maxPath || strings.ContainsRune(n.target, 0)), n.typ != typeSymlink && n.target != "":
		r.bad("link %d leads to %d bytes", n.number, len(n.target))
	}
	r.inodes[n.number] = true
	if own == nil {
		r.charges += memory.UnitNode + uint64(len(n.target))
	}
	r.content(n)
	r.kids(n, depth, own)
	return n
}

// fits reports whether a guest can have made the node or, if own is not nil, whether the node
// equals own as far as a guest cannot change it.
func (n *node) fits(own *node) bool {
	if own == nil {
		return !n.ro && n.device == nil && (n.typ == typeDirectory || n.typ == typeRegular || n.typ == typeSymlink)
	}
	if n.device != nil && own.device != nil && n.device.name != own.device.name {
		return false
	}
	return n.typ == own.typ && n.ro == own.ro && n.number == own.number && (n.device == nil) == (own.device == nil) && (!n.ro || n.mode == own.mode)
}

// content reads the content of a file.
func (r *treeReader) content(n *node) {
	before := int64(-1)
	for left := r.number(); left > 0 && !r.Short; left-- {
		i := int64(r.Uvarint(maxFile))
		b := r.Bytes(blockSize)
		if n.typ != typeRegular || i <= before || i >= blocksOf(n.data.size) {
			r.bad("block %d of file %d", i, n.number)
		}
		if r.Short {
			return
		}
		if n.data.blocks == nil {
			n.data.blocks = map[int64]*[blockSize]byte{}
		}
		n.data.blocks[i] = (*[blockSize]byte)(slices.Clone(b))
		r.charges += memory.UnitBlock
		if before = i; i%64 == 0 {
			r.poll()
		}
	}
	if n.data.size != 0 && n.typ != typeRegular {
		r.bad("file %d has a size", n.number)
	}
}

// kids reads the entries of a directory. A file may have several names, a directory has one, so no
// tree has a cycle.
func (r *treeReader) kids(n *node, depth int, own *node) {
	before := ""
	for left := r.number(); left > 0 && !r.Short; left-- {
		name := r.Text()
		kid := (*node)(nil)
		fixed := (*node)(nil)
		if own != nil {
			fixed = own.kids[name]
		}
		switch {
		case n.typ != typeDirectory || name <= before || len(name) > maxName || name == "." || name == ".." || strings.ContainsAny(name, "/\x00"):
			r.bad("the names in directory %d", n.number)
			return
		case fixed == nil && n.ro:
			r.bad("directory %d has other entries than it has from the start", n.number)
			return
		}
		switch before = name; r.byte() {
		case kidNew:
			if depth > maxPath {
				r.bad("there are more than %d directories in each other", maxPath)
				return
			}
			kid = r.node(depth+1, fixed)
		case kidKnown:
			i := r.number()
			if fixed != nil || r.Short || i >= uint64(len(r.nodes)) || r.nodes[i].typ == typeDirectory || r.nodes[i].ro {
				r.bad("the names of file %d", i)
				return
			}
			kid = r.nodes[i]
		default:
			r.bad("an entry of directory %d", n.number)
		}
		if r.Short {
			return
		}
		if n.kids == nil {
			n.kids = map[string]*node{}
		}
		n.kids[name] = kid
		r.links[kid]++
		if kid.typ == typeDirectory {
			kid.parent = n
		}
		if fixed == nil {
			r.charges += uint64(nameUnit(name))
		}
	}
	if own != nil && n.ro && len(n.kids) != len(own.kids) {
		r.bad("directory %d has other entries than it has from the start", n.number)
	}
}

func (r *treeReader) poll() {
	if err := r.stop(); err != nil && !r.Short {
		r.err = err
		r.Fail()
	}
}

package wasi

import (
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// An entry is one line of a directory's listing.
type entry struct {
	name string
	typ  uint8
}

// direntSize is the header before each name: next cookie u64, inode u64, name
// length u32, type u8.
const direntSize = 24

// direntInode is the inode number of every entry. It is not zero, which would mean that the entry
// is missing. filestat has the numbers of files.
const direntInode = 1

// fdReaddir stores entries from a cookie on. The listing is read when the cookie is 0. It is sorted
// by name, so that the order is the same on every machine, and a cookie is a position in it.
func fdReaddir(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	switch {
	case e != Success:
		return e
	case f.typ != typeDirectory:
		return ENOTDIR
	case f.rights&rightFdReaddir == 0:
		return ENOTCAPABLE
	}
	buf, ok := s.mem.Bytes(u32(a[1]), u32(a[2]))
	if !ok {
		return EFAULT
	}
	if _, ok := s.mem.Bytes(u32(a[4]), 4); !ok {
		return EFAULT
	}
	cookie := a[3]
	if cookie == 0 || f.listing == nil {
		if e := s.list(f); e != Success {
			return e
		}
	}
	used := 0
	if cookie < uint64(len(f.listing)) {
		for i, ent := range f.listing[cookie:] {
			if used == len(buf) {
				break
			}
			var head [direntSize]byte
			le.PutUint64(head[0:], cookie+uint64(i)+1)
			le.PutUint64(head[8:], direntInode)
			le.PutUint32(head[16:], uint32(len(ent.name)))
			head[20] = ent.typ
			used += copy(buf[used:], head[:])
			used += copy(buf[used:], ent.name)
		}
	}
	return s.count(u32(a[4]), used)
}

// list reads a directory's entries.
func (s *System) list(f *file) Errno {
	s.dropListing(f)
	s.openTree(f)
	list, e := []entry{}, Success
	if f.node != nil {
		list, f.listCost, e = s.listNode(f.node)
	} else {
		list, e = s.listHost(f)
	}
	if e != Success {
		return e
	}
	byName := func(a, b entry) int { return strings.Compare(a.name, b.name) }
	if !memory.SortPolling(list, make([]entry, len(list)), byName, s.host.Poll) {
		return Interrupted
	}
	f.listing = list
	return Success
}

// listHost reads the entries of a directory of the host and charges for them.
func (s *System) listHost(f *file) ([]entry, Errno) {
	d, err := f.root.Open(".")
	if err != nil {
		return nil, errnoOf(err)
	}
	defer d.Close()
	list := []entry{}
	for {
		// In portions, so that the limit is checked before the host's memory is used.
		call, ok := s.block(hostCall{kind: callReadDir, dir: d})
		if !ok {
			return nil, Interrupted
		}
		some, err := call.entries, call.err
		s.host.Spend(workEntry * int64(len(some)))
		cost := int64(0)
		for _, e := range some {
			list = append(list, entry{e.Name(), fileType(e.Type())})
			cost += int64(len(e.Name())) + memory.UnitEntry
		}
		if !s.host.Charge(cost) {
			s.dropListing(f)
			return nil, ENOMEM
		}
		f.listCost += cost
		if err != nil || len(some) == 0 {
			return list, Success // io.EOF, or a directory that vanished: the entries so far are the listing
		}
	}
}

func (s *System) dropListing(f *file) {
	f.listing = nil
	if f.listCost != 0 {
		s.host.Charge(-f.listCost)
		f.listCost = 0
	}
}

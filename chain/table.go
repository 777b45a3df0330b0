package chain

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/state"
)

// A table is an ordered set of changes to records, kept in the pages of a state: the same tree, store,
// chunks and proofs as for contracts serve for accounts. The root over the table is the app hash.
//
// A key is hashed to one of tableBuckets buckets. Bucket n is page n, and goes on in further pages
// when it is full. Records are never removed. So the pages follow from the order of the changes,
// which is the same on all nodes. Whoever searches for keys that fall into one bucket makes it long,
// at the price of an account for each: a bucket of a thousand pages takes some 80,000 accounts.
//
//	page      next page of the bucket (4 bytes, 0: none), bytes in use (2), records
//	record    length of the key (1), of the value (2), key, value
//	page tableBuckets    the next page that no bucket has (4 bytes)
type table struct {
	tree  state.Tree
	read  func(number uint32, into []byte) error // nil: all zeros
	pages map[uint32][]byte                      // that were read or changed
	dirty map[uint32]bool                        // changed since the last update
}

const (
	tableBuckets  = 1 << 12
	tablePageHead = 6
	tableMaxValue = 2048
)

func newTable(tree state.Tree, read func(uint32, []byte) error) *table {
	return &table{tree: tree, read: read, pages: map[uint32][]byte{}, dirty: map[uint32]bool{}}
}

// page returns a page, to be read.
func (t *table) page(n uint32) ([]byte, error) {
	if p, ok := t.pages[n]; ok {
		return p, nil
	}
	p := make([]byte, state.PageSize)
	if t.read != nil {
		if err := t.read(n, p); err != nil {
			return nil, err
		}
	}
	t.pages[n] = p
	return p, nil
}

// change returns a page, to be written.
func (t *table) change(n uint32) ([]byte, error) {
	p, err := t.page(n)
	if err == nil {
		t.dirty[n] = true
	}
	return p, err
}

var errTable = errors.New("chain: the table of accounts is damaged")

func bucket(key string) uint32 {
	h := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint32(h[:]) % tableBuckets
}

// record returns the end of the record at a position of a page, and where its value begins.
func record(p []byte, at, used int) (value, end int, err error) {
	if at+3 > used {
		return 0, 0, errTable
	}
	value = at + 3 + int(p[at])
	end = value + int(binary.BigEndian.Uint16(p[at+1:]))
	if end > used {
		return 0, 0, errTable
	}
	return value, end, nil
}

func used(p []byte) (int, error) {
	n := tablePageHead + int(binary.BigEndian.Uint16(p[4:]))
	if n > state.PageSize {
		return 0, errTable
	}
	return n, nil
}

// get returns the value of a key; nil: it has none. It must not be changed, and is valid until the
// next change of the table.
func (t *table) get(key string) ([]byte, error) {
	n := bucket(key)
	for hops := 0; ; hops++ {
		p, err := t.page(n)
		if err != nil {
			return nil, err
		}
		end, err := used(p)
		if err != nil || hops > 1<<20 {
			return nil, errTable
		}
		for at := tablePageHead; at < end; {
			value, next, err := record(p, at, end)
			if err != nil {
				return nil, err
			}
			if string(p[at+3:value]) == key {
				return p[value:next], nil
			}
			at = next
		}
		if n = binary.BigEndian.Uint32(p); n == 0 {
			return nil, nil
		}
	}
}

// set sets the value of a key.
func (t *table) set(key string, value []byte) error {
	if len(key) == 0 || len(key) > 255 || len(value) > tableMaxValue {
		return fmt.Errorf("chain: a record with a key of %d bytes and a value of %d", len(key), len(value))
	}
	size := 3 + len(key) + len(value)
	n, room := bucket(key), uint32(0)
	hasRoom := false
	for {
		p, err := t.page(n)
		if err != nil {
			return err
		}
		end, err := used(p)
		if err != nil {
			return err
		}
		for at := tablePageHead; at < end; {
			from, next, err := record(p, at, end)
			if err != nil {
				return err
			}
			if string(p[at+3:from]) != key {
				at = next
				continue
			}
			if p, err = t.change(n); err != nil {
				return err
			}
			if next-from == len(value) {
				copy(p[from:], value)
				return nil
			}
			copy(p[at:], p[next:end]) // the record is taken out, and put back where there is room
			clear(p[end-(next-at) : end])
			end -= next - at
			binary.BigEndian.PutUint16(p[4:], uint16(end-tablePageHead))
		}
		if !hasRoom && end+size <= state.PageSize {
			room, hasRoom = n, true
		}
		next := binary.BigEndian.Uint32(p)
		if next == 0 {
			break
		}
		n = next
	}
	if !hasRoom {
		head, err := t.change(tableBuckets)
		if err != nil {
			return err
		}
		room = max(binary.BigEndian.Uint32(head), tableBuckets+1)
		if room >= state.Pages {
			return errors.New("chain: the table of accounts is full")
		}
		binary.BigEndian.PutUint32(head, room+1)
		last, err := t.change(n)
		if err != nil {
			return err
		}
		binary.BigEndian.PutUint32(last, room)
	}
	p, err := t.change(room)
	if err != nil {
		return err
	}
	end, err := used(p)
	if err != nil {
		return err
	}
	p[end] = byte(len(key))
	binary.BigEndian.PutUint16(p[end+1:], uint16(len(value)))
	copy(p[end+3:], key)
	copy(p[end+3+len(key):], value)
	binary.BigEndian.PutUint16(p[4:], uint16(end+size-tablePageHead))
	return nil
}

// all calls each with all records whose keys begin with a prefix, in the order of the buckets.
func (t *table) all(prefix string, each func(key string, value []byte) error) error {
	var none state.Tree
	var numbers []uint32
	if err := state.Diff(&none, &t.tree, func(n uint32) bool { numbers = append(numbers, n); return true }); err != nil {
		return err
	}
	for n := range t.dirty {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		if n == tableBuckets {
			continue
		}
		p, err := t.page(n)
		if err != nil {
			return err
		}
		end, err := used(p)
		if err != nil {
			return err
		}
		for at := tablePageHead; at < end; {
			value, next, err := record(p, at, end)
			if err != nil {
				return err
			}
			if key := p[at+3 : value]; bytes.HasPrefix(key, []byte(prefix)) {
				if err := each(string(key), p[value:next]); err != nil {
					return err
				}
			}
			at = next
		}
	}
	return nil
}

// update takes the changes into the tree.
func (t *table) update() error {
	pages := make([]state.Page, 0, len(t.dirty))
	for n := range t.dirty {
		pages = append(pages, state.Page{Number: n, Content: t.pages[n]})
	}
	slices.SortFunc(pages, func(a, b state.Page) int { return int(a.Number) - int(b.Number) })
	if err := t.tree.Update(pages); err != nil {
		return err
	}
	clear(t.dirty)
	return nil
}

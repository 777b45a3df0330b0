package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"

	"github.com/gyrvm/gyr/state"
)

// An Entry names a version and its root.
type Entry struct {
	Name string // of the instance
	Seq  uint64
	Root state.Hash
}

// A record is what is kept of a version.
type record struct {
	root, tree state.Hash
	sections   []state.SectionHash
}

// First bytes of keys.
const (
	keyPage    = 'p'
	keyNode    = 'n'
	keySection = 's'
	keyCount   = 'c'
	keyVersion = 'v'
	keyPortion = 'w'
)

// objects are the first bytes of keys of objects.
const objects = string(keyPage) + string(keyNode) + string(keySection)

// objectKey is the key of an object of a kind, one of objects. Hashes of one kind are none of another.
func objectKey(kind byte, hash state.Hash) []byte { return append([]byte{kind}, hash[:]...) }

// kindOf is that of what has a level in a tree.
func kindOf(level int) byte {
	if level == 0 {
		return keyPage
	}
	return keyNode
}

func countKey(hash state.Hash) []byte { return append([]byte{keyCount}, hash[:]...) }
func portionKey(n uint64) []byte      { return binary.BigEndian.AppendUint64([]byte{keyPortion}, n) }

// versionPrefix is what the keys of a name's versions begin with. The name has at most 255 bytes.
func versionPrefix(name string) []byte {
	return append([]byte{keyVersion, byte(len(name))}, name...)
}

func versionKey(name string, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(versionPrefix(name), seq)
}

// versionOf reads what versionKey made, and reports whether it is that.
func versionOf(key []byte) (name string, seq uint64, ok bool) {
	if len(key) < 2 || key[0] != keyVersion || len(key) != 2+int(key[1])+8 {
		return "", 0, false
	}
	at := len(key) - 8
	return string(key[2:at]), binary.BigEndian.Uint64(key[at:]), true
}

// encode returns the record as it is kept: root, tree, sections, and the hash of key and all that.
func (r *record) encode(key []byte) []byte {
	b := append(r.root[:], r.tree[:]...)
	for _, s := range r.sections {
		b = binary.AppendUvarint(b, uint64(len(s.Name)))
		b = append(b, s.Name...)
		b = append(b, s.Hash[:]...)
	}
	sum := recordSum(key, b)
	return append(b, sum[:]...)
}

func recordSum(key, body []byte) state.Hash {
	h := sha256.New()
	h.Write(binary.AppendUvarint(nil, uint64(len(key))))
	h.Write(key)
	h.Write(body)
	return state.Hash(h.Sum(nil))
}

// decodeRecord reads what encode made for a key, and reports whether it is whole. That the root is that of what stands in
// the record is part of it.
func decodeRecord(key, value []byte) (r record, ok bool) {
	const size = sha256.Size
	if len(value) < 3*size {
		return r, false
	}
	body, sum := value[:len(value)-size], value[len(value)-size:]
	want := recordSum(key, body)
	if !bytes.Equal(sum, want[:]) {
		return r, false
	}
	r.root, r.tree = state.Hash(body[:size]), state.Hash(body[size:2*size])
	for rest := body[2*size:]; len(rest) > 0; {
		n, used := binary.Uvarint(rest)
		if used <= 0 || uint64(len(rest)-used) < n || uint64(len(rest)-used)-n < size {
			return r, false
		}
		rest = rest[used:]
		r.sections = append(r.sections, state.SectionHash{Name: string(rest[:n]), Hash: state.Hash(rest[n : n+size])})
		rest = rest[n+size:]
	}
	return r, state.Root(r.tree, r.sections) == r.root
}

// encodeCount returns the number of references to an object as it is kept.
func encodeCount(hash state.Hash, n uint64) []byte {
	b := binary.AppendUvarint(nil, n)
	return binary.BigEndian.AppendUint32(b, countSum(hash, b))
}

func countSum(hash state.Hash, number []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(hash[:]), crc32.IEEETable, number)
}

// maxCount is the most references that an object is said to have: far from where counting on would begin anew.
const maxCount = 1 << 56

// decodeCount reads what encodeCount made, and reports whether it is that.
func decodeCount(hash state.Hash, value []byte) (n uint64, ok bool) {
	at := len(value) - 4
	if at < 1 {
		return 0, false
	}
	n, used := binary.Uvarint(value[:at])
	return n, used == at && n > 1 && n <= maxCount && binary.BigEndian.Uint32(value[at:]) == countSum(hash, value[:at])
}

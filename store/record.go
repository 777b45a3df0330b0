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
	Name string // name of the instance
	Seq  uint64
	Root state.Hash
}

// A record is the stored description of a version.
type record struct {
	root, tree state.Hash
	sections   []state.SectionHash
}

// These are the first bytes of keys.
const (
	keyPage    = 'p'
	keyNode    = 'n'
	keySection = 's'
	keyCount   = 'c'
	keyVersion = 'v'
	keyPortion = 'w'
)

// objects has the first bytes of the keys of objects.
const objects = string(keyPage) + string(keyNode) + string(keySection)

// objectKey returns the key of an object of a kind, one of objects. Hashes of different kinds
// differ.
func objectKey(kind byte, hash state.Hash) []byte { return append([]byte{kind}, hash[:]...) }

// kindOf returns the kind of an object at a level of a tree.
func kindOf(level int) byte {
	if level == 0 {
		return keyPage
	}
	return keyNode
}

func countKey(hash state.Hash) []byte { return append([]byte{keyCount}, hash[:]...) }
func portionKey(n uint64) []byte      { return binary.BigEndian.AppendUint64([]byte{keyPortion}, n) }

// versionPrefix returns the prefix of the keys of a name's versions. The name has at most 255
// bytes.
func versionPrefix(name string) []byte {
	return append([]byte{keyVersion, byte(len(name))}, name...)
}

func versionKey(name string, seq uint64) []byte {
	return binary.BigEndian.AppendUint64(versionPrefix(name), seq)
}

// versionOf reads the result of versionKey, and reports whether it is valid.
func versionOf(key []byte) (name string, seq uint64, ok bool) {
	if len(key) < 2 || key[0] != keyVersion || len(key) != 2+int(key[1])+8 {
		return "", 0, false
	}
	at := len(key) - 8
	return string(key[2:at]), binary.BigEndian.Uint64(key[at:]), true
}

// encode returns the stored form of the record: root, tree, sections, and a hash of the key and all
// of these.
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

// decodeRecord reads the result of encode for a key, and reports whether it is intact. It also
// checks the root against the rest of the record.
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

// encodeCount returns the stored form of the number of references to an object.
func encodeCount(hash state.Hash, n uint64) []byte {
	b := binary.AppendUvarint(nil, n)
	return binary.BigEndian.AppendUint32(b, countSum(hash, b))
}

func countSum(hash state.Hash, number []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(hash[:]), crc32.IEEETable, number)
}

// maxCount is the largest accepted number of references to an object, far from an overflow.
const maxCount = 1 << 56

// decodeCount reads the result of encodeCount, and reports whether it is valid.
func decodeCount(hash state.Hash, value []byte) (n uint64, ok bool) {
	at := len(value) - 4
	if at < 1 {
		return 0, false
	}
	n, used := binary.Uvarint(value[:at])
	return n, used == at && n > 1 && n <= maxCount && binary.BigEndian.Uint32(value[at:]) == countSum(hash, value[:at])
}

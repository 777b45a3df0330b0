package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// PageSize is the size of a page in bytes, Pages the number of pages of an address space.
const (
	PageSize = 4096
	Pages    = 1 << (levels * fanBits)
)

// Fanout is the number of parts of a node of the tree, Levels the number of levels of nodes above
// the pages, which are level 0.
const (
	Fanout = 1 << fanBits
	Levels = levels

	fanBits = 2
	levels  = 10
)

// These are the first bytes of all hashed data.
const (
	tagPage    = 0
	tagNode    = 1
	tagSection = 2
	tagRoot    = 3
	tagRecord  = 4
)

// A Hash is a SHA-256 of one of the kinds that the package comment lists.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads the text of [Hash.String].
func ParseHash(text string) (h Hash, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(h) {
		return Hash{}, fmt.Errorf("state: %.80q is not a hash of %d hexadecimal digits", text, 2*len(h))
	}
	return Hash(b), nil
}

// HashPage returns the hash of a page of [PageSize] bytes.
func HashPage(content []byte) Hash {
	var b pageBuffer
	return b.hash(content)
}

// HashSection returns the hash of a section's content.
func HashSection(content []byte) Hash {
	h, _ := hashSection(context.Background(), content)
	return h
}

// hashPiece is the number of bytes hashed at a time, in a few milliseconds.
const hashPiece = 1 << 20

func hashSection(ctx context.Context, content []byte) (h Hash, err error) {
	s := sha256.New()
	s.Write([]byte{tagSection})
	for len(content) > hashPiece {
		if err := ctx.Err(); err != nil {
			return h, err
		}
		s.Write(content[:hashPiece])
		content = content[hashPiece:]
	}
	s.Write(content)
	s.Sum(h[:0])
	return h, nil
}

// HashNode returns the hash of a node.
func HashNode(parts *[Fanout]Hash) Hash {
	var b [1 + Fanout*sha256.Size]byte
	b[0] = tagNode
	for i := range parts {
		copy(b[1+i*sha256.Size:], parts[i][:])
	}
	return sha256.Sum256(b[:])
}

// A pageBuffer holds a page after its tag, so that both are hashed in one piece. It is reused for
// one page after another.
type pageBuffer [1 + PageSize]byte

func (b *pageBuffer) hash(content []byte) Hash {
	b[0] = tagPage
	copy(b[1:], content)
	return sha256.Sum256(b[:])
}

// zeros has the hash of a subtree of zeros for each level: level 0 is a page.
var zeros = func() (z [levels + 1]Hash) {
	z[0] = HashPage(make([]byte, PageSize))
	for level := range levels {
		var parts [Fanout]Hash
		for i := range parts {
			parts[i] = z[level]
		}
		z[level+1] = HashNode(&parts)
	}
	return z
}()

// ZeroHash returns the hash of a subtree of zeros; level 0 is a page.
func ZeroHash(level int) Hash { return zeros[level] }

package state

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// A Section is a part of a state beside the pages, such as the identity of the program, the
// scheduler or the clock.
type Section struct {
	Name    string // "clock"; not empty
	Content []byte // may be empty. Functions that get a Section only read it and do not keep it.
}

// A SectionHash is the name of a section with the hash of its content.
type SectionHash struct {
	Name string
	Hash Hash // see HashSection
}

// A SectionError says that the name of a section is empty or out of order.
type SectionError struct {
	Name, Before string // names of the section and, if there is one, of that before it
}

func (e *SectionError) Error() string {
	if e.Name == "" {
		return "state: a section without a name"
	}
	return fmt.Sprintf("state: section %q stands behind section %q", e.Name, e.Before)
}

// HashSections returns the hashes of sections. They must be in strictly ascending order of their
// names. The error is a [*SectionError].
func HashSections(sections []Section) ([]SectionHash, error) {
	return HashSectionsContext(context.Background(), sections)
}

// HashSectionsContext is HashSections for large sections, with a context that can stop it; the
// error may be that of the context.
func HashSectionsContext(ctx context.Context, sections []Section) ([]SectionHash, error) {
	hashes := make([]SectionHash, len(sections))
	for i, s := range sections {
		if s.Name == "" || i > 0 && s.Name <= sections[i-1].Name {
			return nil, &SectionError{s.Name, sections[max(i, 1)-1].Name}
		}
		hash, err := hashSection(ctx, s.Content)
		if err != nil {
			return nil, err
		}
		hashes[i] = SectionHash{s.Name, hash}
	}
	return hashes, nil
}

// Root returns the root of a state: the hash of its tree and its sections, which are in order as
// for [HashSections].
func Root(tree Hash, sections []SectionHash) Hash { return rootOf(tree, hashRecord(sections)) }

func rootOf(tree, record Hash) Hash {
	var b [1 + 2*sha256.Size]byte
	b[0] = tagRoot
	copy(b[1:], tree[:])
	copy(b[1+sha256.Size:], record[:])
	return sha256.Sum256(b[:])
}

// hashRecord returns the hash of all sections together. No two lists give the same bytes, because
// lengths precede names.
func hashRecord(sections []SectionHash) Hash {
	b := make([]byte, 1, 512)
	b[0] = tagRecord
	for _, s := range sections {
		b = binary.AppendUvarint(b, uint64(len(s.Name)))
		b = append(b, s.Name...)
		b = append(b, s.Hash[:]...)
	}
	return sha256.Sum256(b)
}

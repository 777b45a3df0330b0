package state

import (
	"crypto/sha256"
	"slices"
)

// ProofSize is the size of the proof of a page in bytes.
const ProofSize = levels*(Fanout-1)*sha256.Size + sha256.Size

// Prove returns the proof that the tree's page of a number belongs to the state. The proof has the
// hashes beside the page's path, from the lowest level up and by ascending addresses, and then the
// hash of the sections, which are in order as for [HashSections]. Pages of zeros have proofs too.
func (t *Tree) Prove(page uint32, sections []SectionHash) ([]byte, error) {
	beside := make([][]Hash, levels+1)
	for level := 1; level <= levels; level++ {
		beside[level] = slices.Repeat([]Hash{zeros[level-1]}, Fanout-1)
	}
	err := t.path(page, func(level int, parts *[Fanout]Hash) {
		part := partOf(page, level)
		beside[level] = slices.Concat(parts[:part], parts[part+1:])
	})
	if err != nil {
		return nil, err
	}
	proof := make([]byte, 0, ProofSize)
	for _, hash := range slices.Concat(beside...) {
		proof = append(proof, hash[:]...)
	}
	record := hashRecord(sections)
	return append(proof, record[:]...), nil
}

// Verify reports whether the state with a root has a page with the given content, by a proof that
// [Tree.Prove] made. Only the root needs to be trusted. A page has exactly one proof: a second one
// would be a collision of SHA-256.
func Verify(root Hash, page uint32, content, proof []byte) bool {
	if page >= Pages || len(content) != PageSize || len(proof) != ProofSize {
		return false
	}
	hash := HashPage(content)
	for level := 1; level <= levels; level++ {
		var parts [Fanout]Hash
		for i := range parts {
			if uint32(i) == partOf(page, level) {
				parts[i] = hash
			} else {
				proof = proof[copy(parts[i][:], proof):]
			}
		}
		hash = HashNode(&parts)
	}
	return rootOf(hash, Hash(proof)) == root
}

// VerifySection reports whether the state with a root has a section with the given content. Its
// proof is the hash of the state's tree and the hashes of all its sections.
func VerifySection(root Hash, name string, content []byte, tree Hash, sections []SectionHash) bool {
	return Root(tree, sections) == root && slices.Contains(sections, SectionHash{name, HashSection(content)})
}

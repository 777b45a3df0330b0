package state

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// proved returns a state with a proof of one page in it.
func proved(t *testing.T, number uint32) (root Hash, content, proof []byte) {
	rng := rand.New(rand.NewPCG(4, 1))
	var tree Tree
	set(t, &tree, touched(rng, 2000, 1<<12)...)
	set(t, &tree, touched(rng, 50, Pages)...)
	content = touched(rng, 1, 1)[0].Content
	set(t, &tree, Page{number, content})
	sections, err := HashSections([]Section{{"clock", []byte("12")}, {"program", []byte("x")}})
	if err != nil {
		t.Fatal(err)
	}
	proof, err = tree.Prove(number, sections)
	if err != nil {
		t.Fatal(err)
	}
	root = Root(tree.Hash(), sections)
	if !Verify(root, number, content, proof) {
		t.Fatal("a good proof is refused")
	}
	return root, content, proof
}

// TestWrongProofs changes a proof, and its page, in all small ways.
func TestWrongProofs(t *testing.T) {
	const number = 1234
	root, content, proof := proved(t, number)
	refused := func(why string, root Hash, number uint32, content, proof []byte) {
		t.Helper()
		if Verify(root, number, content, proof) {
			t.Errorf("accepted: %s", why)
		}
	}
	for bit := range 8 * len(proof) {
		proof[bit/8] ^= 1 << (bit % 8)
		refused("a bit of the proof", root, number, content, proof)
		proof[bit/8] ^= 1 << (bit % 8)
	}
	for bit := range 8 * len(root) {
		wrong := root
		wrong[bit/8] ^= 1 << (bit % 8)
		refused("a bit of the root", wrong, number, content, proof)
	}
	for bit := range 8 * PageSize {
		content[bit/8] ^= 1 << (bit % 8)
		refused("a bit of the page", root, number, content, proof)
		content[bit/8] ^= 1 << (bit % 8)
	}
	for bit := range 32 {
		refused("a bit of the number", root, number^1<<bit, content, proof)
	}
	const hashes = ProofSize / 32
	at := func(i int) []byte { return proof[i*32 : i*32+32] }
	for i := range hashes {
		for j := range i {
			if bytes.Equal(at(i), at(j)) {
				continue // two empty parts
			}
			swapped := bytes.Clone(proof)
			copy(swapped[i*32:], at(j))
			copy(swapped[j*32:], at(i))
			refused("two hashes swapped", root, number, content, swapped)
		}
	}
	for n := range len(proof) {
		refused("too short", root, number, content, proof[:n])
		refused("its beginning is missing", root, number, content, proof[len(proof)-n:])
	}
	refused("too long", root, number, content, append(bytes.Clone(proof), 0))
	refused("too long", root, number, content, append(bytes.Clone(proof), proof...))
	refused("no page", root, number, nil, proof)
	refused("a short page", root, number, content[1:], proof)
	refused("a long page", root, number, append(bytes.Clone(content), 0), proof)
	refused("no proof", root, number, content, nil)
	if !Verify(root, number, content, proof) {
		t.Error("the proof was not restored")
	}
}

// TestAbsentPages: it can be proved that a page is zero, and not that it is not.
func TestAbsentPages(t *testing.T) {
	var tree Tree
	set(t, &tree, Page{5, filled(5)})
	zero := make([]byte, PageSize)
	root := Root(tree.Hash(), nil)
	for _, number := range []uint32{4, 6, 0, 1000, Pages - 1} {
		proof, err := tree.Prove(number, nil)
		if err != nil || !Verify(root, number, zero, proof) || Verify(root, number, filled(5), proof) {
			t.Errorf("page %d: %v", number, err)
		}
	}
	proof, err := tree.Prove(5, nil)
	if err != nil || Verify(root, 5, zero, proof) || !Verify(root, 5, filled(5), proof) {
		t.Error(err)
	}
}

// TestNodesAreNoPages: no cut of a page's proof makes a node pass for a page.
func TestNodesAreNoPages(t *testing.T) {
	root, content, proof := proved(t, 77)
	// The four parts of the node above the page, as the bytes of a page.
	page := make([]byte, PageSize)
	copy(page, proof[:32])
	hash := HashPage(content)
	copy(page[32:], hash[:])
	copy(page[64:], proof[32:96])
	if Verify(root, 77/Fanout, page, append(proof[96:len(proof):len(proof)], make([]byte, 96)...)) {
		t.Error("accepted")
	}
}

// TestSectionProofs: the hashes of all sections prove one section.
func TestSectionProofs(t *testing.T) {
	sections := []Section{{"clock", []byte("12")}, {"program", []byte("x")}}
	hashes, err := HashSections(sections)
	if err != nil {
		t.Fatal(err)
	}
	tree := new(Tree).Hash()
	root := Root(tree, hashes)
	if !VerifySection(root, "clock", []byte("12"), tree, hashes) || !VerifySection(root, "program", []byte("x"), tree, hashes) {
		t.Error("refused")
	}
	other := tree
	other[0] ^= 1
	for why, accepted := range map[string]bool{
		"content": VerifySection(root, "clock", []byte("13"), tree, hashes),
		"name":    VerifySection(root, "program", []byte("12"), tree, hashes),
		"absent":  VerifySection(root, "random", nil, tree, hashes),
		"tree":    VerifySection(root, "clock", []byte("12"), other, hashes),
		"cut":     VerifySection(root, "clock", []byte("12"), tree, hashes[:1]),
		"order":   VerifySection(root, "clock", []byte("12"), tree, []SectionHash{hashes[1], hashes[0]}),
		"root":    VerifySection(other, "clock", []byte("12"), tree, hashes),
	} {
		if accepted {
			t.Errorf("accepted: %s", why)
		}
	}
}

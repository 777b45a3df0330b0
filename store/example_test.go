package store_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// A state is kept, opened by its root, and one of its pages proved to a verifier that knows only
// the root.
func Example() {
	s, err := store.New(store.NewMemory()) // or the result of pebble.Open
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	// The host has pages in memory and a tree over them, which it updates with the touched pages.
	memory := map[uint32][]byte{16: bytes.Repeat([]byte("gyr "), state.PageSize/4)}
	var tree state.Tree
	if err := tree.Update([]state.Page{{Number: 16, Content: memory[16]}}); err != nil {
		log.Fatal(err)
	}
	committed, err := s.Commit(store.Change{
		Name: "ledger", Seq: 1, Tree: tree,
		Sections: []state.Section{{Name: "clock", Content: []byte{12}}, {Name: "program", Content: []byte("ledger v1")}},
		Page:     func(number uint32) ([]byte, error) { return memory[number], nil },
	})
	if err != nil {
		log.Fatal(err)
	}

	v, err := s.Open("ledger", 1)
	if err != nil {
		log.Fatal(err)
	}
	page := make([]byte, state.PageSize)
	if err := v.ReadPage(16, page); err != nil {
		log.Fatal(err)
	}
	opened := v.Tree()
	proof, err := opened.Prove(16, v.SectionHashes())
	if err != nil {
		log.Fatal(err)
	}
	root := committed[0].Root
	fmt.Println(v.Entry().Root == root, len(proof), state.Verify(root, 16, page, proof))
	page[0] = 'G'
	fmt.Println(state.Verify(root, 16, page, proof))
	// Output:
	// true 992 true
	// false
}

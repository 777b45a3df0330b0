// Command merkle builds Merkle trees with crypto/sha256, makes proofs and checks them. The
// size is the number of leaves.
//
// Usage: merkle [size]
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
)

type hash = [sha256.Size]byte

func leaf(data []byte) hash {
	h := sha256.New()
	h.Write([]byte{0})
	h.Write(data)
	return hash(h.Sum(nil))
}

func inner(a, b hash) hash {
	var buf [1 + 2*sha256.Size]byte
	buf[0] = 1
	copy(buf[1:], a[:])
	copy(buf[1+sha256.Size:], b[:])
	return sha256.Sum256(buf[:])
}

// tree returns all levels, the leaves first; an odd node rises as it is.
func tree(leaves []hash) [][]hash {
	levels := [][]hash{leaves}
	for row := leaves; len(row) > 1; {
		var up []hash
		for i := 0; i+1 < len(row); i += 2 {
			up = append(up, inner(row[i], row[i+1]))
		}
		if len(row)%2 == 1 {
			up = append(up, row[len(row)-1])
		}
		levels = append(levels, up)
		row = up
	}
	return levels
}

type step struct {
	sibling hash
	left    bool // the sibling's side
}

func proof(levels [][]hash, i int) (p []step) {
	for _, row := range levels[:len(levels)-1] {
		if s := i ^ 1; s < len(row) {
			p = append(p, step{row[s], s < i})
		}
		i /= 2
	}
	return p
}

func check(root, h hash, p []step) bool {
	for _, s := range p {
		if s.left {
			h = inner(s.sibling, h)
		} else {
			h = inner(h, s.sibling)
		}
	}
	return bytes.Equal(h[:], root[:])
}

func main() {
	n := size(10000)
	leaves := make([]hash, n)
	for i := range leaves {
		leaves[i] = leaf(strconv.AppendInt([]byte("transaction "), int64(i)*7919, 10))
	}
	levels := tree(leaves)
	root := levels[len(levels)-1][0]
	good, bad := 0, 0
	for i := 0; i < n; i += 7 {
		p := proof(levels, i)
		if check(root, leaves[i], p) {
			good++
		}
		if len(p) > 0 {
			p[i%len(p)].sibling[i%32] ^= 1
			if !check(root, leaves[i], p) {
				bad++
			}
		}
	}
	fmt.Println(len(levels), good, bad, hex.EncodeToString(root[:]))
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}

// Package state defines the state of an instance as data that two machines can compare: pages of
// memory under a hash tree, named sections beside them, and one hash over everything, the root. It
// imports only the standard library, so that a program that only checks proofs, such as a light
// client of a chain, need not link a compiler.
//
// File hash.go has the hashes, tree.go the tree, root.go the sections and the root, proof.go proofs
// of pages and sections, file.go a state as a file, chunk.go a state in pieces that are checked
// each by itself, code.go pages in both.
//
// # The tree
//
// Linear memory has an address space of 4 GiB, which is 2^20 pages of 4 KiB. A tree of fan-out 4
// and ten levels covers all of them, whatever the memory limit is. So the number of a page decides
// its path, and no hash has to cover the shape. Most of the tree is empty: a subtree of zeros has a
// hash that depends only on its level, takes no memory, and equals the result of writing zeros
// everywhere below. Growing memory therefore changes no root.
//
//	root      SHA-256(3, tree, record)              tree: the hash of level 10
//	record    SHA-256(4, for each section: length of the name as uvarint, name, hash)
//	section   SHA-256(2, content)
//	level n   SHA-256(1, the hashes of its four parts of level n-1)
//	level 0   SHA-256(0, the 4096 bytes of a page)
//
// The first byte separates the five kinds (domain separation): a page whose bytes imitate a node, a
// record or a root does not have the hash of one.
//
// # Why these
//
// SHA-256 has instructions on amd64 and arm64 that package crypto/sha256 uses, and every platform
// has an implementation to verify it. Measured on the machine of this decision: 2.3 µs a page (1.8
// GB/s), against 9.7 µs for SHA3-256 and 11.4 µs for SHA-512/256. BLAKE3 would be a dependency.
//
// The fan-out is the one with the cheapest path for a page. SHA-256 works in blocks of 64 bytes,
// and a tag byte and the padding need 10 more: a node of fan-out 2, 4, 8 or 16 is 2, 3, 5 or 9
// blocks, for 20, 10, 7 or 5 levels. The root after 4 touched pages of 64 MiB, eight sections
// included, took 19.2, 16.8, 16.7 and 18.8 µs, with 55, 27, 18 and 13 new nodes of 4.7, 4.6, 6.0
// and 9.4 KB in total. Hashing the four pages alone took 8.6 µs (BenchmarkUpdate, the least of 45).
// Fan-outs 4 and 8 are equally fast; 4 has the smaller proofs: 992 bytes against 1,600.
//
// # Versions
//
// A [Tree] is a small value that refers to immutable nodes. A copy of it is a snapshot, and going
// back to one is an assignment. An update makes new nodes on the paths of the given pages: its cost
// follows from their number. A tree may also refer to nodes that are not in memory ([Load]). They
// are read when an update, a proof or a comparison reaches them, and checked against the hash by
// which they were requested.
package state

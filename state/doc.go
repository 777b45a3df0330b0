// Package state says what the state of an instance is as data that two machines can compare: pages of memory under a hash
// tree, named sections beside them, and one hash over all of it, the root. It imports nothing but the standard library, so
// that whoever only checks proofs, such as a light client of a chain, need not link a compiler.
//
// # The tree
//
// Linear memory has an address space of 4 GiB, which is 2^20 pages of 4 KiB. A tree of fan-out 4 and ten levels stands on
// all of them, whatever the memory limit is, so that the place of a page decides its path and nothing about the shape has to be
// hashed. Most of it is empty: a subtree of zeros has a hash that depends on its level alone, takes no memory, and is equal
// to what writing zeros everywhere below gives. Growing memory therefore changes no root.
//
//	root      SHA-256(3, tree, record)              tree: the hash of level 10
//	record    SHA-256(4, for each section: length of the name as uvarint, name, hash)
//	section   SHA-256(2, content)
//	level n   SHA-256(1, the hashes of its four parts of level n-1)
//	level 0   SHA-256(0, the 4096 bytes of a page)
//
// The first byte keeps the five kinds apart (domain separation): a page whose bytes are made to look like a node, a record or a
// root does not have the hash of one.
//
// # Why these
//
// SHA-256 has instructions on amd64 and arm64 that package crypto/sha256 uses, and everybody has a verifier of it. Measured on
// the machine where this was decided: 2.3 µs a page (1.8 GB/s), against 9.7 µs for SHA3-256 and 11.4 µs for
// SHA-512/256. BLAKE3 would be a dependency.
//
// The fan-out is the one for which a page's path is cheapest. SHA-256 works in blocks of 64 bytes, and a tag byte and the
// padding need 10 more: a node of fan-out 2, 4, 8 or 16 is 2, 3, 5 or 9 blocks, for 20, 10, 7 or 5 levels. The root after
// 4 touched pages of 64 MiB, eight sections included, took 19.2, 16.8, 16.7 and 18.8 µs with 55, 27, 18 and 13 new nodes
// of together 4.7, 4.6, 6.0 and 9.4 KB, where hashing the four pages alone took 8.6 µs (BenchmarkUpdate, the least of
// 45). Of 4 and 8, which are equally fast, 4 has the smaller proofs: 992 bytes against 1,600.
//
// # Versions
//
// A [Tree] is a small value that refers to nodes which nobody changes once they are made. A copy of it is a snapshot,
// going back to one is an assignment, and an update makes new nodes on the paths of the pages that it was given: its cost
// follows from how many those are. A tree may also refer to nodes that are not in memory and are read when an update, a
// proof or a comparison comes to them ([Load]). What is read is held against the hash by which it was asked for.
package state

// Package store keeps the states of instances, as package state describes them, by their roots:
// pages, the nodes of the hash tree above them, and sections. It works on any ordered key-value
// database ([Backend]); [NewMemory] is one in memory, and the module
// github.com/gyrvm/gyr/store/pebble one on disk.
//
// File record.go has the keys and records, commit.go and prune.go the writes, version.go the reads,
// check.go the check of everything.
//
// # What is kept
//
// A version is a state with a name, that of an instance, and a sequence number, such as a block's
// height. Versions of one name have ascending numbers. One [Store.Commit] adds versions of any
// number of names, all or none.
//
// Everything else is an object: a page, a node of the tree or the content of a section, kept under
// its hash. Two versions, of one instance or of several that began alike, share their common
// objects. A commit walks down the tree of the new state until it meets objects that are already
// kept, so its cost follows from what has changed; it asks for the contents of new pages only.
// Pages of zeros are not kept at all.
//
// A reference count says how many nodes and versions refer to an object. [Store.Prune] drops a
// version and all objects without a remaining reference; any version can go, in any order. Most
// objects have one reference, and such an object has no record of its count.
//
//	'p' hash                     a page
//	'n' hash                     a node: the hashes of its parts
//	's' hash                     the content of a section
//	'c' hash                     its number of references, if that is not 1, and a checksum
//	'v' length of name, name, n  a version: root, hash of the tree, hashes of the sections, and a checksum that covers the key
//	'w' n                        the keys of a portion of objects that an unfinished commit has written
//
// # What holds after a crash
//
// The record of a version is written in one atomic and durable write, together with the objects and
// counts that it needs. Before that, a large commit writes its objects in portions. Nothing refers
// to these objects yet, and each portion has a list ('w') of them. The last write removes the
// lists. A store that opens and finds lists removes the listed objects, because they belong to an
// unfinished commit. A commit after a failed one does the same. No list names an object that
// existed before.
//
// # What is never trusted
//
// Every object that is read is checked against the hash by which it was requested. That hash comes
// from the record of a version or from an object that was checked itself; records and counts have
// checksums. A flipped bit is a [*CorruptError] that says what is damaged, in which version. The
// damaged bytes are not returned. A caller that has the root from elsewhere compares it with
// [Version.Entry], and has then authenticated everything that the version returns. If others can
// write to the database, they can make versions of their own, so that this comparison is necessary.
package store

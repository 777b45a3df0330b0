// Package store keeps the states of instances, as package state describes them, by their roots: pages, the nodes of the hash tree
// above them, and sections. It stands on any ordered key-value database ([Backend]); [NewMemory] is one in memory, and
// the module github.com/gyrvm/gyr/store/pebble one on disk.
//
// # What is kept
//
// A version is a state with a name, which is that of an instance, and a sequence number, such as a block's height.
// Versions of one name have ascending numbers. One [Store.Commit] adds versions of any number of names, all or none.
//
// Everything else is an object: a page, a node of the tree or the content of a section, kept under its hash. What two
// versions have in common, of one instance or of several that began alike, is there once. A commit walks down the tree of
// the new state until it meets what is already kept, so its cost follows from what has changed; it asks for the contents
// of those pages that are new. Pages of zeros are not kept at all.
//
// A reference count says of each object how many nodes and versions refer to it. [Store.Prune] drops a version and whatever has
// no reference left; any version can go, in any order. Most objects have one reference, and none of those has a record of it.
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
// The record of a version is written in one atomic and durable write together with all that it makes necessary: objects,
// counts. A commit of much is written in portions before that, none of which anything refers to, each with a list ('w')
// of what it has. The last write removes the lists. A store that opens and finds lists removes what they name, since
// those objects belong to a commit that did not come to its end, and so does a commit after one that failed. Objects that
// were there before are in no list.
//
// # What is never believed
//
// Every object that is read is held against the hash by which it was asked for, which comes from the record of a version
// or from an object that was checked itself; records and counts have checksums. A flipped bit is a [*CorruptError] that
// says what is damaged, in which version. The bytes are not returned. Who holds the root from elsewhere compares it with
// [Version.Entry], and has then authenticated all that the version returns. A database that somebody else may write to
// can make versions of its own and has to be authenticated in this way.
package store

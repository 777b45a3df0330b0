// Package cache keeps compiled programs on disk, for the process that trusts them: optimised IR,
// the snapshot that instances start from, register code and machine code. No verifier could tell
// whether these are correct, so they are never read from anywhere else; portable images (package
// image) are the form that travels between machines.
//
// File dir.go has the directory and its files, mac.go their frame, trim.go their removal. The kinds
// of entries are in program.go, base.go and result.go; engineid.go and buildid.go have the engine's
// part of their names.
//
// # Trust
//
// A cache is a directory that belongs to the user of the process and that nobody else can enter
// (mode 0700). It holds a random key that was made with it. Every entry carries an HMAC-SHA-256
// under that key, over its name and its contents, and is used only if the MAC is right: an attacker
// who can forge one can read the user's files already. A file that is damaged, cut off, renamed or
// from another machine counts as no entry, and the program is compiled again. Nothing in the
// directory can make a run fail or end differently; at worst the cache does not help.
//
// # Names
//
// An entry's name is a hash of everything that decides the result and is known before a source file
// is read: the determinism version, the identity of the engine, the Go installation and its
// release, the environment that loading reads, and the request: directory, patterns, tags,
// switches. The engine's identity ([EngineID]) follows from what gyr was built from. So a relinked
// host finds its entries, and no engine reads those of another. Facts that only reading reveals are
// in the entry: the list of files and directories that were read, each with a hash of its contents
// ([filetree.Inputs]). The entry is used if all of them are unchanged. Size, times and inode show that
// a file has not changed.
//
// # Concurrency
//
// Entries appear whole, by rename, and are never changed, so any number of processes may share a
// directory. Two processes that write the same entry write the same contents. A process that loses
// an entry to eviction or to `gyr clean` while reading it has the file open already.
//
// # Size
//
// When a directory grows beyond its limit, the least recently used entries go first. A file's
// modification time is the time of its last use, to the hour. A small file tells whether anything
// has to be removed: see trim.go.
package cache

package store

import "errors"

// A Backend is an ordered map from keys to values that outlives the process. Package storetest
// checks the following contract. Keys and prefixes have 1 to 300 bytes, and the first byte is not
// 0: keys that begin with 0 are the backend's own. Values have any size. One Write of a Store has
// about 4 MiB, plus one section.
//
// Several goroutines may call Get, Has and Scan at once and while Write runs. Only one at a time
// calls Write.
type Backend interface {
	// Get returns the value of a key and whether the key exists. The caller owns the value. A
	// backend that finds damage itself, here or in Scan, returns an error with state.ErrDamaged in
	// its chain.
	Get(key []byte) (value []byte, ok bool, err error)
	// Has reports whether a key has a value. Most of the keys that it is asked for have none.
	Has(key []byte) (bool, error)
	// Scan calls each with the keys that begin with a prefix, in ascending order of bytes, or
	// descending if reverse is set, until it returns false. Key and value are valid during the
	// call.
	Scan(prefix []byte, reverse bool, each func(key, value []byte) bool) error
	// Write does all of some writes or, if it returns an error, none. A crash leaves all or none.
	// If durable is set, these writes and all before them survive any later crash. Otherwise a
	// crash may lose the last writes, but never one before a write that survives. A backend that
	// cannot tell whether a failed write was done returns errors of type [*BrokenError] from then
	// on, until it is opened anew.
	Write(writes []Write, durable bool) error
	// Close ends the use of the backend.
	Close() error
}

// A Write sets a key to a value, or removes it if the value is nil. The Backend neither changes nor
// keeps it.
type Write struct{ Key, Value []byte }

// ErrClosed is returned by methods of a closed store, version or backend.
var ErrClosed = errors.New("store: closed")

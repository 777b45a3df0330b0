package gyr

import "github.com/gyrvm/gyr/internal/run/rt"

// A Handle is an object of the host that a guest may keep and give back, and nothing else. The guest's
// type for it is a defined type whose underlying type is uint64 or a struct with one field of type uint64 that is not
// exported, so that its packages decide who can see the number.
//
// A handle gets its number when it first crosses into an instance: 1, 2, 3 and so on, and the same object has the
// same number. A number that comes back is looked up in the table of that instance, with the type: one that
// the instance does not know, that belongs to an object of another type or to one that is closed is an error that
// names it, of the call or host function in question. The zero Handle refers to nothing, and is 0 in the guest. Each object
// in the table counts 128 bytes against Config.Memory.
//
// The table is emptied, and each object in it that is an [io.Closer] closed, by [Instance.Reset] and
// [Instance.Close], the last one first, and errors are dropped. Reset waits for that, Close for at most 10 ms, and what takes
// longer goes on. An object that is to survive an instance, as one that several instances share, has to be of a type without a Close method.
//
// A Handle may be used by any number of goroutines, as far as its object may.
type Handle[T any] struct{ h rt.Handle[T] }

// NewHandle returns a handle of v. Handles of one object, v being a pointer for instance, are the same to guests.
func NewHandle[T any](v T) Handle[T] { return Handle[T]{rt.NewHandle(v)} }

// Value returns the object, the zero value of T for the zero Handle.
func (h Handle[T]) Value() T { return h.h.Value() }

// Close closes the object, if it is an [io.Closer], and makes all instances refuse its numbers. Further calls, and the
// ends of instances, do nothing; Close returns what the first returned.
func (h Handle[T]) Close() error { return h.h.Close() }

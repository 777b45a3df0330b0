package gyr

import "github.com/gyrvm/gyr/internal/run/rt"

// A Handle refers to an object of the host that a guest may only keep and give back. The guest's
// type for it is a defined type. Its underlying type is uint64, or a struct with one unexported
// field of type uint64, so that the guest's packages decide which code can see the number.
//
// A handle gets its number when it first crosses into an instance: 1, 2, 3 and so on. The same
// object keeps the same number. A number that comes back is looked up, with its type, in the table
// of that instance. The call or host function fails with an error that names the number if the
// instance does not know it, if its object has another type, or if its object is closed. The zero
// Handle refers to nothing and is 0 in the guest. Each object in the table counts 128 bytes against
// Config.Memory.
//
// [Instance.Reset] and [Instance.Close] empty the table. They close each object in it that is an
// [io.Closer], the last one first, and drop errors. Reset waits for that. Close waits at most 10
// ms, and a slower object goes on closing. An object that has to survive an instance, for example
// because several instances share it, must have a type without a Close method.
//
// Any number of goroutines may use a Handle if they may use its object.
type Handle[T any] struct{ h rt.Handle[T] }

// NewHandle returns a handle of v. Handles of one object, for instance of equal pointers, are the
// same to guests.
func NewHandle[T any](v T) Handle[T] { return Handle[T]{rt.NewHandle(v)} }

// Value returns the object, or the zero value of T for the zero Handle.
func (h Handle[T]) Value() T { return h.h.Value() }

// Close closes the object, if it is an [io.Closer], and makes all instances refuse its numbers.
// Later calls, and the ends of instances, do nothing; a later Close returns the first result.
func (h Handle[T]) Close() error { return h.h.Close() }

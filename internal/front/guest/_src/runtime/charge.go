package runtime

// charge charges for n bytes of work that is not in the price of this package's
// functions, weight being one of the constants below. The charge is placed at the call
// (internal/gas); the function does nothing.
func charge(n, weight uintptr) {}

// Weights of counted work, as in internal/gas.
const (
	moveWeight  = 4
	allocWeight = 12
	hashWeight  = 8
	ioWeight    = 32
	frameWeight = 3072 // a frame of a traceback
	unitWeight  = 128  // a unit

	goroutineWeight = 250 * unitWeight // finding the stack of a goroutine that waits

	specialWeight     = 256  // passing by a special of the same object
	moveSpecialWeight = 4096 // moving one to a larger table
)

//go:build race

package rt

// raced says that the race detector is on, under which more is allocated.
const raced = true

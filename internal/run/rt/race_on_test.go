//go:build race

package rt

// raced says that the race detector is on. It makes the program allocate more.
const raced = true

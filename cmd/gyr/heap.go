package main

// A compilation allocates a few hundred megabytes, of which little is garbage before it
// ends: collecting while the heap is small takes a fifth of its time. The ballast lets the
// host's collector begin when the heap holds as much again. None of it is ever touched, so
// it takes no memory.
const ballastSize = 96 << 20

var ballast = make([]byte, ballastSize)

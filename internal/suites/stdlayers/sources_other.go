//go:build !linux

package stdlayers

// sources returns nothing: this system does not show the parent of a process.
func sources() string { return "" }

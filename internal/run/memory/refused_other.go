//go:build !linux

package memory

// refusal returns nothing: the limits of this system are not known.
func refusal() string { return "" }

//go:build !linux

package memory

// refusal returns nothing: what limits there are is not known here.
func refusal() string { return "" }

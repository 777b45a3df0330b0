//go:build !unix

package measure

// Self has no source of the figures here.
func Self() Usage { return Usage{} }

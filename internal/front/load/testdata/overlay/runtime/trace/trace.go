// Package trace is empty but for what package testing mentions.
package trace

import "io"

func Start(w io.Writer) error { return nil }
func Stop()                   {}
func IsEnabled() bool         { return false }

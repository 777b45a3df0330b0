//go:build gyrstd

package main

import _ "embed"

// The file is made by gyr std build -o cmd/gyr/std.gyrstd, and by internal/cmd/release. It is not
// in the repository.
//
//go:embed std.gyrstd
var stdFile []byte

func init() { embeddedStd = stdFile }

//go:build linux || darwin

package native

import "github.com/gyrvm/gyr/internal/back/native/arm64"

// thisHost is the host of this process.
var thisHost = newHost(arm64.CPU{}, Enter, exitAddress)

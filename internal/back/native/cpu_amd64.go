package native

import "github.com/gyrvm/gyr/internal/back/native/amd64"

// thisHost is the host of this process.
var thisHost = newHost(amd64.CPU{}, Enter, exitAddress)

package native

import "github.com/gyrvm/gyr/internal/back/native/amd64"

// thisHost is what this process runs on.
var thisHost = newHost(amd64.CPU{}, Enter, exitAddress)

//go:build !arm64

package listing

import (
	"github.com/gyrvm/gyr/internal/back/native/amd64"
	"github.com/gyrvm/gyr/internal/back/native/amd64/disasm"
)

// target is the processor whose code is listed. It is amd64 also on machines that interpret programs.
var target = processor{amd64.CPU{}, disasm.Decode}

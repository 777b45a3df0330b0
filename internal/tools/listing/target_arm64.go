package listing

import (
	"github.com/gyrvm/gyr/internal/back/native/arm64"
	"github.com/gyrvm/gyr/internal/back/native/arm64/disasm"
)

var target = processor{arm64.CPU{}, disasm.Decode}

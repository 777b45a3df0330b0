package listing

import (
	"github.com/gyrvm/gyr/internal/back/native/amd64"
	"github.com/gyrvm/gyr/internal/back/native/amd64/disasm"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// target is the processor whose code is listed: the one that there is, also where programs
// are interpreted.
var target = struct {
	cpu    plan.CPU
	decode plan.Decoder
}{amd64.CPU{}, disasm.Decode}

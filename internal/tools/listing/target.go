package listing

import (
	"github.com/gyrvm/gyr/internal/back/native/amd64"
	"github.com/gyrvm/gyr/internal/back/native/amd64/disasm"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// target is the processor whose code is listed. It is the only one that is supported, and it is
// listed also on machines that interpret programs.
var target = struct {
	cpu    plan.CPU
	decode plan.Decoder
}{amd64.CPU{}, disasm.Decode}

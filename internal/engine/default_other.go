//go:build !(linux && (amd64 || arm64))

package engine

import "github.com/gyrvm/gyr/api"

// DefaultTier executes the code of instances whose Config has no Tier. Where there is machine code
// nevertheless, a Config names it.
const DefaultTier = api.TierInterp

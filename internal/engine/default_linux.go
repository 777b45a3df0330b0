//go:build amd64 || arm64

package engine

import "github.com/gyrvm/gyr/api"

// DefaultTier executes the code of instances whose Config has no Tier, unless the system denies
// memory for code (see CheckNative and Program.NativeError) or the instance needs what only the
// interpreter does: profiles, and counting operations.
const DefaultTier = api.TierNative

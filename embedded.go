//go:build gyrsources

package gyr

import (
	"embed"

	"github.com/gyrvm/gyr/internal/cache"
)

// sources has everything that decides what a cache keeps (TestEmbeddedSources). The tag gyrsources
// puts it into the executable, so that a cache knows the engine where build information does not.
//
//go:embed go.mod api internal/back internal/cache internal/cancel internal/decode internal/engine internal/failure
//go:embed all:internal/front internal/gas internal/hostfile internal/image internal/ir internal/opt
//go:embed internal/printable internal/release internal/run internal/stdfile state
var sources embed.FS

func init() { cache.SetSources(sources) }

package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// initEmbed fills a variable that a go:embed directive names.
func (l *lowerer) initEmbed(g *ssa.Global, addr uint32, t types.Type) {
	_ = g
	_ = addr
	_ = t
}

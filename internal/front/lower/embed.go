package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load"
)

// The layout of embed.FS's file record: name, data, hash. The order is that of package embed.
const embedFileSize, embedData, embedHash = 48, 16, 32

// initEmbed fills a variable that a go:embed directive names.
func (l *lowerer) initEmbed(g *ssa.Global, addr uint32) {
	pkg := l.prog.PackageOf(g.Pkg)
	if pkg == nil || len(pkg.Embeds) == 0 {
		return
	}
	v, _ := g.Object().(*types.Var)
	e := pkg.Embeds[v]
	if e == nil {
		return
	}
	text := func(at uint32, data []byte) {
		if len(data) > 0 {
			l.lay.SetInt64(at, int64(l.lay.String(string(data))))
		}
		l.lay.SetInt64(at+8, int64(len(data)))
	}
	switch e.Kind {
	case load.EmbedString:
		text(addr, e.Files[0].Data)
	case load.EmbedBytes:
		// A program may write to a byte slice, so its bytes are a separate variable.
		data := e.Files[0].Data
		at := l.lay.Global(max(1, int64(len(data))), 1, nil, g.String()+".data")
		l.lay.SetBytes(at, data)
		l.lay.SetInt64(addr, int64(at))
		l.lay.SetInt64(addr+8, int64(len(data)))
		l.lay.SetInt64(addr+16, int64(len(data)))
	case load.EmbedFS:
		n := uint32(len(e.Files))
		list := l.lay.Global(24, 8, nil, g.String()+".files")
		files := l.lay.Global(int64(max(1, n))*embedFileSize, 8, nil, g.String()+".list")
		for i, f := range e.Files {
			at := files + uint32(i)*embedFileSize
			text(at, []byte(f.Name))
			text(at+embedData, f.Data)
			l.lay.SetBytes(at+embedHash, f.Hash[:])
		}
		l.lay.SetInt64(list, int64(files))
		l.lay.SetInt64(list+8, int64(n))
		l.lay.SetInt64(list+16, int64(n))
		l.lay.SetInt64(addr, int64(list))
	}
}

package load

import (
	"context"
	"errors"
	"fmt"
	"go/parser"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/bounds"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// The size of the sources, Limits.SourceBytes.
//
// Files are read and parsed in parallel. The order of reading decides which file makes the program
// exceed its limit, so the error names no file, and no total: it ends the load (tooMuch). Then a
// second load, which parses only imports, counts all files (measure).

// Every file counts with at least minFile bytes.
const minFile = 1 << 10

// A tooMuch ends a load whose sources are larger than a limit.
type tooMuch struct{ error }

func (e *tooMuch) Unwrap() error { return e.error }

// account returns whose limits a package outside the standard library counts for. Modules count
// apart only if they are from the module cache: what the program's tree contains in vendor
// directories and in directories that replace modules is the program's own, whatever go.mod calls
// it.
func (p *place) account() budget.Account {
	if p.host || p.mod != nil && p.mod.Cached {
		return budget.Modules
	}
	return budget.Own
}

// tooLarge counts a file, and reports whether it exceeds a limit.
func (l *loader) tooLarge(p *pkg, f *file, src []byte) bool {
	a := p.account()
	n, most := l.bytes[a].Add(int64(max(len(src), minFile))), l.limits[a].SourceBytes
	switch {
	case l.cfg.counting:
		if sum, most := l.bytes[budget.Own].Load()+l.bytes[budget.Modules].Load(), l.mostCounted(); sum > most {
			what := fmt.Sprintf("the program's files and those of its modules together have more than %d bytes", most)
			l.stop(&api.CompileLimitError{Limit: "SourceBytes", Max: l.limits[budget.Own].SourceBytes, What: what})
		}
		return false
	case n > most:
		l.stop(&tooMuch{sourceBytes(a, most, 0)})
		return true
	}
	f.limit = bounds.Brackets(diag.DotSlash(l.Short(f.name)), src, a.Field("Nesting"), l.limits[a].Nesting)
	return f.limit != nil
}

// mostCounted is how many bytes a counting load reads.
func (l *loader) mostCounted() int64 {
	return budget.Mul(2, budget.Add(l.limits[budget.Own].SourceBytes, l.limits[budget.Modules].SourceBytes))
}

// sourceBytes returns the error for sources of n bytes, 0 if that is not known.
func sourceBytes(a budget.Account, most, n int64) error {
	what := "the program's own files"
	if a == budget.Modules {
		what = "the files of modules"
	}
	if n == 0 {
		what += " are too large"
	} else {
		what += fmt.Sprintf(" have %d bytes", n)
	}
	return &api.CompileLimitError{Limit: a.Field("SourceBytes"), Max: most, Measured: n, What: what}
}

// overBytes returns the error of sources that are too large, after all of them were read.
func (l *loader) overBytes() error {
	for a := range budget.Accounts {
		if n, most := l.bytes[a].Load(), l.limits[a].SourceBytes; n > most {
			return sourceBytes(a, most, n)
		}
	}
	return nil
}

// measure returns the error of a load that ended with e, with the size of all sources.
func measure(ctx context.Context, cfg Options, e *tooMuch) error {
	cfg.counting = true
	_, err := load(ctx, cfg)
	switch {
	case errors.As(err, new(*api.CompileLimitError)):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return e.error // the files have changed
}

// countOnly makes the mode of parsing that of a counting load.
func (l *loader) countOnly(p *pkg, mode parser.Mode) parser.Mode {
	if l.cfg.counting && !p.origin.std() {
		return parser.ImportsOnly | parser.SkipObjectResolution
	}
	return mode
}

package research

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// strangeModes are modes of tree entries that a candidate may not add: they point elsewhere.
var strangeModes = map[string]string{"120000": "a symbolic link", "160000": "a submodule"}

// scope says why changes are outside of the allowed scope; empty if they are not.
func (s *Session) scope(changes []gitx.Change) string {
	lines := 0
	for _, c := range changes {
		switch sc := &s.config.Scope; {
		case s.evaluator.locked[c.Path]:
			return c.Path + " belongs to the evaluator"
		case matchAny(sc.Deny, c.Path):
			return c.Path + " is denied by the scope"
		case !matchAny(sc.Allow, c.Path):
			return c.Path + " is outside the scope"
		case strangeModes[c.Mode] != "" && c.Status != 'D':
			return fmt.Sprintf("%s is %s", c.Path, strangeModes[c.Mode])
		}
		lines += c.Added + c.Removed
	}
	if most := s.config.Scope.MaxDiffLines; most > 0 && lines > most {
		return fmt.Sprintf("%d changed lines, more than %d", lines, most)
	}
	return ""
}

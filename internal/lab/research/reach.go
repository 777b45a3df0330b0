package research

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Checks that run the tests with the flags of a risk, such as -race, take many times as long as the
// tests themselves. So they run only in the packages that a change reaches: the changed packages,
// and those whose code or tests import one of them, directly or indirectly. No other test runs
// changed code.

// packagePattern reports whether an argument of go test names packages.
func packagePattern(arg string) bool {
	return arg == "." || strings.HasPrefix(arg, "./") || arg == "..." || strings.HasSuffix(arg, "/...")
}

// slow reports whether a check runs tests in a mode that takes many times as long.
func (k *Check) slow() bool { return k.Env[goFlags] != "" || slices.Contains(k.Run, "-race") }

// restrict replaces the packages of a go test check by those that the change reaches, and says so.
// A changed file that is neither Go nor Markdown may matter anywhere, so then nothing is
// restricted.
func (s *Session) restrict(ctx context.Context, k *Check, c *subject) (note string, err error) {
	if len(k.Run) < 3 || k.Run[0] != "go" || k.Run[1] != "test" || !slices.ContainsFunc(k.Run[2:], packagePattern) {
		return "", nil
	}
	if len(c.changes) == 0 {
		return "", nil
	}
	for _, ch := range c.changes {
		if ext := path.Ext(ch.Path); ext != ".go" && ext != ".md" {
			return "", nil
		}
	}
	var patterns, run []string
	at := 0 // place of the first pattern among the other arguments
	for i, arg := range k.Run {
		switch {
		case i > 1 && packagePattern(arg):
			if len(patterns) == 0 {
				at = len(run)
			}
			patterns = append(patterns, arg)
		default:
			run = append(run, arg)
		}
	}
	dir := filepath.Join(c.side.wt.Dir, k.Dir)
	var dirs []string
	for _, d := range c.changedDirs() {
		dirs = append(dirs, filepath.Join(c.side.wt.Dir, d))
	}
	changed, err := s.goList(ctx, c.side, dir, append([]string{"-f", "{{.ImportPath}}"}, dirs...))
	if err != nil || changed == nil {
		return "", err
	}
	lines, err := s.goList(ctx, c.side, dir, append([]string{"-test", "-f", "{{.ImportPath}}\t{{join .Deps \"\t\"}}"}, patterns...))
	if err != nil {
		return "", err
	}
	reached, all := map[string]bool{}, map[string]bool{}
	for _, line := range lines {
		fields := strings.Split(line, "\t")
		for i, f := range fields {
			fields[i], _, _ = strings.Cut(f, " [") // the variant of a package that is built for a test
		}
		name := strings.TrimSuffix(strings.TrimSuffix(fields[0], ".test"), "_test")
		all[name] = true
		if slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(changed, f) }) {
			reached[name] = true
		}
	}
	if len(reached) == 0 || len(reached) == len(all) {
		return "", nil
	}
	k.Run = slices.Insert(run, at, sortedKeys(reached)...)
	return fmt.Sprintf("%s: %d of %d packages, those that the change reaches", k.Name, len(reached), len(all)), nil
}

// goList are the lines of a go list; nil if it fails, for example because a package does not build.
func (s *Session) goList(ctx context.Context, d *side, dir string, args []string) ([]string, error) {
	o, err := s.runner.compile(ctx, d, dir, nil, s.config.Limits.Build.or(checkTimeout), "go", append([]string{"list"}, args...)...)
	if err != nil || o.Err() != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(o.Stdout)), "\n"), nil
}

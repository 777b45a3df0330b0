package research

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The evaluator is everything that judges: research.json except the proposer, the tests, golden
// files and scripts of the base commit, and the hidden checks. The log's config line has its hash.

// path resolves a path of the config, which is relative to research.json.
func (c *Config) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(c.Dir, p)
}

// evaluatorTests are files that judge. A candidate may bring its own if its scope allows it, and is
// judged with the base's.
var evaluatorTests = []string{"**/*_test.go", "**/testdata/**"}

// An evaluator knows which files of the base judge.
type evaluator struct {
	locked map[string]bool // no candidate may change them
	hash   string
}

// judges reports whether checks and measurements take a file from the base.
func (e *evaluator) judges(path string) bool {
	return e.locked[path] || matchAny(evaluatorTests, path)
}

// ErrEvaluator says that the evaluator differs from the session's.
var ErrEvaluator = errors.New("the evaluator changed")

// newEvaluator hashes the evaluator of a base commit.
func (s *Session) newEvaluator(ctx context.Context, base string) (*evaluator, error) {
	files, err := s.repo.Files(ctx, base)
	if err != nil {
		return nil, err
	}
	e := &evaluator{locked: map[string]bool{}}
	var words []string // words of commands, which may name files
	for _, m := range s.config.Metrics {
		words = append(append(words, m.Run...), m.Path)
	}
	for _, k := range s.config.Battery {
		for _, w := range append(k.Run, k.Golden) {
			words = append(words, w, filepath.ToSlash(filepath.Join(k.Dir, w)))
		}
	}
	for _, w := range words {
		if w = strings.TrimPrefix(filepath.ToSlash(w), "./"); files[w] != "" {
			e.locked[w] = true
		}
	}
	for _, m := range s.config.Metrics {
		if m.From == "file" {
			delete(e.locked, strings.TrimPrefix(m.Path, "./")) // the metric measures this file
		}
	}
	h := sha256.New()
	fmt.Fprintf(h, "config %s\n", configHash(s.config))
	for _, name := range sortedKeys(files) {
		if matchAny(s.config.Evaluator, name) {
			e.locked[name] = true
		}
		if e.judges(name) {
			fmt.Fprintf(h, "file %q %s\n", name, files[name])
		}
	}
	if r := s.config.replay; r != nil && r.BenchFrom != "" {
		from, err := s.repo.Resolve(ctx, r.BenchFrom)
		if err != nil {
			return nil, fmt.Errorf("-bench-from: %w", err)
		}
		fmt.Fprintf(h, "benchmarks %s\n", from)
	}
	if s.config.Hidden != nil {
		if err := hashDir(h, s.config.path(s.config.Hidden.Dir)); err != nil {
			return nil, fmt.Errorf("hidden checks: %w", err)
		}
	}
	e.hash = "sha256:" + hex.EncodeToString(h.Sum(nil))
	return e, nil
}

// hashDir hashes names, modes and contents of all files below a directory.
func hashDir(w io.Writer, dir string) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "hidden %q %v %x\n", filepath.ToSlash(rel), d.Type(), sha256.Sum256(text))
		return err
	})
}

// overwriting is a directory's file system for os.CopyFS, which does not overwrite: it removes the
// file in the target first.
func overwriting(target, dir string) fs.FS {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if rel, err := filepath.Rel(dir, path); err == nil {
				os.Remove(filepath.Join(target, rel))
			}
		}
		return nil
	})
	return os.DirFS(dir)
}

// checkEvaluator compares the evaluator with the segment's.
func (s *Session) checkEvaluator(ctx context.Context) error {
	e, err := s.newEvaluator(ctx, s.segment.Base)
	if err != nil {
		return err
	}
	if e.hash != s.segment.Evaluator {
		what := "tests, golden files or hidden checks"
		if s.segment.Hash != configHash(s.config) {
			what = "research.json"
		}
		return fmt.Errorf("%w: %s; a new segment begins with -new-segment", ErrEvaluator, what)
	}
	s.evaluator = e
	return nil
}

// judgesNothing are the keys of research.json outside of the evaluator: the proposer may change in
// a session.
var judgesNothing = []string{"$schema", "mirror", "parallel", "proposer"}

// configHash is a hash of the judging parts of a config, independent of its formatting.
func configHash(c *Config) string {
	sum := sha256.Sum256(c.without(judgesNothing...))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// without is the text of a config, formatted, without some of its keys.
func (c *Config) without(names ...string) []byte {
	var keys map[string]json.RawMessage
	if json.Unmarshal(c.Text, &keys) == nil {
		for _, name := range names {
			delete(keys, name)
		}
		if rest, err := json.Marshal(keys); err == nil {
			return rest
		}
	}
	return c.Text
}

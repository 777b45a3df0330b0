package gitx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// plain makes a git directory without configuration, hooks and refs, for commands that look at
// files. It uses the repository's objects and ignores attributes in files. A file is then, byte for
// byte, what the tree has. So the judged text is also the text that is built.
func (r *Repo) plain(ctx context.Context, dir, head string) error {
	config, err := r.formats(ctx)
	if err != nil {
		return err
	}
	// The user's ignore file for all worktrees still applies.
	var exclude []byte
	for _, name := range []string{r.ignore, filepath.Join(r.Common, "info", "exclude")} {
		if text, err := os.ReadFile(name); err == nil {
			exclude = append(append(exclude, text...), '\n')
		}
	}
	for _, d := range []string{"refs", "info"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"HEAD": head + "\n", "config": config, "info/exclude": string(exclude),
		// These override all other attribute files. "!" leaves an attribute unspecified.
		"info/attributes": "* -text -ident -working-tree-encoding !eol !filter !merge !diff !whitespace\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// plainEnv selects a plain git directory for a directory of files and an index.
func (r *Repo) plainEnv(plain, dir, index string) []string {
	return []string{"GIT_DIR=" + plain, "GIT_OBJECT_DIRECTORY=" + filepath.Join(r.Common, "objects"), "GIT_WORK_TREE=" + dir,
		"GIT_INDEX_FILE=" + index}
}

// formatKeys describe the abilities of the file system and the names of objects. A plain git
// directory copies them.
var formatKeys = []string{"core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "extensions.objectformat"}

var formatWord = regexp.MustCompile("^[a-z0-9]+$")

// formats is the configuration of a plain git directory.
func (r *Repo) formats(ctx context.Context) (string, error) {
	out, err := r.at(ctx, "config", "--null", "--list", "--no-includes")
	if err != nil {
		return "", err
	}
	text := "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
	for kv := range strings.SplitSeq(out, "\x00") {
		key, value, _ := strings.Cut(kv, "\n")
		if slices.Contains(formatKeys, key) && formatWord.MatchString(value) {
			section, name, _ := strings.Cut(key, ".")
			text += fmt.Sprintf("[%s]\n\t%s = %s\n", section, name, value)
		}
	}
	return text, nil
}

// WritePlainConfig writes only the part of the repository's configuration that describes its
// format.
func (r *Repo) WritePlainConfig(ctx context.Context, file string) error {
	config, err := r.formats(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(config), 0o666)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

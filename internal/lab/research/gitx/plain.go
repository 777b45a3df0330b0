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

// plain makes a git directory without configuration, hooks and refs, for commands that look at files: objects are the
// repository's, and attributes of the files do not count. That a file is what the tree has, byte for byte, keeps what is judged from being
// another text than what is built, too.
func (r *Repo) plain(ctx context.Context, dir, head string) error {
	config, err := r.formats(ctx)
	if err != nil {
		return err
	}
	// What the user ignores in all worktrees holds.
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
		// Stronger than all other files of attributes. "!" leaves an attribute as it is for a file of which nothing is said.
		"info/attributes": "* -text -ident -working-tree-encoding !eol !filter !merge !diff !whitespace\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// plainEnv names a plain git directory for the files of a directory and an index.
func (r *Repo) plainEnv(plain, dir, index string) []string {
	return []string{"GIT_DIR=" + plain, "GIT_OBJECT_DIRECTORY=" + filepath.Join(r.Common, "objects"), "GIT_WORK_TREE=" + dir,
		"GIT_INDEX_FILE=" + index}
}

// formatKeys are what the file system can do and how objects are named: words that the configuration of a plain git directory takes over.
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

// WritePlainConfig writes what of the repository's configuration says how it is to be read, and nothing else.
func (r *Repo) WritePlainConfig(ctx context.Context, file string) error {
	config, err := r.formats(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(config), 0o666)
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

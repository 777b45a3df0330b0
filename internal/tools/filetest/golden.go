package filetest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// escape returns the text that follows "// " for a line of a text.
func escape(s string) string {
	plain := utf8.ValidString(s) && !strings.HasPrefix(s, `\`) && strings.TrimRightFunc(s, unicode.IsSpace) == s &&
		!strings.ContainsFunc(s, func(r rune) bool { return r != '\t' && !strconv.IsPrint(r) })
	if plain {
		if h, ok := readHead(s); !ok || !h.certain() {
			return s
		}
	}
	return `\` + strconv.Quote(s)
}

func unescape(s string) (string, error) {
	quoted, ok := strings.CutPrefix(s, `\`)
	if !ok {
		return s, nil
	}
	text, err := strconv.Unquote(quoted)
	if err != nil || strings.Contains(text, "\n") {
		return s, fmt.Errorf("%s: want a Go string of one line behind a backslash", s)
	}
	return text, nil
}

// encode returns the lines of a text as a comment contains them, without slashes.
func encode(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		l, ended := strings.CutSuffix(l, "\n")
		b.WriteString(escape(l) + "\n")
		if !ended {
			b.WriteString("\\\n")
		}
	}
	return b.String()
}

// comments returns the lines of a directive in the file.
func comments(k *kind, arg, value string) string {
	if k.form == line {
		return "// " + heading(k.name, arg) + ": " + value + "\n"
	}
	var b strings.Builder
	b.WriteString("// " + heading(k.name, arg) + ":\n")
	for l := range strings.Lines(encode(value)) {
		b.WriteString(strings.TrimSuffix("// "+l, " \n"))
		if l == "\n" {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// difference is a unified diff from a golden to the actual value.
func difference(want, got string) string {
	d := diff.Diff("want", []byte(encode(want)), "got", []byte(encode(got)))
	_, d, _ = bytes.Cut(d, []byte("\n")) // its first line names a command
	return string(d)
}

// A change gives a golden a new value.
type change struct {
	at       *Directive // nil: the file does not have it yet
	kind     *kind
	arg, val string
}

// rewrite returns the file with changed goldens; the rest stays as it is.
func (f *File) rewrite(changes []change) []byte {
	lines := slices.Clone(f.lines)
	var added []change
	for _, c := range changes {
		if c.at == nil {
			added = append(added, c)
			continue
		}
		for i := c.at.first; i <= c.at.last; i++ {
			lines[i] = ""
		}
		lines[c.at.first] = comments(c.kind, c.arg, c.val)
	}
	out := strings.Join(lines, "")
	if len(added) > 0 && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	for _, c := range added {
		out += "\n" + comments(c.kind, c.arg, c.val)
	}
	return []byte(out)
}

// Replace writes a file in one step: a reader sees the old or the new contents. It fails if the
// file's contents are no longer was.
func Replace(name string, was, data []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, was) {
		return fmt.Errorf("%s changed while its test ran", name)
	}
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(st.Mode().Perm())
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// Diff returns the change that Replace would make, as a unified diff.
func Diff(name string, was, data []byte) string {
	d := diff.Diff("a/"+name, was, "b/"+name, data)
	_, d, _ = bytes.Cut(d, []byte("\n"))
	return string(d)
}

package listing

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/guest"
	"github.com/gyrvm/gyr/internal/hostfile"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/printable"
)

// Sources are the lines of source files. A file is read when its first line is asked for. A file
// that cannot be read has no lines.
type Sources struct {
	GOROOT string // of files of the standard library: engine.View.GOROOT
	files  map[string][]string
}

// maxSource is the size of the largest file that is read.
const maxSource = 1 << 24

// Line returns a line of a file, without blanks at its ends; "" if the file does not have it.
func (s *Sources) Line(file string, line int) string { return s.text(file, int32(line)) }

func (s *Sources) text(file string, line int32) string {
	lines, ok := s.files[file]
	if !ok {
		if b := s.read(file); b != nil {
			lines = strings.Split(string(b), "\n")
		}
		if s.files == nil {
			s.files = map[string][]string{}
		}
		s.files[file] = lines
	}
	if line < 1 || int(line) > len(lines) {
		return ""
	}
	return printable.Line(strings.TrimSpace(lines[line-1]))
}

// read returns a source file, or nil if it does not exist. A file of the standard library may be a
// replacement for one of the Go installation (package guest).
func (s *Sources) read(file string) []byte {
	if filepath.Ext(file) != ".go" {
		return nil // a //line directive may name any file of the machine
	}
	if rest, ok := strings.CutPrefix(file, "$GOROOT/src/"); ok {
		for _, name := range []string{rest, "answers/" + rest} {
			if b, err := fs.ReadFile(guest.Source, name); err == nil {
				return b
			}
		}
	}
	b, err := hostfile.Read(engine.SourceFile(file, s.GOROOT), maxSource)
	if err != nil {
		return nil
	}
	return b
}

// site returns a position's place in the source.
func site(m *ir.Module, p ir.Pos) (file string, line int32, ok bool) {
	file, n := m.Line(p)
	return file, int32(n), file != ""
}

// Place is a position as file:line, with the calls that it was inlined into.
func Place(m *ir.Module, p ir.Pos) string {
	var b strings.Builder
	for depth := 0; depth < 32; depth++ {
		file, line, ok := site(m, p)
		if !ok {
			break
		}
		if depth > 0 {
			b.WriteString(" in ")
		}
		fmt.Fprintf(&b, "%s:%d", filepath.Base(file), line)
		e, _ := m.Position(p)
		p = e.Parent
	}
	return b.String()
}

// brief is a position that follows other text.
func (s *Sources) brief(m *ir.Module, p ir.Pos) string {
	if place := Place(m, p); place != "" {
		return ", " + place
	}
	return ""
}

// line is a position with the text of its source line.
func (s *Sources) line(m *ir.Module, p ir.Pos) string {
	place := Place(m, p)
	if place == "" {
		return ""
	}
	file, line, _ := site(m, p)
	if t := s.text(file, line); t != "" {
		place += "  " + t
	}
	return place
}

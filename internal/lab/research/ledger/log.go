package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Read parses a log. A last line without its newline is torn: Read drops it. size is the length of
// the whole lines. A broken line before that, and one that the session did not write, is a
// DamageError; such a line has only its Raw text.
func Read(text []byte) (lines []Line, size int64, err error) {
	l := &Log{}
	size = l.read(text)
	if len(l.damage) > 0 {
		err = l.damage
	}
	return l.lines, size, err
}

// read takes the lines of a text.
func (log *Log) read(text []byte) (size int64) {
	n := 0
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break
		}
		n++
		if len(bytes.TrimSpace(line)) > 0 {
			l, err := Parse(line)
			if err != nil && len(rest) == 0 {
				// Blocks of a file may reach the disk out of order: the newline may be there and the
				// text before it not.
				break
			}
			why := ""
			if err != nil {
				why, l, log.checker.lost = "cannot be read: "+err.Error(), Line{Raw: bytes.Clone(line)}, true
			} else {
				if why = log.checker.check(line); why != "" {
					if r := l.Row; r != nil {
						why += fmt.Sprintf(" (row %d, %s: %s)", r.Run, r.Status, r.Description)
					}
					l = Line{Raw: l.Raw}
				}
			}
			if l.Config != nil && why == "" {
				log.begins = n
			}
			if why != "" {
				log.damage = append(log.damage, Damage{n, why})
			}
			log.lines = append(log.lines, l)
		}
		size += int64(len(line)) + 1
		text = rest
	}
	return size
}

// ReadFile reads the log in a file. A missing file is an empty log. With a DamageError it returns
// the lines all the same.
func ReadFile(name string) ([]Line, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	lines, _, err := Read(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return lines, err
}

// A Log is a log open for appending. Only one process may hold it, which the session's lock
// ensures. Its methods are for one goroutine at a time.
type Log struct {
	file   *os.File
	size   int64
	lines  []Line
	mirror string

	checker checker
	damage  DamageError
	begins  int // line of the last config that is genuine
}

// Damage is the damage of the last segment.
func (l *Log) Damage() (d DamageError) {
	for _, x := range l.damage {
		if x.Line > l.begins {
			d = append(d, x)
		}
	}
	return d
}

// Open opens the log in a file, creates a missing file, and cuts off a torn last line. Rows and
// configs are also appended to the file mirror, if it is not empty, in pi's form. Open rewrites the
// mirror, as lines may be missing from it.
func Open(name, mirror string) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	l := &Log{file: f, mirror: mirror}
	if err := l.load(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

func (l *Log) load() error {
	text, err := io.ReadAll(l.file)
	if err != nil {
		return err
	}
	l.size = l.read(text)
	if err := l.file.Truncate(l.size); err != nil {
		return err
	}
	if l.mirror == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.mirror), 0o777); err != nil {
		return err
	}
	var b bytes.Buffer
	for _, line := range l.lines {
		if line.Config != nil || line.Row != nil {
			b.Write(append(bytes.Clone(line.Raw), '\n'))
		}
	}
	return os.WriteFile(l.mirror, b.Bytes(), 0o666)
}

// Restore compares the file with the appended lines. If somebody else wrote, cut, replaced or
// removed the file, it restores the lines. It reports whether it had to.
func (l *Log) Restore() (changed bool, err error) {
	var b bytes.Buffer
	for _, line := range l.lines {
		b.Write(line.Raw)
		b.WriteByte('\n')
	}
	name := l.file.Name()
	text, err := os.ReadFile(name)
	if err == nil && bytes.Equal(text, b.Bytes()) {
		mine, err := l.file.Stat()
		if err != nil {
			return false, err
		}
		if now, err := os.Lstat(name); err == nil && os.SameFile(mine, now) {
			return false, nil
		}
	}
	if err := os.RemoveAll(name); err != nil {
		return true, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return true, err
	}
	l.file.Close()
	l.file, l.size = f, int64(b.Len())
	_, err = f.Write(b.Bytes())
	return true, errors.Join(err, f.Sync())
}

// Lines are the lines of the log, including appended ones.
func (l *Log) Lines() []Line { return l.lines }

// Append writes a *Config, *Event, *Phase, *Sample or *Row and returns when it is on disk. If it
// fails, for example on a full disk, the log is as before.
func (l *Log) Append(v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	text = append(seal(text[:len(text)-1], l.checker.sum), '\n')
	line, err := Parse(text[:len(text)-1])
	if err != nil {
		return err
	}
	if _, err = l.file.WriteAt(text, l.size); err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("ledger: %w", err), l.file.Truncate(l.size))
	}
	l.size += int64(len(text))
	l.lines = append(l.lines, line)
	_, l.checker.sum = unseal(line.Raw)
	if l.mirror != "" && (line.Config != nil || line.Row != nil) {
		return appendTo(l.mirror, text)
	}
	return nil
}

func appendTo(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

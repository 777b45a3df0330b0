package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// A Line is one line of a record: a pointer to one of the types of line.go.
type Line any

// types are the types of lines, by the value of the field "type".
var types = map[string]func() Line{
	"run":       func() Line { return new(Run) },
	"bench":     func() Line { return new(Bench) },
	"calibrate": func() Line { return new(Calibration) },
	"visit":     func() Line { return new(Visit) },
	"count":     func() Line { return new(Count) },
	"counters":  func() Line { return new(Counters) },
	"proof":     func() Line { return new(Proof) },
	"profile":   func() Line { return new(Profile) },
	"static":    func() Line { return new(Static) },
	"end":       func() Line { return new(End) },
}

// typeName is the name of a line's type.
func typeName(l Line) string {
	for name, make := range types {
		if fmt.Sprintf("%T", make()) == fmt.Sprintf("%T", l) {
			return name
		}
	}
	panic(fmt.Sprintf("record: no line: %T", l))
}

// Marshal encodes a line of a record, with the newline.
func Marshal(l Line) ([]byte, error) {
	body, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	head := fmt.Appendf(nil, `{"type":%q`, typeName(l))
	if len(body) > 2 {
		head = append(head, ',')
	}
	return append(append(head, body[1:]...), '\n'), nil
}

// A Record is the content of a record file.
type Record struct {
	Run       *Run
	Benches   []*Bench
	Calibrate []*Calibration
	Visits    []*Visit
	Counts    []*Count
	Counters  []*Counters
	Proofs    []*Proof
	Profiles  []*Profile
	Statics   []*Static
	End       *End
	// Cut: the last line was incomplete and was left out.
	Cut bool
}

// A NewerError says that a record has a schema that this program does not know.
type NewerError struct {
	Schema int
	Gyr    string // the version that wrote the record
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("the record has schema %d, written by gyr %s; this gyr reads up to %d: use that version, or a newer one",
		e.Schema, e.Gyr, Schema)
}

// Read reads a record. It leaves out an incomplete last line. Any other unreadable line is an error
// that names the line's number.
func Read(r io.Reader) (*Record, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	rec := &Record{}
	number := 0
	for len(data) > 0 {
		number++
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		l, err := parse(line)
		switch {
		case err != nil && !whole:
			rec.Cut = true
			continue
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", number, err)
		case number == 1:
			if _, ok := l.(*Run); !ok {
				return nil, errors.New("line 1: a record of gyr bench begins with a line of type run")
			}
		}
		if err := rec.Add(l); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if rec.Run == nil {
		return nil, errors.New("the record is empty")
	}
	return rec, nil
}

func parse(line []byte) (Line, error) {
	var head struct {
		Type   string `json:"type"`
		Schema int    `json:"schema"`
		Gyr    string `json:"gyr"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("not a line of a record: %w", err)
	}
	if head.Type == "run" && head.Schema > Schema {
		return nil, &NewerError{head.Schema, head.Gyr}
	}
	make := types[head.Type]
	if make == nil {
		return nil, fmt.Errorf("no type of line: %q", head.Type)
	}
	l := make()
	return l, json.Unmarshal(line, l)
}

// Add appends a line. A line that can exist only once replaces the earlier one.
func (r *Record) Add(l Line) error {
	switch l := l.(type) {
	case *Run:
		if r.Run != nil && r.Run.Schema != 0 {
			return errors.New("a second line of type run")
		}
		r.Run = l
	case *Bench:
		put(&r.Benches, l, func(b *Bench) string { return b.Key })
	case *Calibration:
		put(&r.Calibrate, l, func(c *Calibration) Cell { return c.Cell })
	case *Visit:
		put(&r.Visits, l, func(v *Visit) turn { return turn{v.Cell, v.Visit} })
	case *Count:
		put(&r.Counts, l, func(c *Count) Cell { return c.Cell })
	case *Counters:
		put(&r.Counters, l, func(c *Counters) Cell { return c.Cell })
	case *Proof:
		put(&r.Proofs, l, func(p *Proof) Cell { return p.Cell })
	case *Profile:
		put(&r.Profiles, l, func(p *Profile) Cell { return p.Cell })
	case *Static:
		r.Statics = append(r.Statics, l)
	case *End:
		r.End = l
	}
	return nil
}

// has reports whether a record already has a line that holds a finding, not a measurement. A
// resumed run finds the same again.
func (r *Record) has(l Line) bool {
	switch l := l.(type) {
	case *Bench:
		return alike(r.Benches, l)
	case *Proof:
		return alike(r.Proofs, l)
	case *Static:
		return alike(r.Statics, l)
	case *Visit:
		return l.Failed != "" && alike(r.Visits, l)
	}
	return false
}

// alike reports whether a list has a line with the same encoding.
func alike[T any](list []*T, l *T) bool {
	text, err := json.Marshal(l)
	return err == nil && slices.ContainsFunc(list, func(o *T) bool {
		other, err := json.Marshal(o)
		return err == nil && bytes.Equal(text, other)
	})
}

// A turn is a cell in a round.
type turn struct {
	cell  Cell
	round int
}

// put replaces the element with the same key, or appends.
func put[T any, K comparable](list *[]*T, l *T, key func(*T) K) {
	k := key(l)
	if i := slices.IndexFunc(*list, func(o *T) bool { return key(o) == k }); i >= 0 {
		(*list)[i] = l
		return
	}
	*list = append(*list, l)
}

// ReadFile reads the record in a file.
func ReadFile(name string) (*Record, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rec, nil
}

// A Log is a record that is being written. Its methods may be called by several goroutines.
type Log struct {
	mu  sync.Mutex
	w   io.Writer
	f   *os.File // to flush; nil: w is no file
	rec *Record
	err error
}

// NewLog begins a record. The writer may be nil: then lines are kept in memory alone.
func NewLog(w io.Writer, run *Run) (*Log, error) {
	run.Schema = Schema
	l := &Log{w: w, rec: &Record{}}
	l.f, _ = w.(*os.File)
	return l, l.Write(run)
}

// Resume continues a record that was read from the file. It cuts the file after its last whole
// line.
func Resume(f *os.File) (*Log, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	rec, err := Read(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	end := int64(bytes.LastIndexByte(data, '\n') + 1)
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return nil, err
	}
	rec.Cut = false
	return &Log{w: f, f: f, rec: rec}, nil
}

// Write appends a line and flushes it. It does not repeat a finding that the record has already.
func (l *Log) Write(line Line) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil || l.rec.has(line) {
		return l.err
	}
	if l.err = l.rec.Add(line); l.err != nil || l.w == nil {
		return l.err
	}
	var data []byte
	if data, l.err = Marshal(line); l.err != nil {
		return l.err
	}
	if _, l.err = l.w.Write(data); l.err == nil && l.f != nil {
		l.f.Sync() // fails only if the file is not on a disk
	}
	return l.err
}

// Record is the record so far. The log owns it, and later writes change it.
func (l *Log) Record() *Record { return l.rec }

package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// fill sets every field of a value to something other than zero, so that the test notices a field
// that is not written.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*n), 0).UTC()))
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), n)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(key, n)
		fill(value, n)
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d, \"ü\"\n", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n)) // more than a float64 holds
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.1)
	default:
		panic(v.Kind())
	}
}

// full is a line of each type with every field set.
func full(t *testing.T) map[string]Line {
	t.Helper()
	lines := map[string]Line{}
	n := 0
	for name, make := range types {
		l := make()
		fill(reflect.ValueOf(l).Elem(), &n)
		if run, ok := l.(*Run); ok {
			run.Schema = Schema
		}
		lines[name] = l
	}
	return lines
}

// TestRoundTrip: a line of any type reads as it was written, and takes one line of the file.
func TestRoundTrip(t *testing.T) {
	for name, l := range full(t) {
		data, err := Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Count(data, []byte("\n")) != 1 || !bytes.HasSuffix(data, []byte("\n")) || !bytes.HasPrefix(data, []byte(`{"type":"`+name+`"`)) {
			t.Errorf("%s: %q", name, data)
		}
		back, err := parse(bytes.TrimSuffix(data, []byte("\n")))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(l, back) {
			t.Errorf("%s: wrote %+v, read %+v", name, l, back)
		}
		empty, err := Marshal(types[name]())
		if err != nil || !json.Valid(empty) {
			t.Errorf("%s without anything: %q, %v", name, empty, err)
		}
	}
}

// write writes lines to a file and returns its name.
func write(t *testing.T, lines ...Line) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "r.jsonl")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := NewLog(f, lines[0].(*Run))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines[1:] {
		if err := log.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// some is a record with two visits.
func some() []Line {
	at := Cell{Bench: "m.Sum", Engine: "native"}
	return []Line{&Run{Gyr: "v1", Env: &measure.Environment{CPU: "x"}, Engines: []string{"native"}}, &Bench{Key: "m.Sum", Package: "m", Name: "Sum"},
		&Calibration{Cell: at, N: 7, NS: 3}, &Visit{Cell: at, Visit: 0, Batches: []Batch{{N: 7, NS: 21}}},
		&Visit{Cell: at, Visit: 1, Order: 1, Batches: []Batch{{N: 7, NS: 22}}}, &End{}}
}

func TestReadFile(t *testing.T) {
	rec, err := ReadFile(write(t, some()...))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Run.Schema != Schema || len(rec.Benches) != 1 || len(rec.Visits) != 2 || rec.End == nil || rec.Cut || rec.Calibrate[0].N != 7 {
		t.Errorf("%+v", rec)
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestEveryCut: a record that was cut anywhere reads as its whole lines, and reports the cut.
// Without a whole first line it is no record.
func TestEveryCut(t *testing.T) {
	data, err := os.ReadFile(write(t, some()...))
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(data, '\n')
	for n := range len(data) {
		rec, err := Read(bytes.NewReader(data[:n]))
		if n < first {
			if err == nil {
				t.Fatalf("%d bytes are a record", n)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		whole := bytes.Count(data[:n], []byte("\n"))
		tail := data[bytes.LastIndexByte(data[:n], '\n')+1 : n]
		if json.Valid(tail) && len(tail) > 0 { // all but the newline
			whole++
			tail = nil
		}
		got := len(rec.Benches) + len(rec.Calibrate) + len(rec.Visits) + 1
		if rec.End != nil {
			got++
		}
		if got != whole || rec.Cut != (len(tail) > 0) {
			t.Fatalf("%d bytes: %d lines, want %d; cut: %v, the rest is %q", n, got, whole, rec.Cut, tail)
		}
	}
}

func TestBadRecords(t *testing.T) {
	const run = `{"type":"run","schema":1,"gyr":"v1"}` + "\n"
	for _, c := range []struct{ text, want string }{
		{"", "empty"},
		{"\n\n", "empty"},
		{"hello\n", "line 1: not a line of a record"},
		{`{"type":"bench","bench":"a"}` + "\n", "line 1: a record of gyr bench begins with a line of type run"},
		{run + "rubbish\n" + run, "line 2: not a line"},
		{run + `{"type":"visits"}` + "\n", `line 2: no type of line: "visits"`},
		{run + run, "line 2: a second line of type run"},
		{run + "\n" + `{"type":"visit","visit":"one"}` + "\n", "line 3: json: cannot unmarshal"},
		{`{"type":"run","schema":9,"gyr":"v7.1"}` + "\n" + `{"type":"of the future"}` + "\n", "schema 9, written by gyr v7.1; this gyr reads up to 1"},
	} {
		_, err := Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	var newer *NewerError
	_, err := Read(strings.NewReader(`{"type":"run","schema":2,"gyr":"v2"}` + "\n"))
	if !errors.As(err, &newer) || newer.Schema != 2 || newer.Gyr != "v2" {
		t.Errorf("a newer schema: %v", err)
	}
	// Unknown fields are ignored: a record of the same schema may have more of them.
	if rec, err := Read(strings.NewReader(`{"type":"run","schema":1,"gyr":"v1","colour":"red"}`)); err != nil || rec.Cut {
		t.Errorf("a field that is not known: %v", err)
	}
}

// TestResume resumes a record that was cut in the middle of a line. The partial line goes, and new
// lines follow the rest.
func TestResume(t *testing.T) {
	lines := some()
	whole := write(t, lines...)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	// After the first visit, in the middle of the second.
	at := bytes.Index(data, []byte(`"visit":1`)) + 20
	name := filepath.Join(t.TempDir(), "cut.jsonl")
	if err := os.WriteFile(name, data[:at], 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	log, err := Resume(f)
	if err != nil {
		t.Fatal(err)
	}
	if rec := log.Record(); len(rec.Visits) != 1 || rec.Cut || rec.End != nil {
		t.Errorf("resumed: %+v", rec)
	}
	for _, l := range lines[4:] {
		if err := log.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	f.Close()
	if again, err := os.ReadFile(name); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the record is another one than if nothing had been cut: %v\n%s", err, again)
	}
	if f, err := os.Open(os.DevNull); err == nil {
		defer f.Close()
		if _, err := Resume(f); err == nil {
			t.Error("an empty file is resumed")
		}
	}
}

// TestAdd: of lines that exist once the last counts; all diagnoses are kept.
func TestAdd(t *testing.T) {
	r := &Record{}
	at := Cell{"m.A", "go"}
	for _, l := range []Line{&Run{}, &Bench{Key: "m.A", Line: 1}, &Bench{Key: "m.A", Line: 2}, &Visit{Cell: at, Visit: 1, Failed: "it did"}, &Visit{Cell: at, Visit: 1},
		&Visit{Cell: at, Visit: 2}, &Count{Cell: at, N: 1}, &Count{Cell: at, N: 2}, &Counters{Cell: at}, &Counters{Cell: Cell{"m.A", "native"}},
		&Static{Bench: "m.A", Code: "BP01"}, &Static{Bench: "m.A", Code: "BP01"}, &End{}} {
		if err := r.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Benches) != 1 || r.Benches[0].Line != 2 || len(r.Visits) != 2 || r.Visits[0].Failed != "" || len(r.Counts) != 1 || r.Counts[0].N != 2 ||
		len(r.Counters) != 2 || len(r.Statics) != 2 {
		t.Errorf("%+v", r)
	}
}

// failing is a writer whose second write fails.
type failing struct{ n int }

func (f *failing) Write(p []byte) (int, error) {
	if f.n++; f.n > 1 {
		return 0, errors.New("no space")
	}
	return len(p), nil
}

// TestLogFails: after a failed write the log writes nothing more, so that a record has no gaps.
func TestLogFails(t *testing.T) {
	w := &failing{}
	log, err := NewLog(w, &Run{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := log.Write(&End{}); err == nil || err.Error() != "no space" {
			t.Errorf("%v", err)
		}
	}
	if w.n != 2 {
		t.Errorf("%d lines were tried", w.n)
	}
}

// TestPerOp: the time of an iteration excludes the time in which others had the processor.
func TestPerOp(t *testing.T) {
	if got := (&Batch{N: 4, NS: 100, WaitNS: 20}).PerOp(); got != 20 {
		t.Errorf("%v ns", got)
	}
}

// TestTimes: only counted batches matter, without the time in which others had the processor. Slopes
// are what batches of two sizes do not have in common.
func TestTimes(t *testing.T) {
	v := &Visit{Warm: []Batch{{N: 1, NS: 1e9}}, Batches: []Batch{{N: 10, NS: 100}, {N: 10, NS: 520, WaitNS: 400}, {N: 5, NS: 70}}}
	if got := v.PerOp(); !slices.Equal(got, []float64{10, 12, 14}) {
		t.Errorf("the times are %v", got)
	}
	if got := v.Slopes(); len(got) != 0 {
		t.Errorf("without larger batches the slopes are %v", got)
	}
	v.Larger = []Batch{{N: 20, NS: 150}, {N: 30, NS: 200, WaitNS: 100}}
	if got := v.Slopes(); !slices.Equal(got, []float64{5, -1}) {
		t.Errorf("the slopes are %v", got)
	}
	v.Larger[1].N = 10
	if got := v.Slopes(); got != nil {
		t.Errorf("of batches of the same size the slopes are %v", got)
	}
}

package testevents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
)

const events = `{"Action":"shard","Output":"1/2"}
{"ImportPath":"m/d [m/d.test]","Action":"build-output","Output":"d.go:3:1: wrong\n"}
{"ImportPath":"m/d [m/d.test]","Action":"build-fail"}
{"Time":"2026-11-30T05:00:00Z","Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"    a_test.go:1: x<\u0000&\n"}
{"Action":"output","Package":"m/a","Test":"TestA","Output":"--- FAIL: TestA (0.50s)\n"}
{"Action":"run","Package":"m/a","Test":"TestA/sub"}
{"Action":"skip","Package":"m/a","Test":"TestA/sub","Elapsed":0.25}
{"Action":"fail","Package":"m/a","Test":"TestA","Elapsed":0.5}
{"Action":"run","Package":"m/a","Test":"TestB"}
{"Action":"output","Package":"m/a","Test":"TestB","Output":"quiet\n"}
{"Action":"pass","Package":"m/a","Test":"TestB"}
{"Action":"output","Package":"m/a","Output":"FAIL\nFAIL\tm/a\t0.75s\n"}
{"Action":"fail","Package":"m/a","Elapsed":0.75}
{"Action":"start","Package":"m/d"}
{"Action":"output","Package":"m/d","Output":"FAIL\tm/d [build failed]\n"}
{"Action":"fail","Package":"m/d","FailedBuild":"m/d [m/d.test]"}
`

const other = `{"Action":"shard","Output":"2/2"}
{"Action":"start","Package":"m/b"}
{"Action":"run","Package":"m/b","Test":"TestC"}
{"Action":"output","Package":"m/b","Output":"panic: gone\n"}
`

func read(t *testing.T, text string) *Record {
	t.Helper()
	r, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRecord(t *testing.T) {
	r := read(t, events)
	if r.Shard != "1/2" || r.OK() || len(r.Packages) != 2 || !reflect.DeepEqual(r.Times(), map[string]float64{"m/a": 0.75}) {
		t.Errorf("shard %q, ok %v, %d packages, times %v", r.Shard, r.OK(), len(r.Packages), r.Times())
	}
	var out, errout bytes.Buffer
	for _, p := range r.Packages {
		p.Text(&out, &errout, false)
	}
	want := "--- FAIL: TestA (0.50s)\n    a_test.go:1: x<\x00&\nFAIL\nFAIL\tm/a\t0.75s\nFAIL\tm/d [build failed]\n"
	if out.String() != want || errout.String() != "d.go:3:1: wrong\n" {
		t.Errorf("text %q, errors %q", out.String(), errout.String())
	}
	out.Reset()
	r.Packages[0].Text(&out, io.Discard, true)
	if !strings.Contains(out.String(), "=== RUN   TestA\n") || !strings.Contains(out.String(), "quiet\n") {
		t.Errorf("all output is %q", out.String())
	}
}

// A writer gets lines in pieces, and makes the same record.
func TestWriter(t *testing.T) {
	var ended []string
	w := &Writer{Ended: func(p *Package) { ended = append(ended, p.Path) }}
	for i := 0; i < len(events); i += 7 {
		if _, err := io.WriteString(w, events[i:min(i+7, len(events))]); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(ended); got != "[m/a m/d]" || !reflect.DeepEqual(w.Times(), read(t, events).Times()) {
		t.Errorf("ended: %s", got)
	}
	if _, err := io.WriteString(w, "no event\n"); err == nil {
		t.Error("text is an event")
	}
}

// What JUnit writes has the same outcomes when it is read, and is equal when it is written again.
func TestJUnit(t *testing.T) {
	all, err := Merge([]string{"a", "b"}, []*Record{read(t, events), read(t, other)})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := all.JUnit(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuites tests="5" failures="1" errors="2" skipped="1" time="0.750">`, `name="TestA/sub"`, `message="could not be built"`,
		`message="did not end"`, "x&lt;\uFFFD&amp;",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	again := read(t, b.String())
	for i, p := range all.Packages {
		q := again.Packages[i]
		if p.Path != q.Path || p.Failed() != q.Failed() || p.Elapsed != q.Elapsed || len(p.Tests) != len(q.Tests) {
			t.Errorf("%s: failed %v, %v s, %d tests; read again: %s, %v, %v, %d", p.Path, p.Failed(), p.Elapsed, len(p.Tests),
				q.Path, q.Failed(), q.Elapsed, len(q.Tests))
		}
	}
	if err := again.JSON(io.Discard); !errors.Is(err, ErrJUnit) {
		t.Errorf("events of JUnit XML: %v", err)
	}
}

func TestMerge(t *testing.T) {
	a, b := read(t, events), read(t, other)
	all, err := Merge([]string{"a", "b"}, []*Record{b, a})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	all.JSON(&out)
	again := read(t, out.String())
	var paths []string
	for _, p := range again.Packages {
		paths = append(paths, p.Path)
	}
	if fmt.Sprint(paths) != "[m/a m/b m/d]" || again.Packages[2].Build != a.Packages[1].Build {
		t.Errorf("%v, build %q", paths, again.Packages[2].Build)
	}
	third := &Record{Shard: "1/3"}
	for want, records := range map[string][]*Record{
		"missing: 2/2":               {a},
		"a is shard 1/2, and so is":  {b, a, a},
		"others are of 2 shards":     {a, third},
		"m/a is in x and in a: each": {{Packages: a.Packages}, {Packages: a.Packages}},
	} {
		names := []string{"x", "a", "a"}[:len(records)]
		if len(records) == 3 {
			names = []string{"b", "x", "a"}
		}
		if _, err := Merge(names, records); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestBadInput(t *testing.T) {
	for _, text := range []string{"", "ok  \tm/a\t0.1s\n", "{}\n", "<html></html>", "<testsuite", `{"Action":"start"`, `[1]`} {
		if r, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is %v", text, r)
		}
	}
}

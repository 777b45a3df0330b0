package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/ratio"
)

// cStrict are the flags that make the compiler refuse what is not C11.
var cStrict = []string{"-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"}

// needC skips a test without a C compiler.
func needC(t *testing.T) {
	if err := findC(cCompiler); err != nil {
		t.Skip(err)
	}
}

// TestCPrograms: each translation is strict C11 and prints what native Go prints, also NaN for a
// matrix without rows. It takes the size as the Go program does: by default, and if the argument is
// no number. A size for which the Go program panics is an error in C.
func TestCPrograms(t *testing.T) {
	needC(t)
	files, err := filepath.Glob(filepath.Join(cSources, "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	list := cPrograms(cSources)
	if len(list) != len(files) || len(list) == 0 {
		t.Fatalf("%d files, %d programs that ratio knows", len(files), len(list))
	}
	env := ratio.Env{Root: "..", Dir: t.TempDir()}
	engine := cEngine(cCompiler, cSources, cStrict...)
	if err := engine.Setup(env, list); err != nil {
		t.Fatal(err)
	}
	native := t.TempDir()
	args := []string{"build", "-o", native + string(filepath.Separator)}
	for _, p := range list {
		args = append(args, "./programs/"+p.Name)
	}
	if err := env.Run("go", args...); err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		for _, args := range [][]string{{p.Tiny}, {p.Small}, {"5"}, {"+7"}, {"0"}, {"-3"}, {"-"}, {" 6"}, {"99999999999999999999"}, nil} {
			binary := engine.Command(env, p, "")[0]
			want, wantErr := exec.Command(filepath.Join(native, p.Name), args...).Output()
			got, err := exec.Command(binary, args...).Output()
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !bytes.Equal(got, want) {
				t.Errorf("%s %q: %v, prints %q; native Go: %v, %q", p.Name, args, err, got, wantErr, want)
			}
		}
	}
}

// TestCMeasurement: the command's other process measures all three engines and prints a record.
func TestCMeasurement(t *testing.T) {
	needC(t)
	rec, err := recordC(cCompiler, "-json", "-n", "1", "-small", "-engines", "^(native|C)$", "-only", "^fib$")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	writeC(&out, result.Of(rec))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[2], "| fib | 36 | ") || strings.Contains(out.String(), "failed") {
		t.Errorf("%s", &out)
	}
}

// TestCTable: a row has the ratios of medians, the last line their geometric means, and a row that
// failed is in neither.
func TestCTable(t *testing.T) {
	log, err := record.NewLog(nil, &record.Run{Time: time.Now(), Engines: []string{"go", "native", "C"}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(l record.Line) {
		if err := log.Write(l); err != nil {
			t.Fatal(err)
		}
	}
	for name, times := range map[string][3]float64{"a": {2, 4, 1}, "b": {2, 1, 1}, "c": {2, 2, 0}} {
		write(&record.Bench{Key: name, Package: "float", Name: name, Params: []record.Param{{Name: "size", Value: "7"}}})
		for i, engine := range []string{"go", "native", "C"} {
			for visit := range 3 {
				v := &record.Visit{Cell: record.Cell{Bench: name, Engine: engine}, Visit: visit}
				if times[i] > 0 {
					v.Batches = []record.Batch{{N: 1, NS: times[i] * 1e9 * float64(1+visit*visit)}}
				} else {
					v.Failed = "prints 1, native Go 2"
				}
				write(v)
			}
		}
	}
	var out bytes.Buffer
	writeC(&out, result.Of(log.Record()))
	for _, want := range []string{
		"| a | 7 | 4.000 | 2.00 | 0.50 | 4.00 |\n",
		"| b | 7 | 4.000 | 0.50 | 0.50 | 1.00 |\n",
		"| c | 7 | 4.000 | 1.00 | failed | failed |\n",
		"| geometric mean of 2 | | | 1.00 | 0.50 | 2.00 |\n",
		"c in C: prints 1, native Go 2\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestCErrors: an error of the command names the thing and the cure.
func TestCErrors(t *testing.T) {
	t.Run("no clang", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if err := runC(nil); err == nil || !strings.Contains(err.Error(), "apt-get install clang") {
			t.Error(err)
		}
	})
	for _, c := range []struct{ args, want string }{
		{"-cc no-such-compiler", `"no-such-compiler"`}, {"-only quicksort", "there are nbody, "}, {"-only (", "-only"},
		{"-n 0", "usage"}, {"more", "usage"},
	} {
		if err := runC(strings.Fields(c.args)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", strconv.Quote(c.args), err)
		}
	}
	t.Run("another directory", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := runC(nil); err == nil || !strings.Contains(err.Error(), "directory peers") {
			t.Error(err)
		}
	})
}

package load

import (
	"context"
	"errors"

	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/release"
)

// TestErrors compares errors with those that the go command of the supported release prints. Our
// own errors are marked *.
const errorModule = "-- go.mod --\nmodule m\ngo 1.26\n"

// errorTests are programs, and the errors of loading them.
var errorTests = []struct {
	name string
	text string
	cfg  Options
	want string
}{
	{"undefined", errorModule + `
-- main.go --
package main

func main() {
	x1 = 1
	undefined2()
}
`, Options{}, `
# m
./main.go:4:2: undefined: x1
./main.go:5:2: undefined: undefined2`},

	{"ten errors", errorModule + "-- main.go --\npackage main\nfunc main() {\n" + strings.Repeat("\tx = 1\n", 14) + "}\n", Options{}, `
# m
./main.go:3:2: undefined: x
./main.go:4:2: undefined: x
./main.go:5:2: undefined: x
./main.go:6:2: undefined: x
./main.go:7:2: undefined: x
./main.go:8:2: undefined: x
./main.go:9:2: undefined: x
./main.go:10:2: undefined: x
./main.go:11:2: undefined: x
./main.go:12:2: undefined: x
./main.go:12:2: too many errors`},

	{"many kinds", errorModule + `
-- main.go --
package main

import (
	"fmt"
	"os"
)

func main() {
	x := 1
	var y string = 2
	return 1
}
func g() int {}

type T struct{}
type T int

func (T) m() {}
func (T) m() {}
`, Options{}, `
# m
./main.go:4:2: "fmt" imported and not used
./main.go:5:2: "os" imported and not used
./main.go:9:2: declared and not used: x
./main.go:10:6: declared and not used: y
./main.go:10:17: cannot use 2 (untyped int constant) as string value in variable declaration
./main.go:11:9: too many return values
	have (number)
	want ()
./main.go:13:15: missing return
./main.go:16:6: T redeclared in this block
	./main.go:15:6: other declaration of T
./main.go:19:10: method T.m already declared at ./main.go:18:10`},

	{"another package", errorModule + `
-- main.go --
package main

import "m/sub"

func main() { sub.F(); undefined() }
-- sub/s.go --
package sub

func F() { undefined1() }
`, Options{}, `
# m/sub
sub/s.go:3:12: undefined: undefined1`},

	{"two packages", errorModule + `
-- main.go --
package main

import (
	"m/a"
	"m/b"
)

func main() { a.F(); b.F(); undefined() }
-- a/a.go --
package a
func F() int { return "" }
-- b/b.go --
package b
func F() { undefined2() }
`, Options{}, `
# m/a
a/a.go:2:23: cannot use "" (untyped string constant) as int value in return statement
# m/b
b/b.go:2:12: undefined: undefined2`},

	{"syntax", errorModule + `
-- main.go --
package main

func main() {
	x := 1 2
}
`, Options{}, `
# m
./main.go:4:9: syntax error: unexpected literal 2 at end of statement`},

	{"more syntax", errorModule + `
-- main.go --
package main

var x = f(1 2)

x = 3

type T struct {
	a int,
}

func main() {
	y := []int{1
	}
	f(1,
		2
	)
	var 1 int
	s := "abc
	@
}
`, Options{}, `
# m
./main.go:3:13: syntax error: unexpected literal 2 in argument list; possibly missing comma or )
./main.go:5:1: syntax error: non-declaration statement outside function body
./main.go:8:7: syntax error: unexpected comma in struct type; possibly missing semicolon or newline or }
./main.go:12:14: syntax error: unexpected newline in composite literal; possibly missing comma or }
./main.go:15:4: syntax error: unexpected newline in argument list; possibly missing comma or )
./main.go:17:6: syntax error: unexpected literal 1, expected name
./main.go:18:11: newline in string
./main.go:19:2: invalid character U+0040 '@'`},
	{"statements", errorModule + `
-- main.go --
package main

func main() {
	if true
	{
	}
}
-- b.go --
package main

func b() {
	if true {
	} else
	b()
}
`, Options{}, `
# m
./b.go:6:2: syntax error: else must be followed by if or statement block
./main.go:4:9: syntax error: unexpected newline, expected { after if clause`},
	{"branches", errorModule + `
-- main.go --
package main

func main() {
	continue
	break
L:
}
`, Options{}, `
# m
./main.go:4:2: continue is not in a loop
./main.go:5:2: break is not in a loop, switch, or select
./main.go:6:1: label L defined and not used`},
	{"package clause", errorModule + "-- main.go --\ntype T int\n", Options{}, `main.go:1:1: expected 'package', found 'type'`},
	{"import path", errorModule + "-- main.go --\npackage main\n\nimport fmt\n", Options{}, `main.go:3:11: missing import path`},
	{"end of file", errorModule + "-- main.go --\npackage main\n\nfunc main() {\n", Options{}, `
# m
./main.go:4:1: syntax error: unexpected EOF, expected }`},

	{"language version", `
-- go.mod --
module m
go 1.20
-- main.go --
package main

func main() {
	for range 10 {
	}
	_ = min(2, 1)
}
`, Options{}, `
# m
./main.go:4:12: cannot range over 10 (untyped int constant): requires go1.22 or later (-lang was set to go1.20; check go.mod)
./main.go:6:6: built-in min requires go1.21 or later (-lang was set to go1.20; check go.mod)`},

	{"language version of a file", errorModule + `
-- main.go --
//go:build go1.21

package main

func main() {
	for range 10 {
	}
}
`, Options{}, `
# m
./main.go:6:12: cannot range over 10 (untyped int constant): requires go1.22 or later (file declares //go:build go1.21)`},

	{"body", errorModule + "-- main.go --\npackage main\nfunc f()\nfunc main() { f() }\n", Options{}, `
# m
./main.go:2:6: missing function body`},

	{"no main function", errorModule + "-- main.go --\npackage main\n", Options{}, `
# m
runtime.main_main·f: function main is undeclared in the main package`},

	{"missing packages *", errorModule + `
-- main.go --
package main

import (
	"foo/bar"
	"github.com/x/y"
	"m/nope"
	"m/prog"
	"internal/abi"
	"./rel"
	"plugin"
)

func main() {}
-- prog/p.go --
package main
func main() {}
`, Options{GOROOT: os.Getenv("GOROOT")}, `
main.go:4:2: package foo/bar is not in std ($GOROOT/src/foo/bar)
main.go:5:2: no required module provides package github.com/x/y; to add it: go get github.com/x/y
main.go:6:2: no required module provides package m/nope; to add it: go get m/nope
main.go:7:2: import "m/prog" is a program, not an importable package
main.go:8:2: use of internal package internal/abi not allowed
main.go:9:2: "./rel" is relative, but relative import paths are not supported
main.go:10:2: package plugin is not supported`},

	{"no module", "-- main.go --\npackage main\n\nimport _ \"example.com/x\"\n\nfunc main() {}\n", Options{}, `
main.go:3:8: no required module provides package example.com/x: go.mod file not found in current directory or any parent directory; see 'go help modules'`},

	{"internal", errorModule + `
-- main.go --
package main

import _ "m/a/internal/x"

func main() {}
-- a/internal/x/x.go --
package x
`, Options{}, `main.go:3:8: use of internal package m/a/internal/x not allowed`},

	{"import cycle *", errorModule + `
-- main.go --
package main
import _ "m/a"
func main() {}
-- a/a.go --
package a
import _ "m/b"
-- b/b.go --
package b
import _ "m/a"
`, Options{}, `b/b.go:2:8: import cycle not allowed: m/a imports m/b (a/a.go:2) imports m/a (b/b.go:2)`},

	{"not main", errorModule + "-- lib.go --\npackage lib\n", Options{}, `package m is not a main package`},
	{"std is not main", errorModule, Options{Patterns: []string{"fmt"}}, `package fmt is not a main package`},
	{"no Go files", errorModule + "-- d/README --\n", Options{Patterns: []string{"./d"}}, `no Go files in d`},
	{"all excluded", errorModule + "-- a_windows.go --\npackage main\n", Options{}, `package m: build constraints exclude all Go files in .
	package m has only a_windows.go (windows): programs are compiled for GOOS=wasip1 GOARCH=wasm, whatever the machine is
	ways out: a file of the package for wasip1`},
	{"names of other systems", errorModule + `
-- main.go --
package main

import "syscall"

type T int

func main() {
	println(size(), syscall.SYS_IOCTL, syscall.Nothing)
	T(0).raw()
	raw()
}
-- a_windows.go --
package main

func size() int { return 1 }
-- b.go --
//go:build unix || mine

package main

func size() int { return 1 }

func (T) raw() {}
-- c.go --
//go:build never

package main

func raw() {}
`, Options{}, `
# m
./main.go:8:10: undefined: size
	package m declares it in a_windows.go (windows), b.go (unix || mine): programs are compiled for GOOS=wasip1 GOARCH=wasm, whatever the machine is
	ways out: -tags=mine; a file of the package for wasip1
./main.go:8:26: undefined: syscall.SYS_IOCTL
	package syscall has it on other systems: programs are compiled for GOOS=wasip1 GOARCH=wasm, whatever the machine is
	ways out: a file of the package for wasip1
./main.go:8:45: undefined: syscall.Nothing
./main.go:9:7: T(0).raw undefined (type T has no field or method raw)
	package m declares it in b.go (unix || mine): programs are compiled for GOOS=wasip1 GOARCH=wasm, whatever the machine is
	ways out: -tags=mine; a file of the package for wasip1
./main.go:10:2: undefined: raw`},
	{"a dependency for other systems", errorModule + `
require example.com/x v1.2.3
replace example.com/x => ./x
-- main.go --
package main

import (
	"example.com/x"
	"example.com/x/y"
)

func main() { x.F(y.F) }
-- x/go.mod --
module example.com/x
-- x/x.go --
package x

func F(func()) { f() }
-- x/x_darwin.go --
package x

func f() {}
-- x/y/y_linux_amd64.go --
package y

func F() {}
`, Options{}, `
main.go:5:2: package example.com/x/y: build constraints exclude all Go files in x/y
	package example.com/x/y has only y_linux_amd64.go (linux && amd64): programs are compiled for GOOS=wasip1 GOARCH=wasm, whatever the machine is
	ways out: another version of example.com/x (go get), or a replace directive in go.mod with a copy that has a file for wasip1`},
	{"missing directory", errorModule, Options{Patterns: []string{"./nope"}}, `stat nope: directory not found`},
	{"missing file", errorModule, Options{Patterns: []string{"nope.go"}}, `stat nope.go: no such file or directory`},
	{"missing path", errorModule, Options{Patterns: []string{"m/nope"}}, `no required module provides package m/nope; to add it: go get m/nope`},
	{"a version", errorModule, Options{Patterns: []string{"example.com/x@v1.2.3"}},
		`package example.com/x@v1.2.3: go.mod chooses versions, and nothing is downloaded: run go get example.com/x@v1.2.3, and name example.com/x`},
	{"a version in an import", errorModule + "-- main.go --\npackage main\nimport _ \"example.com/x@latest\"\nfunc main() {}\n", Options{},
		`main.go:2:8: package example.com/x@latest: go.mod chooses versions, and nothing is downloaded: run go get example.com/x@latest, and name example.com/x`},
	{"a replacement that is not there", errorModule + "require example.com/x v1.2.3\nreplace example.com/x => ./nothing\n" +
		"-- main.go --\npackage main\nimport _ \"example.com/x/y\"\nfunc main() {}\n", Options{},
		`main.go:2:8: example.com/x@v1.2.3: replacement directory ./nothing does not exist`},
	{"the tag of a system", errorModule + "-- main.go --\npackage main\nfunc main() {}\n", Options{Tags: []string{"mine", "linux"}},
		`build tag linux: programs are compiled for GOOS=wasip1 GOARCH=wasm, whatever the tags are; to have files with this tag in, give them another one, too, as in //go:build linux || mine`},
	{"the tag of a family of systems", errorModule + "-- main.go --\npackage main\nfunc main() {}\n", Options{Tags: []string{"unix"}},
		`build tag unix: programs are compiled for GOOS=wasip1 GOARCH=wasm, whatever the tags are; to have files with this tag in, give them another one, too, as in //go:build unix || mine`},
	{"the tag of a detector", errorModule + "-- main.go --\npackage main\nfunc main() {}\n", Options{Tags: []string{"race"}},
		`build tag race: it has the standard library call a detector, and there is none`},
	{"two directories", errorModule + "-- a/a.go --\npackage main\n-- b/b.go --\npackage main\n", Options{Patterns: []string{"a/a.go", "b/b.go"}},
		`named files must all be in one directory; have a and b`},
	{"test file", errorModule + "-- a_test.go --\npackage main\n", Options{Patterns: []string{"a_test.go"}}, `cannot run *_test.go files (a_test.go)`},
	{"several main packages *", errorModule + "-- a/a.go --\npackage main\n-- b/b.go --\npackage main\n", Options{Patterns: []string{"./..."}},
		`pattern ./... matches 2 main packages: a b`},
	{"no main package *", errorModule + "-- a/a.go --\npackage a\n", Options{Patterns: []string{"./..."}}, `pattern ./... matches no main package`},
	{"two package names", errorModule + "-- a.go --\npackage a\n-- b.go --\npackage b\n", Options{}, `found packages a (a.go) and b (b.go) in .`},
	{"newer module *", "-- go.mod --\nmodule m\ngo 1.99\n-- a.go --\npackage main\n", Options{}, `go.mod: module requires go1.99, but gyr runs GOVERSION: lower its go line, or: go install github.com/gyrvm/gyr/cmd/gyr@latest brings the newest gyr, which may run it`},
	{"bad go.mod", "-- go.mod --\nmodule m\nbanana\n-- a.go --\npackage main\n", Options{}, `go.mod:2: unknown directive: banana`},

	{"unsafe *", errorModule + "-- main.go --\npackage main\n\nimport \"unsafe\"\n\nfunc main() { println(unsafe.Sizeof(1)) }\n", Options{},
		`main.go:3:8: import of "unsafe" is not allowed: Source.Unsafe is NoUnsafe`},
	{"directives *", errorModule + `
-- main.go --
package main

import _ "unsafe"

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:wasmimport wasi_snapshot_preview1 proc_exit
func exit(int32)

//go:wasmexport f
func f() {}

func main() {}
`, Options{Unsafe: api.UnsafeAll}, `
main.go:8:1: //go:wasmimport is not allowed outside the standard library
main.go:11:1: //go:wasmexport is not allowed outside the standard library`},
	{"cgo *", errorModule + "-- main.go --\npackage main\n\nfunc main() {}\n-- c.go --\npackage main\n\nimport \"C\"\n", Options{},
		`c.go:3:8: cgo is not supported`},
	{"assembly *", errorModule + "-- main.go --\npackage main\n\nfunc main() {}\n-- add_wasm.s --\nTEXT ·f(SB), 0, $0\n-- add_amd64.s --\nTEXT ·f(SB), 0, $0\n-- tagged.s --\n//go:build !noasm\n\nTEXT ·f(SB), 0, $0\n-- empty.s --\n-- x.c --\n", Options{}, `
add_wasm.s: assembly files with code are not supported
tagged.s: assembly files with code are not supported: -tags=noasm leaves this one out
x.c: C source files are not supported`},

	{"embed", errorModule + `
-- main.go --
package main

import _ "embed"

//go:embed nothing* ../x
var s string

func main() {}
`, Options{}, `
main.go:5:12: pattern nothing*: no matching files found
main.go:5:21: pattern ../x: invalid pattern syntax`},
	{"embed misuse", errorModule + `
-- main.go --
package main

import _ "embed"

//go:embed a.txt
var a, b string

//go:embed a.txt
var c = "x"

//go:embed
var d string

func main() {
	//go:embed a.txt
	var x string
}

//go:embed a.txt
-- a.txt --
`, Options{}, `
# m
./main.go:5:3: go:embed cannot apply to multiple vars
./main.go:8:3: go:embed cannot apply to var with initializer
./main.go:11:3: usage: //go:embed pattern...
./main.go:15:4: go:embed cannot apply to var inside func
./main.go:19:3: misplaced go:embed directive`},
	{"embed type", errorModule + `
-- main.go --
package main

import _ "embed"

//go:embed a.txt
var a int

//go:embed *.txt
var b []byte

func main() {}
-- a.txt --
-- b.txt --
`, Options{}, `
# m
./main.go:6:5: go:embed cannot apply to var of type int
./main.go:9:5: invalid go:embed: multiple files for type []byte`},
	{"embed import", errorModule + "-- main.go --\npackage main\n\n//go:embed a\nvar a string\n\nfunc main() {}\n", Options{}, `
# m
./main.go:3:3: go:embed requires import "embed" (or import _ "embed", if package is not used)`},

	{"test signature", errorModule + "-- m_test.go --\npackage m\n\nfunc TestX(x int) {}\n", Options{Test: true},
		`m_test.go:3:1: wrong signature for TestX, must be: func TestX(t *testing.T)`},
}

func TestErrors(t *testing.T) {
	_, version, err := gomod.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range errorTests {
		t.Run(tt.name, func(t *testing.T) {
			tt.cfg.cacheOverlay = true
			_, err := loadText(tt.text, tt.cfg)
			if err == nil {
				t.Fatal("no error")
			}
			var list diag.Errors
			if !errors.As(err, &list) {
				t.Errorf("error of type %T", err)
			}
			got := strings.NewReplacer(version, "GOVERSION").Replace(err.Error())
			if want := strings.TrimSpace(tt.want); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestRelease(t *testing.T) {
	dir := t.TempDir()
	os.MkdirAll(filepath.Join(dir, "src", "fmt"), 0o777)
	os.WriteFile(filepath.Join(dir, "VERSION"), []byte("go1.25.3\ntime 2025\n"), 0o666)
	cfg := Options{GOROOT: dir, FS: files("-- a.go --\npackage main\n")}
	_, err := Load(context.Background(), cfg)
	want := "the Go installation in " + dir + " is go1.25.3: this gyr runs " + release.Names() + ": " + release.Cure("go1.25.3")
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	cfg.GOROOT = ""
	cfg.Getenv = func(k string) string { return map[string]string{"GOROOT": dir}[k] }
	if _, err = Load(context.Background(), cfg); err == nil || err.Error() != want {
		t.Errorf("with $GOROOT: got %v\nwant %s", err, want)
	}
	cfg.GOROOT = filepath.Join(dir, "nothing")
	if _, err = Load(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), "holds no Go installation") {
		t.Errorf("missing GOROOT: got %v", err)
	}
}

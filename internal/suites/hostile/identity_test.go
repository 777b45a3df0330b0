package hostile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/image"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// This file has modules that pose as the standard library. docs/security.md lists what they would
// gain. Each of them must get the go command's error, or run as what it is.

// victims are packages of the standard library that the engine treats specially. through is a
// package by which programs import them. The comments say what a replacement package could gain.
var victims = []struct{ path, through string }{
	{"internal/goarch", "fmt"},                        // sizes that decide layouts
	{"internal/abi", "fmt"},                           // descriptors; annotations about escape
	{"internal/bytealg", "strings"},                   // intrinsics
	{"internal/runtime/maps", "fmt"},                  // free of gas, called by lowered code
	{"internal/runtime/atomic", "fmt"},                // alignment
	{"internal/runtime/sys", "fmt"},                   // intrinsics
	{"internal/testlog", "os"},                        // host functions
	{"internal/reflectlite", "errors"},                // pruning
	{"internal/poll", "os"},                           // unsafe
	{"crypto/internal/constanttime", "crypto/subtle"}, // intrinsics
	{"runtime", "fmt"},                                // the overlay's: host functions, free of gas
	{"runtime/pprof", "runtime/pprof"},                // the overlay's
	{"testing/internal/testdeps", "testing"},          // the overlay's
	{"runtime/debug", "runtime/debug"},                // linknames
	{"reflect", "reflect"},                            // entry points of made functions
	{"sync/atomic", "sync/atomic"},                    // intrinsics
	{"sync", "sync"},                                  // functions without body
	{"math", "math"},                                  // intrinsics
	{"math/big", "math/big"},                          // kernels of the host
	{"unicode/utf8", "unicode/utf8"},                  // std trusts it
	{"os", "os"},                                      // live initialisation
	{"syscall", "os"},                                 // WASI imports
	{"time", "time"},                                  // functions without body
	{"embed", "embed"},                                // a representation that lowering writes
	{"errors", "errors"},                              // initialisation without effect
	{"unsafe", ""},                                    // everything unsafe
	{"vendor/golang.org/x/text/unicode/norm", "vendor/golang.org/x/net/http/..."}, // std's vendor tree
}

// A thief is a module with a fake package.
type thief struct {
	name  string
	files string // an archive
	src   gyr.Source
	want  string // part of the error; or the whole output, after "prints "
}

// takeovers are the ways in which a module can put its own package in place of a victim. Its main
// package, if it has one, imports the victim through a package that it may import.
var takeovers = map[string]func(victim, through, own string) thief{
	"own path": func(victim, _, own string) thief {
		return thief{files: "-- go.mod --\nmodule " + victim + "\ngo 1.26\n" + under("", own), src: gyr.Source{Exports: true}}
	},
	"under test": func(victim, _, own string) thief {
		return thief{files: "-- go.mod --\nmodule " + victim + "\ngo 1.26\n" + under("", own) + "-- a_test.go --\npackage " + nameOf(victim) + "\n", src: gyr.Source{Test: true}}
	},
	"inside": func(victim, _, own string) thief {
		mod, rest, ok := strings.Cut(victim, "/")
		if !ok {
			return thief{}
		}
		return thief{files: "-- go.mod --\nmodule " + mod + "\ngo 1.26\n" + under(rest, own), src: gyr.Source{Exports: true, Patterns: []string{"./" + rest}}}
	},
	"replaced": func(victim, through, own string) thief {
		return thief{files: "-- go.mod --\nmodule m.x\ngo 1.26\nrequire " + victim + " v1.0.0\nreplace " + victim + " => ./x\n" + importing("main.go", through) +
			"-- x/go.mod --\nmodule " + victim + "\n" + under("x", own)}
	},
	"workspace": func(victim, through, own string) thief {
		return thief{files: "-- go.work --\ngo 1.26\nuse ./m\nuse ./x\n-- m/go.mod --\nmodule m.x\ngo 1.26\n" + importing("m/main.go", through) +
			"-- x/go.mod --\nmodule " + victim + "\ngo 1.26\n" + under("x", own), src: gyr.Source{Patterns: []string{"./m"}}}
	},
	"vendored": func(victim, through, own string) thief {
		return thief{files: "-- go.mod --\nmodule m.x\ngo 1.26\nrequire " + victim + " v1.0.0\n" + importing("main.go", through) +
			"-- vendor/modules.txt --\n# " + victim + " v1.0.0\n## explicit; go 1.26\n" + victim + "\n" + under("vendor/"+victim, own)}
	},
}

func nameOf(victim string) string { return path.Base(victim) }

func importing(file, through string) string {
	return "-- " + file + " --\npackage main\nimport _ \"" + through + "\"\nfunc main() {}\n-- " + path.Join(path.Dir(file), "a_test.go") + " --\npackage main\n"
}

// under moves the files of an archive into a directory.
func under(dir, files string) string {
	a := txtar.Parse([]byte(files))
	for i := range a.Files {
		a.Files[i].Name = path.Join(dir, a.Files[i].Name)
	}
	return string(txtar.Format(a))
}

// copyOf returns an archive of a package of the standard library with an additional file of the
// thief.
func copyOf(goroot, victim string) (string, error) {
	a := &txtar.Archive{Files: []txtar.File{{Name: "stolen.go", Data: []byte("package " + nameOf(victim) + "\nfunc Stolen() int { return 1 }\nfunc init() { println(\"stolen\") }\n")}}}
	list, err := filepath.Glob(filepath.Join(goroot, "src", filepath.FromSlash(victim), "*.go"))
	for _, name := range list {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_arm64.go") {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if bytes.Contains(data, []byte("\n-- ")) {
			continue // an archive would truncate it
		}
		a.Files = append(a.Files, txtar.File{Name: filepath.Base(name), Data: data})
	}
	if len(list) == 0 {
		return "", fmt.Errorf("%s has no files", victim)
	}
	return string(txtar.Format(a)), err
}

// run compiles a module from a directory, from an fs.FS, on the base, or to an image, and runs the
// result.
func (m *thief) run(ctx context.Context, from string, base *gyr.Base) (output string, err error) {
	src, opts := m.src, &gyr.CompileOptions{}
	var image []byte
	a := txtar.Parse([]byte(m.files))
	fsys, err := txtar.FS(a)
	if err != nil {
		return "", err
	}
	switch from {
	case "a directory":
		dir, err := os.MkdirTemp("", "gyr-hostile")
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(dir)
		if err := os.CopyFS(dir, fsys); err != nil {
			return "", err
		}
		src.Dir = dir
	case "the base":
		src.FS, opts.Base = fsys, base
	case "an image":
		src.FS = fsys
		if image, err = gyr.Build(ctx, src, nil); err != nil {
			return "", err
		}
	default:
		src.FS = fsys
	}
	var p *gyr.Program
	if image != nil {
		p, err = gyr.CompileImage(ctx, image, opts)
	} else {
		p, err = gyr.Compile(ctx, src, opts)
	}
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	in, err := p.NewInstance(ctx, gyr.Config{Stdout: &out, Stderr: &out, Gas: 1 << 28, Memory: 64 << 20})
	if err != nil {
		return "", err
	}
	defer in.Close()
	if m.src.Exports {
		return "", nil
	}
	err = in.Run(ctx)
	return out.String(), err
}

// check compares the result of a module with the expected one.
func (m *thief) check(t *testing.T, from string, base *gyr.Base) {
	t.Helper()
	out, err := m.run(t.Context(), from, base)
	if prints, ok := strings.CutPrefix(m.want, "prints "); ok {
		if out != prints || err != nil {
			t.Errorf("from %s: printed %q, %v, want %q", from, out, err, prints)
		}
		return
	}
	if err == nil || !strings.Contains(err.Error(), m.want) {
		t.Errorf("from %s: printed %q, error %v\nwant %s", from, out, err, m.want)
	}
}

var identityBase = sync.OnceValues(func() (*gyr.Base, error) { return gyr.OpenBase(context.Background(), gyr.BaseConfig{}) })

var froms = []string{"an fs.FS", "a directory", "an image", "the base"}

// TestTakeovers: no module can replace a package of the standard library, for every victim and
// every way.
func TestTakeovers(t *testing.T) {
	daily.Turn(t, 3, false)
	base, err := identityBase()
	if err != nil {
		t.Fatal(err)
	}
	installed, err := gyr.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	type takeover struct {
		thief
		from string
	}
	var list []takeover
	for i, v := range victims {
		own, err := copyOf(installed.GOROOT, v.path)
		if err != nil {
			t.Fatal(err)
		}
		for way, make := range takeovers {
			through := v.through
			if v.path == "unsafe" {
				through = "unsafe"
			}
			if strings.HasPrefix(v.path, "vendor/") {
				if way == "replaced" || way == "workspace" || way == "vendored" {
					continue // only std imports it: see identities
				}
			}
			m := make(v.path, through, own)
			if m.files == "" {
				continue
			}
			if v.path == "testing/internal/testdeps" {
				m.src.Exports, m.src.Test = false, true // only tests import it
			}
			m.want = "ambiguous import: found package " + v.path + " in multiple "
			m.name = v.path + "/" + way
			list = append(list, takeover{m, froms[(i+len(way))%len(froms)]})
		}
	}
	if len(list) < 60 {
		t.Errorf("%d modules, at least 60 expected", len(list))
	}
	slices.SortFunc(list, func(a, b takeover) int { return strings.Compare(a.name, b.name) })
	for _, m := range daily.Part(t, list, (len(list)+4)/5, *all) {
		t.Run(m.name, func(t *testing.T) { m.check(t, m.from, base) })
	}
}

const mod = "-- go.mod --\nmodule m.x\ngo 1.26\n"

// named returns a go.mod.
func named(path string) string { return "-- go.mod --\nmodule " + path + "\ngo 1.26\n" }

// identities are modules that try to get other privileges of the standard library.
var identities = []thief{
	{"unsafe in a module below internal", named("internal/evil") + "-- main.go --\npackage main\nimport \"unsafe\"\nfunc main() { print(unsafe.Sizeof(1)) }\n", gyr.Source{},
		`import of "unsafe" is not allowed`},
	{"unsafe below runtime", named("runtime/evil") + "-- main.go --\npackage main\nimport \"unsafe\"\nfunc main() { print(unsafe.Sizeof(1)) }\n", gyr.Source{}, `import of "unsafe" is not allowed`},
	{"unsafe under a line directive", mod + "-- main.go --\n//line /usr/local/go/src/runtime/x.go:1\npackage main\nimport \"unsafe\"\nfunc main() { print(unsafe.Sizeof(1)) }\n", gyr.Source{}, `import of "unsafe" is not allowed`},
	{"a linkname", named("runtime/evil") + "-- main.go --\npackage main\n//go:linkname f runtime.nanotime\nfunc f() int64\nfunc main() { print(f()) }\n", gyr.Source{}, "//go:linkname only allowed in Go files that import \"unsafe\""},
	{"a linkname that gives a body", named("os/evil") + "-- main.go --\npackage main\n//go:linkname f os.runtime_args\nfunc f() []string { return nil }\nfunc main() {}\n", gyr.Source{}, "//go:linkname only allowed in Go files that import \"unsafe\""},
	{"a linkname under a line directive", mod + "-- main.go --\npackage main\n//line /usr/local/go/src/runtime/x.go:1\n//go:linkname f runtime.nanotime\nfunc f() int64\nfunc main() { print(f()) }\n", gyr.Source{}, "//go:linkname only allowed in Go files that import \"unsafe\""},
	{"a linkname where unsafe is off", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f runtime.nanotime\nfunc f() int64\nfunc main() { print(f()) }\n", gyr.Source{}, `import of "unsafe" is not allowed`},
	{"a linkname to what is not listed", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f runtime.stopTheWorld\nfunc f() int64\nfunc main() { print(f()) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "main.go:3:1: //go:linkname f runtime.stopTheWorld: programs cannot take this from the standard library"},
	{"a linkname to a host function", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f runtime.host_exit\nfunc f(int32)\nfunc main() { f(0) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "f runtime.host_exit: programs cannot take this from the standard library"},
	{"a linkname to a primitive", mod + "-- main.go --\npackage main\nimport \"unsafe\"\n//go:linkname f runtime.ir_memmove\nfunc f(a, b unsafe.Pointer, n uintptr)\nfunc main() { f(nil, nil, 0) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "f runtime.ir_memmove: programs cannot take this from the standard library"},
	{"a linkname to the answer", mod + "-- main.go --\npackage main\nimport \"unsafe\"\n//go:linkname f runtime.pulled_memmove\nfunc f(a, b unsafe.Pointer, n uintptr)\nfunc main() { f(nil, nil, 0) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "f runtime.pulled_memmove: programs cannot take this from the standard library"},
	{"a linkname to an exported function", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f os.Getpid\nfunc f() int\nfunc main() { f() }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "f os.Getpid: programs cannot take this from the standard library"},
	{"a linkname that leads out of GOROOT", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f a/../../src/runtime.GC\nfunc f()\nfunc main() { f() }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "f a/../../src/runtime.GC: no package of the program has a function with this symbol"},
	{"a linkname to a variable", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname v runtime.curg\nvar v *int\nfunc main() { print(v) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "v runtime.curg: programs cannot take this from the standard library"},
	{"a linkname that takes a function for a variable", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname v runtime.nanotime\nvar v int64\nfunc main() { print(v) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "v runtime.nanotime does not fit: declare it as func() int64"},
	{"a linkname with other operands", mod + "-- main.go --\npackage main\nimport \"unsafe\"\n//go:linkname f runtime.memmove\nfunc f(a, b uintptr, n unsafe.Pointer)\nfunc main() { f(0, 0, nil) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "f runtime.memmove does not fit: declare it as func(to, from unsafe.Pointer, n uintptr)"},
	{"a linkname that gives a body to std", named("os/evil") + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f os.runtime_args\nfunc f() []string { return nil }\nfunc main() {}\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "os.runtime_args is the standard library's: a program cannot define it"},
	{"a linkname that gives a body to an answer", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f runtime.nanotime\nfunc f() int64 { return 42 }\nfunc main() {}\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "runtime.nanotime is the standard library's: a program cannot define it"},
	{"a linkname to the table of system calls", mod + "-- main.go --\npackage main\nimport _ \"unsafe\"\n//go:linkname f syscall.fd_write\nfunc f(int32, *byte, int32, *int32) uint32\nfunc main() { f(1, nil, 0, nil) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "f syscall.fd_write: programs cannot take this from the standard library"},
	{"a host function behind a file of assembly", mod + "-- runtime/a.go --\npackage runtime\nfunc host_write(fd int, p *byte, n int) int\nfunc F() { host_write(1, nil, 1) }\n-- runtime/a.s --\n// nothing\n-- main.go --\npackage main\nimport \"m.x/runtime\"\nfunc main() { runtime.F() }\n", gyr.Source{}, "link: function m.x/runtime.host_write has no body"},
	{"a primitive behind a file of assembly", mod + "-- runtime/a.go --\npackage runtime\nfunc ir_memmove(p, q *byte, n int)\nfunc F() { ir_memmove(nil, nil, 1) }\n-- runtime/a.s --\n-- main.go --\npackage main\nimport \"m.x/runtime\"\nfunc main() { runtime.F() }\n", gyr.Source{}, "link: function m.x/runtime.ir_memmove has no body"},
	{"a function that another module gives the name of std's", mod + "-- p/p.go --\npackage p\nimport _ \"unsafe\"\n//go:linkname f m.x/runtime.nanotime\nfunc f() int64 { return 42 }\n-- runtime/a.go --\npackage runtime\nfunc nanotime() int64\nfunc F() int64 { return nanotime() }\n-- runtime/a.s --\n-- main.go --\npackage main\nimport (\"m.x/runtime\"; _ \"m.x/p\")\nfunc main() { print(runtime.F()) }\n", gyr.Source{Unsafe: gyr.UnsafeAll}, "prints 42"},
	{"an import of the host", named("syscall/evil") + "-- main.go --\npackage main\n//go:wasmimport wasi_snapshot_preview1 proc_exit\nfunc f(int32)\nfunc main() { f(0) }\n", gyr.Source{}, "//go:wasmimport is not allowed outside the standard library"},
	{"an export", mod + "-- main.go --\npackage main\n//go:wasmexport f\nfunc f() {}\nfunc main() {}\n", gyr.Source{}, "//go:wasmexport is not allowed outside the standard library"},
	{"a function without body", named("runtime/evil") + "-- main.go --\npackage main\nfunc nanotime() int64\nfunc main() { print(nanotime()) }\n", gyr.Source{}, "missing function body"},
	{"a host function", mod + "-- runtime/a.go --\npackage runtime\nfunc host_write(fd int, p *byte, n int) int\nfunc F() { host_write(1, nil, 1) }\n-- main.go --\npackage main\nimport \"m.x/runtime\"\nfunc main() { runtime.F() }\n", gyr.Source{}, "missing function body"},
	{"a primitive", mod + "-- runtime/a.go --\npackage runtime\nfunc ir_memmove(p, q *byte, n int)\nfunc F() { ir_memmove(nil, nil, 1) }\n-- main.go --\npackage main\nimport \"m.x/runtime\"\nfunc main() { runtime.F() }\n", gyr.Source{}, "missing function body"},
	{"a primitive with a body", mod + "-- runtime/a.go --\npackage runtime\nfunc ir_memmove(n int) int { return 2 * n }\nfunc F() int { return ir_memmove(21) }\n-- main.go --\npackage main\nimport \"m.x/runtime\"\nfunc main() { print(runtime.F()) }\n", gyr.Source{}, "prints 42"},
	{"an intrinsic with another body", named("math/evil") + "-- math/a.go --\npackage math\nfunc Sqrt(x float64) float64 { return 42 }\n-- main.go --\npackage main\nimport \"math/evil/math\"\nfunc main() { print(int(math.Sqrt(4))) }\n", gyr.Source{}, "prints 42"},
	{"another Count", named("bytealg") + "-- a.go --\npackage bytealg\nfunc CountString(s string, c byte) int { return 42 }\n-- x/main.go --\npackage main\nimport \"bytealg\"\nfunc main() { print(bytealg.CountString(\"\", 1)) }\n", gyr.Source{Patterns: []string{"./x"}}, "prints 42"},
	{"a promise about escape", mod + "-- main.go --\npackage main\nvar kept *[4]int\n//go:noescape\n//go:noinline\nfunc keep(p *[4]int) { kept = p }\nfunc f() { var a [4]int; a[1] = 42; keep(&a) }\nfunc g(n int) int { var b [64]int; for i := range b { b[i] = n }; return b[n&63] }\nfunc main() { f(); g(7); print(kept[1]) }\n", gyr.Source{}, "prints 42"},
	{"alignment of its own", named("evil/sync") + "-- atomic/a.go --\npackage atomic\ntype align64 struct{}\ntype T struct { A int32; _ align64; B int32 }\n-- main.go --\npackage main\nimport (\"evil/sync/atomic\"; \"reflect\")\nfunc main() { print(reflect.TypeOf(atomic.T{}).Align()) }\n", gyr.Source{}, "prints 4"},
	{"a type like embed.FS", mod + "-- embed/a.go --\npackage embed\ntype FS struct { A, B, C *int }\n-- main.go --\npackage main\nimport _ \"embed\"\nimport e \"m.x/embed\"\n//go:embed main.go\nvar f e.FS\nfunc main() { print(f.A) }\n", gyr.Source{}, "go:embed cannot apply to var of type"},
	{"hidden frames", named("runtime.evil") + "-- a.go --\npackage evil\nfunc F() { panic(\"x\") }\n-- x/main.go --\npackage main\nimport (\"runtime.evil\"; \"runtime\")\nfunc main() {\n\tdefer func() {\n\t\trecover()\n\t\tpc := make([]uintptr, 9)\n\t\tf := runtime.CallersFrames(pc[:runtime.Callers(0, pc)])\n\t\tfor {\n\t\t\tx, more := f.Next()\n\t\t\tif len(x.Function) > 9 && x.Function[len(x.Function)-6:] == \"evil.F\" { print(x.Function) }\n\t\t\tif !more { break }\n\t\t}\n\t}()\n\tevil.F()\n}\n", gyr.Source{Patterns: []string{"./x"}}, "prints runtime%2eevil.F"},
	{"cgo in module C", named("C") + "-- s/a.go --\npackage s\nfunc F() { print(42) }\n-- main.go --\npackage main\nimport \"C\"\nfunc main() { C.F() }\n", gyr.Source{}, `cannot load package C`},
	{"below C", named("C") + "-- s/a.go --\npackage s\nfunc F() { print(42) }\n-- x/main.go --\npackage main\nimport \"C/s\"\nfunc main() { s.F() }\n", gyr.Source{Patterns: []string{"./x"}}, "prints 42"},
	{"plugins", mod + "-- main.go --\npackage main\nimport _ \"plugin\"\nfunc main() {}\n", gyr.Source{}, "package plugin is not supported"},
	{"assembly", named("runtime/evil") + "-- main.go --\npackage main\nfunc f()\nfunc main() { f() }\n-- f.s --\nTEXT f(SB), 0, $0\n", gyr.Source{}, "assembly files with code are not supported"},
	{"an object file", named("runtime/cgo/evil") + "-- main.go --\npackage main\nfunc main() { }\n-- f.syso --\nx\n", gyr.Source{}, "object files are not supported"},
	{"internal from below internal", named("internal/evil") + "-- main.go --\npackage main\nimport \"internal/goarch\"\nfunc main() { print(goarch.PtrSize) }\n", gyr.Source{}, "use of internal package internal/goarch not allowed"},
	{"internal from below runtime", named("runtime/internal") + "-- main.go --\npackage main\nimport \"internal/runtime/atomic\"\nvar x uint32\nfunc main() { atomic.Store(&x, 1) }\n", gyr.Source{}, "use of internal package internal/runtime/atomic not allowed"},
	{"internal from below crypto", named("crypto/evil") + "-- main.go --\npackage main\nimport _ \"crypto/internal/constanttime\"\nfunc main() { }\n", gyr.Source{}, "use of internal package crypto/internal/constanttime not allowed"},
	{"internal from below testing", named("testing/evil") + "-- main.go --\npackage main\nimport _ \"testing/internal/testdeps\"\nfunc main() { }\n", gyr.Source{}, "use of internal package testing/internal/testdeps not allowed"},
	{"internal from a module's root", named("crypto") + "-- evil/main.go --\npackage main\nimport _ \"crypto/internal/fips140/aes\"\nfunc main() { }\n", gyr.Source{Patterns: []string{"./evil"}}, "use of internal package crypto/internal/fips140/aes not allowed"},
	{"internal in a test", named("testing/evil") + "-- a.go --\npackage evil\n-- a_test.go --\npackage evil\nimport _ \"testing/internal/testdeps\"\n", gyr.Source{Test: true}, "use of internal package testing/internal/testdeps not allowed"},
	{"internal in an external test", named("testing/evil") + "-- a.go --\npackage evil\n-- a_test.go --\npackage evil_test\nimport _ \"internal/abi\"\n", gyr.Source{Test: true}, "use of internal package internal/abi not allowed"},
	{"std's vendor tree", mod + "-- main.go --\npackage main\nimport _ \"vendor/golang.org/x/text/unicode/norm\"\nfunc main() { }\n", gyr.Source{}, "vendor/golang.org/x/text/unicode/norm must be imported as golang.org/x/text/unicode/norm"},
	{"std's vendor tree without its name", mod + "-- main.go --\npackage main\nimport _ \"golang.org/x/text/unicode/norm\"\nfunc main() { }\n", gyr.Source{}, "no required module provides package golang.org/x/text/unicode/norm"},
	{"module vendor", named("vendor") + "-- golang.org/x/text/unicode/norm/a.go --\npackage norm\nfunc init() { print(\"stolen\") }\n-- main.go --\npackage main\nimport _ \"vendor/golang.org/x/text/unicode/norm\"\nfunc main() { }\n", gyr.Source{}, "must be imported as golang.org/x/text/unicode/norm"},
	{"module vendor beside net", named("vendor") + "-- golang.org/x/net/dns/dnsmessage/a.go --\npackage dnsmessage\nfunc init() { print(\"stolen\") }\n-- main.go --\npackage main\nimport (_ \"net\"; _ \"vendor/golang.org/x/net/dns/dnsmessage\")\nfunc main() { }\n", gyr.Source{}, "ambiguous import: found package vendor/golang.org/x/net/dns/dnsmessage in multiple modules"},
	{"a vendor directory by its name", mod + "-- vendor/a.b/a.go --\npackage a\n-- main.go --\npackage main\nimport _ \"m.x/vendor/a.b\"\nfunc main() { }\n", gyr.Source{}, "m.x/vendor/a.b must be imported as a.b"},
	{"dots in an import", mod + "-- main.go --\npackage main\nimport _ \"unicode/../internal/goarch\"\nfunc main() { }\n", gyr.Source{}, `malformed import path "unicode/../internal/goarch": invalid path element ".."`},
	{"one dot in an import", mod + "-- main.go --\npackage main\nimport _ \"internal/./goarch\"\nfunc main() { }\n", gyr.Source{}, `malformed import path "internal/./goarch": invalid path element "."`},
	{"dots in a pattern", mod + "-- main.go --\npackage main\nfunc main() { }\n", gyr.Source{Patterns: []string{"fmt/../runtime"}}, `malformed import path "fmt/../runtime": invalid path element ".."`},
	{"dots in modules.txt", mod + "require a.b v1.0.0\n-- outside/a.go --\npackage outside\n-- vendor/modules.txt --\n# a.b v1.0.0\n## explicit\na.b/../../outside\n-- main.go --\npackage main\nimport _ \"a.b/../../outside\"\nfunc main() { }\n", gyr.Source{}, `malformed import path "a.b/../../outside"`},
	{"dots in a module's path", named("m.x/../runtime") + "-- main.go --\npackage main\nfunc main() { }\n", gyr.Source{}, `malformed module path "m.x/../runtime": invalid path element ".."`},
	{"a module's path with a slash in front", named("/runtime") + "-- main.go --\npackage main\nfunc main() { }\n", gyr.Source{}, `malformed module path "/runtime"`},
	{"a module's path with a slash at the end", named("runtime/") + "-- main.go --\npackage main\nfunc main() { }\n", gyr.Source{}, `malformed module path "runtime/"`},
	{"a module's path that looks generated", named(`"type:.eq.x"`) + "-- main.go --\npackage main\nfunc main() { }\n", gyr.Source{}, `malformed module path "type:.eq.x"`},
	{"a module's path in other letters", named(`"rüntime"`) + "-- main.go --\npackage main\nfunc main() { }\n", gyr.Source{}, `malformed module path "rüntime"`},
	{"module main", named("main") + "-- q/q.go --\npackage q\nfunc F() { print(42) }\n-- main.go --\npackage main\nimport \"main/q\"\nfunc main() { q.F() }\n", gyr.Source{}, "prints 42"},
	{"module main, imported", named("main") + "-- a.go --\npackage lib\n-- x/main.go --\npackage main\nimport _ \"main\"\nfunc main() { }\n", gyr.Source{Patterns: []string{"./x"}}, `could not import main (cannot import "main")`},
	{"module main under test", named("main") + "-- a.go --\npackage main\nfunc main() {}\n-- a_test.go --\npackage main\n", gyr.Source{Test: true}, `could not import main (cannot import "main")`},
	{"a library main under test", named("main") + "-- a.go --\npackage lib\n-- a_test.go --\npackage lib\n", gyr.Source{Test: true}, `could not import main (cannot import "main")`},
	{"module C under test", named("C") + "-- a.go --\npackage c\n-- a_test.go --\npackage c\n", gyr.Source{Test: true}, "cannot load package C"},
	{"module command-line-arguments", named("command-line-arguments") + "-- y/y.go --\npackage y\nfunc F() { print(42) }\n-- main.go --\npackage main\nimport \"command-line-arguments/y\"\nfunc main() { y.F() }\n", gyr.Source{}, "prints 42"},
	{"the path of external tests", named("m.x") + "-- b/a.go --\npackage b\nimport \"m.x/c\"\nfunc F() { c.F() }\n-- b/a_test.go --\npackage b_test\n-- c/c.go --\npackage c\nimport \"m.x/b_test\"\nfunc F() { b_test.F() }\n-- b_test/b.go --\npackage b_test\nfunc F() {}\n", gyr.Source{Test: true, Patterns: []string{"./b"}}, "has the path of the external tests of m.x/b"},
	{"module std", named("std") + "-- main.go --\npackage main\nimport \"std/y\"\nfunc main() { y.F() }\n-- y/y.go --\npackage y\nfunc F() { print(42) }\n", gyr.Source{}, "prints 42"},
	{"below cmd", named("cmd/internal") + "-- obj/a.go --\npackage obj\nfunc F() { }\n-- main.go --\npackage main\nimport \"cmd/internal/obj\"\nfunc main() { obj.F() }\n", gyr.Source{}, "ambiguous import: found package cmd/internal/obj in multiple modules"},
	{"beside the victims", named("unicode") + "-- mine/a.go --\npackage mine\nfunc F() { print(42) }\n-- x/main.go --\npackage main\nimport \"unicode/mine\"\nfunc main() { mine.F() }\n", gyr.Source{Patterns: []string{"./x"}}, "prints 42"},
	{"a package in a directory runtime", mod + "-- runtime/a.go --\npackage runtime\nfunc gopanic(x any) { }\nfunc F() { print(42) }\n-- main.go --\npackage main\nimport \"m.x/runtime\"\nfunc main() { runtime.F() }\n", gyr.Source{}, "prints 42"},
	{"calls that the host asks for", mod + "-- a.go --\npackage a\nfunc F() { gyr_next() }\n", gyr.Source{Exports: true}, "undefined: gyr_next"},
	{"exports of its own", mod + "-- a.go --\npackage a\nfunc F() { gyr_describe(new(int), new(int)) }\n", gyr.Source{Exports: true}, "undefined: gyr_describe"},
	{"the calls again", mod + "-- a.go --\npackage a\nfunc F() { gyr_main() }\n", gyr.Source{Exports: true}, "undefined: gyr_main"},
	{"a counter of its own", mod + "-- main.go --\npackage main\nfunc gyr·cover(n int) {}\nfunc main() { gyr·cover(1 << 40) }\n", gyr.Source{}, "invalid character U+00B7 '·'"},
}

// TestIdentities: other names do not give privileges, from whatever source.
func TestIdentities(t *testing.T) {
	base, err := identityBase()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range daily.Numbers(t, len(identities), (len(identities)+2)/3, *all) {
		m := &identities[i]
		t.Run(m.name, func(t *testing.T) {
			m.check(t, froms[i%len(froms)], base)
			if !strings.HasPrefix(m.want, "prints ") {
				m.check(t, froms[(i+1)%len(froms)], base)
			}
		})
	}
}

// TestIdentityChanges: what a cache keeps of an honest module does not apply to the dishonest
// module that it becomes.
func TestIdentityChanges(t *testing.T) {
	daily.Turn(t, 3, false)
	dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	write := func(name, text string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module unicode\ngo 1.26\n")
	write("x/main.go", "package main\nimport \"strconv\"\nfunc main() { print(strconv.Quote(\"a\")) }\n")
	src, opts := gyr.Source{Dir: dir, Patterns: []string{"./x"}}, &gyr.CompileOptions{Cache: cache}
	for _, want := range []string{gyr.CacheMiss, gyr.CacheHit} {
		p, err := gyr.Compile(t.Context(), src, opts)
		if err != nil || p.Stats().Cached != want {
			t.Fatalf("%v, want the cache to have a %s", err, want)
		}
	}
	write("utf8/a.go", "package utf8\n")
	if _, err := gyr.Compile(t.Context(), src, opts); err == nil || !strings.Contains(err.Error(), "ambiguous import: found package unicode/utf8") {
		t.Errorf("with a package of std's of its own: %v", err)
	}
}

// TestIdentityImages: names and flags of an image's functions give nothing. The image runs with the
// output and gas of the honest one, or is refused.
func TestIdentityImages(t *testing.T) {
	daily.Turn(t, 3, false)
	honest, err := goodImage()
	if err != nil {
		t.Fatal(err)
	}
	run := func(b []byte) (string, gyr.Stats, error) {
		p, err := gyr.CompileImage(t.Context(), b, nil)
		if err != nil {
			return "", gyr.Stats{}, err
		}
		var out bytes.Buffer
		in, err := p.NewInstance(t.Context(), gyr.Config{Stdout: &out, Stderr: &out, Gas: 1 << 30, Memory: 64 << 20})
		if err != nil {
			return "", gyr.Stats{}, err
		}
		defer in.Close()
		err = in.Run(t.Context())
		return out.String(), in.Stats(), err
	}
	want, stats, err := run(honest)
	if err != nil {
		t.Fatal(err)
	}
	own := func(m *ir.Module, do func(f *ir.Func)) {
		for _, f := range m.Funcs()[1:] {
			if strings.HasPrefix(f.Name, "main.") {
				do(f)
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(m *ir.Module)
		says   string // empty: it runs unchanged
	}{
		{"names of the map package", func(m *ir.Module) {
			own(m, func(f *ir.Func) { f.Name = "internal/runtime/maps.runtime_mapaccess1_faststr" })
		}, ""},
		{"names of the runtime", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Name = "runtime.concatstring2" }) }, ""},
		{"the name of what charges", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Name = "runtime.charge" }) }, ""},
		{"the name of what looks up addresses", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Name = "runtime.semaslot" }) }, ""},
		{"the runtime's flag", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Flags |= ir.Runtime }) }, "is not that of the runtime"},
		{"both", func(m *ir.Module) {
			own(m, func(f *ir.Func) { f.Name, f.Flags = "runtime.semaslot", f.Flags|ir.Runtime })
		}, "is not that of the runtime"},
		{"no turn for others", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Flags |= ir.NoPreempt }) }, ""},
		{"a measured loop", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Flags |= ir.Measured }) }, "is a measured loop, which is for benchmarks alone"},
		{"promises about escape", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Flags |= ir.NoEscape }) }, ""},
		{"any signature", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Flags |= ir.AnySignature }) }, "cannot be called with any signature"},
		{"reflect's entry points", func(m *ir.Module) { own(m, func(f *ir.Func) { f.Flags |= ir.MakeFuncStub }) }, "cannot be called with any signature"},
	} {
		got, s, err := run(recoded(bytes.Clone(honest), func(m *ir.Module, _ *image.Header) { c.change(m) }))
		switch {
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %q, %v, want an error with %q", c.name, got, err, c.says)
			}
		case err != nil || got != want || s.Gas != stats.Gas:
			t.Errorf("%s: %q with %d gas, %v, want %q with %d", c.name, got, s.Gas, err, want, stats.Gas)
		}
	}
}

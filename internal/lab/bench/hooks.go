package bench

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Package testing prints four digits of a time, and nothing about the machine's load meanwhile. So
// native test binaries are built with an overlay in which its timer reports more. The overlay has
// the Go installation's file benchmark.go with a few calls put in, and a file with the functions
// that are called. The code between the two readings of the clock stays as it is. If a release of
// Go differs so much that the places are not found, binaries are built without hooks and use the
// printed figures.

//go:embed hooks.go.txt
var hookFile []byte

// The part of the hooks that depends on the system.
var (
	//go:embed hooks_linux.go.txt
	hookLinux []byte
	//go:embed hooks_other.go.txt
	hookOther []byte
)

// hookMark begins the line that a hooked test binary prints before each result.
const hookMark = "gyr-batch "

// A hook is a statement that is put into a function of package testing.
type hook struct {
	fn   string // of *B
	in   bool   // into the body of the function's if statement on the timer, not of the function
	last bool   // at its end, before a return
	call string
}

var hooks = []hook{
	{"StartTimer", true, false, "gyrStarting()"},
	{"StartTimer", true, true, "gyrStarted()"},
	{"ResetTimer", true, false, "gyrStarting()"},
	{"ResetTimer", true, true, "gyrStarted()"},
	{"ResetTimer", false, false, "gyrReset()"},
	{"StopTimer", true, false, "gyrStopping()"},
	{"StopTimer", true, true, "gyrStopped()"},
	{"doBench", false, true, "gyrReport(b)"},
}

// writeHooks writes the files into dir. The result maps the installation's files to those that
// replace them.
func writeHooks(goroot, dir string) (map[string]string, error) {
	name := filepath.Join(goroot, "src", "testing", "benchmark.go")
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	patched, err := putHooks(src)
	if err != nil {
		return nil, err
	}
	wait := hookOther
	if runtime.GOOS == "linux" {
		wait = hookLinux
	}
	files := map[string]string{}
	for base, text := range map[string][]byte{"benchmark.go": patched, "gyr_bench.go": hookFile, "gyr_wait.go": wait} {
		out := filepath.Join(dir, base)
		if err := os.WriteFile(out, text, 0o600); err != nil {
			return nil, err
		}
		files[filepath.Join(filepath.Dir(name), base)] = out
	}
	return files, nil
}

// putHooks puts the calls into the source of benchmark.go. No line moves.
func putHooks(src []byte) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "benchmark.go", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	type insert struct {
		at   int
		text string
	}
	var inserts []insert
	for _, h := range hooks {
		body := methodOfB(file, h.fn)
		if body != nil && h.in {
			body = timerBody(body)
		}
		if body == nil {
			return nil, fmt.Errorf("package testing has no B.%s as it is known", h.fn)
		}
		switch {
		case !h.last:
			inserts = append(inserts, insert{set.Position(body.Lbrace).Offset + 1, " " + h.call + ";"})
		case len(body.List) == 0:
			return nil, fmt.Errorf("B.%s does nothing", h.fn)
		default:
			last := body.List[len(body.List)-1]
			at, text := last.End(), "; "+h.call+" "
			if r, ok := last.(*ast.ReturnStmt); ok {
				at, text = r.Pos(), h.call+"; "
			}
			inserts = append(inserts, insert{set.Position(at).Offset, text})
		}
	}
	slices.SortStableFunc(inserts, func(a, b insert) int { return b.at - a.at })
	for _, i := range inserts {
		src = slices.Insert(slices.Clone(src), i.at, []byte(i.text)...)
	}
	_, err = parser.ParseFile(token.NewFileSet(), "benchmark.go", src, parser.SkipObjectResolution)
	return src, err
}

// methodOfB is the body of a method of *B; nil: none.
func methodOfB(file *ast.File, name string) *ast.BlockStmt {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != name || f.Recv == nil || f.Body == nil {
			continue
		}
		if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
			if id, ok := star.X.(*ast.Ident); ok && id.Name == "B" && len(f.Recv.List[0].Names) == 1 && f.Recv.List[0].Names[0].Name == "b" {
				return f.Body
			}
		}
	}
	return nil
}

// timerBody is the body of the only statement of a list that is under if b.timerOn or if
// !b.timerOn; nil: none, or two.
func timerBody(body *ast.BlockStmt) (found *ast.BlockStmt) {
	for _, s := range body.List {
		i, ok := s.(*ast.IfStmt)
		if !ok {
			continue
		}
		cond := i.Cond
		if u, ok := cond.(*ast.UnaryExpr); ok && u.Op == token.NOT {
			cond = u.X
		}
		if sel, ok := cond.(*ast.SelectorExpr); ok && sel.Sel.Name == "timerOn" {
			if found != nil {
				return nil
			}
			found = i.Body
		}
	}
	return found
}

// gorootOf is the installation that the go command uses in a directory.
func gorootOf(dir string) (string, error) {
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Dir = dir
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// A hooked is a hooked test binary's report about a batch.
type hooked struct {
	ns, wait      float64
	gcs           int
	gcNS          float64
	allocs, bytes float64 // of all iterations
}

// parseHook reads a hook's line.
func parseHook(line string) (h hooked, ok bool) {
	rest, ok := strings.CutPrefix(line, hookMark)
	f := strings.Fields(rest)
	var v [6]float64
	if !ok || len(f) != len(v) {
		return h, false
	}
	for i := range v {
		x, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			return h, false
		}
		v[i] = x
	}
	return hooked{ns: v[0], wait: v[1], gcs: int(v[2]), gcNS: v[3], allocs: v[4], bytes: v[5]}, true
}

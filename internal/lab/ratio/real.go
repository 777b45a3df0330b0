package ratio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench"
)

// Code that others wrote, with pinned versions: ten programs (-real) and ten modules with their own
// benchmarks (-modules). The lists were fixed before the optimiser's work that they measure, so that
// nobody chose rows that it serves.

// realDir is the directory of the module that requires the libraries of RealPrograms, and is their
// working directory.
const realDir = "programs/real"

// real tells how a program of RealPrograms is run. Its arguments, files and packages are relative to
// a directory of the measurement.
type real struct {
	path   string                                  // package; empty: ./NAME
	input  func(e Env, dir string, size int) error // writes what the program reads into dir; nil: nothing
	args   func(dir, size string) []string         // nil: the size
	output string                                  // file that the program writes, compared with native Go's
}

// RealPrograms is the table of -real.
var RealPrograms = []Program{
	{"goyacc", "real", "240", "60", "2", nil, &real{
		path: "golang.org/x/tools/cmd/goyacc", input: writeGrammar, output: "parser.go",
		args: func(dir, size string) []string {
			return []string{"-o", filepath.Join(dir, "parser.go"), "-v", "", filepath.Join(dir, size+".y")}
		}}},
	{"shfmt", "real", "24000", "1500", "1", nil, &real{
		path: "mvdan.cc/sh/v3/cmd/shfmt", input: writeScript,
		args: func(dir, size string) []string {
			return []string{"-i", "2", "-ci", "-s", filepath.Join(dir, size+".sh")}
		}}},
	{"gpython", "real", "800", "60", "0", nil, &real{}},
	{"chess", "real", "400", "20", "0", nil, &real{}},
	{"pdf", "real", "1500", "100", "0", nil, &real{}},
	{"mp3", "real", "4", "1", "0", nil, &real{
		input: copySound,
		args:  func(dir, size string) []string { return []string{size, filepath.Join(dir, "sound.mp3")} }}},
	{"cache", "real", "3000000", "200000", "0", nil, &real{}},
	{"markdown", "real", "20000", "1000", "0", nil, &real{}},
	{"javascript", "real", "500", "40", "0", nil, &real{}},
	{"minify", "real", "12000", "800", "0", nil, &real{}},
}

// realModules are the modules of -modules, whose root packages have benchmarks.
var realModules = []string{
	"github.com/seiflotfy/cuckoofilter@v0.0.0-20240715131351-a2f2c23f1771",
	"github.com/coocood/freecache@v1.2.7",
	"github.com/valyala/fastjson@v1.6.10",
	"github.com/hashicorp/golang-lru/v2@v2.0.7",
	"github.com/google/btree@v1.1.3",
	"github.com/bits-and-blooms/bitset@v1.24.4",
	"github.com/tidwall/gjson@v1.18.0",
	"github.com/gobwas/glob@v0.2.3",
	"github.com/shopspring/decimal@v1.4.0",
	"github.com/yuin/gopher-lua@v1.1.1",
}

// path is the pattern of the program's package.
func (p Program) path() string {
	switch {
	case p.real == nil:
		return "./programs/" + p.Name
	case p.real.path == "":
		return "./" + p.Name
	}
	return p.real.path
}

// dir is the directory in which the program is built and run.
func (p Program) dir(e Env) string {
	if p.real == nil {
		return e.Root
	}
	return filepath.Join(e.Root, realDir)
}

// args are the program's arguments.
func (p Program) args(e Env, size string) []string {
	if p.real == nil || p.real.args == nil {
		return []string{size}
	}
	return p.real.args(p.files(e), size)
}

// files is the directory of what the program reads and writes.
func (p Program) files(e Env) string { return filepath.Join(e.Dir, "files", p.Name) }

// prepare makes what a run of the program reads.
func (p Program) prepare(e Env, size string) error {
	if p.real == nil {
		return nil
	}
	dir := p.files(e)
	if err := os.MkdirAll(dir, 0o777); err != nil || p.real.input == nil {
		return err
	}
	n, err := strconv.Atoi(size)
	if err != nil {
		return err
	}
	return p.real.input(e, dir, n)
}

// addOutput adds the file that a run wrote to what it printed.
func (p Program) addOutput(e Env, out *bytes.Buffer) error {
	if p.real == nil || p.real.output == "" {
		return nil
	}
	name := filepath.Join(p.files(e), p.real.output)
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	out.Write(b)
	return os.Remove(name)
}

// buildReal builds programs of RealPrograms natively into a directory.
func buildReal(e Env, dir string, list []Program) error {
	for _, p := range list {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, p.Name), p.path())
		cmd.Dir, cmd.Stderr = p.dir(e), os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go build %s: %w", p.path(), err)
		}
	}
	return nil
}

// copySound copies an example of the decoder's module.
func copySound(e Env, dir string, _ int) error {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/hajimehoshi/go-mp3")
	cmd.Dir, cmd.Stderr = filepath.Join(e.Root, realDir), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list -m: %w", err)
	}
	b, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "example", "mpeg2.mp3"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "sound.mp3"), b, 0o666)
}

// writeGrammar writes a grammar of n levels of operators and statements.
func writeGrammar(_ Env, dir string, n int) error {
	var b bytes.Buffer
	b.WriteString("%{\npackage p\n%}\n%union{ n int }\n%token <n> NUM\n%type <n> top atom\n")
	for i := range n {
		fmt.Fprintf(&b, "%%type <n> e%[1]d s%[1]d\n%%token K%[1]d OPA%[1]d OPB%[1]d\n", i)
	}
	b.WriteString("%%\ntop: s0 { $$ = $1 }\n")
	for i := range n {
		inner, next := "atom", "e0"
		if i+1 < n {
			inner, next = fmt.Sprintf("e%d", i+1), fmt.Sprintf("s%d", i+1)
		}
		fmt.Fprintf(&b, "e%[1]d: e%[1]d OPA%[1]d %[2]s { $$ = $1 + $3 } | e%[1]d OPB%[1]d %[2]s { $$ = $1 - $3 } | %[2]s { $$ = $1 }\n", i, inner)
		fmt.Fprintf(&b, "s%[1]d: K%[1]d e0 ';' %[2]s { $$ = $2 } | K%[1]d '{' s%[1]d '}' { $$ = $3 }\n", i, next)
	}
	b.WriteString("atom: NUM { $$ = $1 } | '(' e0 ')' { $$ = $2 } | '-' atom { $$ = -$2 }\n")
	return os.WriteFile(filepath.Join(dir, strconv.Itoa(n)+".y"), b.Bytes(), 0o666)
}

// writeScript writes a shell script of n functions.
func writeScript(_ Env, dir string, n int) error {
	const function = `
# section NNN
function task_NNN() {
	local name="$1" count=${2:-NNN}
	if [[ -f "$name" && $count -gt 3 ]]; then
		for f in *.txt "$name"/{a,b,c}; do
			echo "$f: ${f##*/} $(wc -l < "$f" | tr -d ' ')" >> log_NNN.txt 2>&1
		done
	elif ((count % 2 == 0)); then
		case "$name" in
			a*|b*) echo one ;;
			*) printf '%s\n' "${name//x/y}" ;;
		esac
	else
		while read -r line; do echo "$line" | sed -e 's/a/b/' | awk '{print $1}'; done <<-END
		text $name with ${count} lines
		END
	fi
	return $((count + NNN * 2))
}
task_NNN "a b" 4 && { echo ok; } || exit 1
`
	var b strings.Builder
	b.WriteString("#!/bin/bash\n")
	for i := range n {
		b.WriteString(strings.ReplaceAll(function, "NNN", strconv.Itoa(i)))
	}
	return os.WriteFile(filepath.Join(dir, strconv.Itoa(n)+".sh"), []byte(b.String()), 0o666)
}

// downloaded is a copy of the root package of a module, MODULE@VERSION, that may be built and tested.
func downloaded(e Env, module string) (bench.Package, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var m struct{ Path, Dir, Error string }
	if e := json.Unmarshal(out, &m); e == nil && m.Error != "" {
		err = errors.New(m.Error)
	}
	if err != nil {
		return bench.Package{}, fmt.Errorf("go mod download %s: %w", module, err)
	}
	dir := filepath.Join(e.Dir, "modules", strings.ReplaceAll(m.Path, "/", "-"))
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return bench.Package{}, err
	}
	// Some modules lack go.mod, or sums that their tests need.
	copied := Env{Root: dir}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		if err := copied.Run("go", "mod", "init", m.Path); err != nil {
			return bench.Package{}, err
		}
	}
	return bench.Package{Path: m.Path, Dir: dir}, copied.Run("go", "mod", "tidy")
}

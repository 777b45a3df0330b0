package gas_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
)

// A type of 24 bytes, at 0x10000.
var descriptors = []byte{24}

// place parses functions and declarations, places the charges and prints
// function f without numbers.
func place(t *testing.T, text string) (string, error) {
	t.Helper()
	m, err := ir.ParseModule(text)
	if err != nil {
		t.Fatal(err)
	}
	m.Data = descriptors
	if err := gas.Place(m); err != nil {
		return "", err
	}
	for _, f := range m.Funcs()[1:] {
		if f.Entry != nil {
			if err := ir.Verify(f); err != nil {
				t.Error(err)
			}
		}
	}
	f := m.Func(1)
	f.Renumber()
	return f.String(), nil
}

// TestPlace: the charges before an operation depend on its operands.
func TestPlace(t *testing.T) {
	for _, c := range []struct{ name, decl, body, want string }{
		{"block", "", "v1 = arg i64 [0]\nv2 = mul i64 v1 v1\nv3 = mul i64 v2 v1\nret", "arg, gas [2, 1], mul, mul"},
		{"nothing", "", "ret", ""},
		{"move", "", "v1 = arg i64 [0]\nv2 = arg ptr [1]\nmoven v2 v2 v1\nret", "arg, arg, gas [3, 1], const 5, shru v0 v3, gasn v4, moven"},
		{"constant", "", "v2 = arg ptr [1]\nv1 = const i64 4096\nclearn v2 v1\nret", "arg, gas [2, 1], const 4096, gas [128], clearn"},
		{"small constant", "", "v2 = arg ptr [1]\nv1 = const i64 100\nclearn v2 v1\nret", "arg, gas [2, 1], const 100, gas [3], clearn"},
		{"huge constant", "", "v2 = arg ptr [1]\nv1 = const i64 9223372036854775807\nclearn v2 v1\nret", "arg, gas [3, 1], const 9223372036854775807, const 5, shru v2 v3, gasn v4, clearn"},
		{"negative constant", "", "v2 = arg ptr [1]\nv1 = const i64 -1\nclearn v2 v1\nret", "arg, gas [3, 1], const -1, const 5, shru v2 v3, gasn v4, clearn"},
		{"array", "", "v1 = arg i64 [0]\nv2 = newarray ptr v1 [0, 8]\nret", "arg, gas [6, 1], const 2, shrs v0 v2, const 3, mul v3 v4, gasn v5, newarray"},
		{"runtime call", "func @runtime.chansend1 #2 (ptr) -> () flags runtime {\nb0:\n v1 = arg ptr [0]\n ret\n}", "v2 = arg ptr [1]\ncall @runtime.chansend1 v2 : (ptr) -> ()\nret", "arg, gas [3, 2], gas [40], call"},
		{"own call", "func @runtime.chansend1 #2 (ptr) -> () {\nb0:\n v1 = arg ptr [0]\n ret\n}", "v2 = arg ptr [1]\ncall @runtime.chansend1 v2 : (ptr) -> ()\nret", "arg, gas [3, 2], call"},
		{"grow", "declare @runtime.growslice #2 (ptr, i64, i64, i64, ptr) -> () flags runtime",
			"v1 = arg i64 [0]\nv2 = arg ptr [1]\nv3 = const ptr 0x10000\ncall @runtime.growslice v2 v1 v1 v1 v3 : (ptr, i64, i64, i64, ptr) -> ()\nret",
			"arg, arg, gas [5, 2], const 0x10000, gas [40], const 2, shrs v0 v5, const 9, mul v6 v7, gasn v8, call"},
		{"reflect's own", "declare @runtime.reflect_mapdelete #2 (ptr, ptr, ptr) -> () flags runtime",
			"v2 = arg ptr [1]\ncall @runtime.reflect_mapdelete v2 v2 v2 : (ptr, ptr, ptr) -> ()\nret", "arg, gas [3, 2], gas [60], call"},
		{"loop", "", "jump b1\nb1: <- b0 b1\nv1 = const i8 1\nif v1 b1 b2\nb2: <- b1\nret", "gasloop [1], const 1"},
		{"loop of an operation", "nopreempt", "jump b1\nb1: <- b0 b1\nv1 = const i8 1\nif v1 b1 b2\nb2: <- b1\nret", "gas [1], const 1"},
		{"loop of the runtime", "", "runtime v1 = arg i64 [0]\njump b1\nb1: <- b0 b2\nv2 = mul i64 v1 v1\nv5 = eq i8 v2 v1\nif v5 b2 b3\nb2: <- b1\nv3 = mul i64 v1 v1\njump b1\nb3: <- b1\nv4 = mul i64 v1 v1\nret",
			"arg, mul, eq, gas [2], mul, mul"},
		{"work of the runtime", "declare @runtime.charge #2 (i64, i64) -> () flags runtime",
			"runtime v1 = arg i64 [0]\nv2 = arg ptr [1]\nv3 = const i64 64\nmoven v2 v2 v1\ncall @runtime.charge v1 v3 : (i64, i64) -> ()\nret",
			"arg, arg, const 64, moven, const 1, shru v0 v4, gasn v5, call"},
		{"transfer", "host 0 \"wasi_snapshot_preview1.fd_read\" (i32, ptr, i32, ptr) -> (i32)",
			"v2 = arg ptr [1]\nv1 = const i32 1\nv3 = host i32 v1 v2 v1 v2 [0] : (i32, ptr, i32, ptr) -> (i32)\nret",
			"arg, gas [6, 1], const i32 1, gas [15], load i32 v0 [4], zext, const 2, shru v5 v6, gasn v7, host [0]"},
		{"random bytes", "host 0 \"wasi_snapshot_preview1.random_get\" (ptr, i32) -> (i32)",
			"v2 = arg ptr [1]\nv1 = const i32 1280\nv3 = host i32 v2 v1 [0] : (ptr, i32) -> (i32)\nret",
			"arg, gas [5, 1], const i32 1280, gas [15], zext, const 1, shru v4 v5, gasn v6, host [0]"},
		{"collection", "declare @runtime.GC #2 () -> () flags runtime", "call @runtime.GC : () -> ()\nret",
			"gas [7, 2], gas [20000], host [0], const 2, shru v2 v3, gasn v4, call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			flags, body := "", c.body
			switch {
			case c.decl == "nopreempt":
				flags, c.decl = "flags nopreempt ", ""
			case strings.HasPrefix(body, "runtime "):
				flags, body = "flags runtime ", strings.TrimPrefix(body, "runtime ")
			}
			got, err := place(t, c.decl+"\nfunc @f #1 (i64, ptr) -> () "+flags+"{\nb0:\n"+body+"\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			if got := summary(got); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

var noise = regexp.MustCompile(`^\s*(v\d+ = )?(\S+)( (i8|i64|ptr))?`)

// summary lists the operations of a function by name, with operands for the charges and their
// computations.
func summary(text string) string {
	var ops []string
	for _, line := range strings.Split(text, "\n") {
		op := noise.FindStringSubmatch(line)
		if !strings.HasPrefix(line, "  ") || op == nil {
			continue
		}
		rest := line[len(op[0]):]
		switch op[2] {
		case "ret", "jump", "if":
			continue
		case "gas", "gasloop", "gasn", "const", "shrs", "shru", "load":
			ops = append(ops, op[2]+rest)
		case "host":
			ops = append(ops, "host [0]")
		default:
			if op[2] == "mul" && strings.Contains(text, "gasn") {
				ops = append(ops, op[2]+rest)
				continue
			}
			ops = append(ops, op[2])
		}
	}
	return strings.Join(ops, ", ")
}

// TestPlaceRefuses: a module that no lowering makes gives an error, not a panic and not a free run.
func TestPlaceRefuses(t *testing.T) {
	for _, c := range []struct{ name, sig, args string }{
		{"growslice", "(ptr, i64, i64, i64, ptr)", "v2 v1 v1 v1 v2"}, // no constant type
		{"growslice", "(ptr, i64, i64, i64, ptr)", "v2 v1 v1 v1 v4"}, // outside of the data
		{"growslice", "(ptr, i64)", "v2 v1"},
		{"growslice", "(i64, ptr, i64, i64, ptr)", "v1 v2 v1 v1 v3"},
		{"concatstring2", "(ptr, i64)", "v2 v1"},
		{"makeslice", "(ptr, i64, ptr)", "v3 v1 v3"},
		{"makemap", "()", ""},
	} {
		t.Run(c.name+c.sig, func(t *testing.T) {
			_, err := place(t, "func @f #1 (i64, ptr) -> () {\nb0:\nv1 = arg i64 [0]\nv2 = arg ptr [1]\nv3 = const ptr 0x10000\nv4 = const ptr 0x20000\n"+
				"call @runtime."+c.name+" "+c.args+" : "+c.sig+" -> ()\nret\n}\ndeclare @runtime."+c.name+" #2 "+c.sig+" -> () flags runtime\n")
			if err == nil {
				t.Error("no error")
			}
		})
	}
}

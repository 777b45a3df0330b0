package mutate

import (
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"go/ast"
)

// TestFile: each rule finds its place, and its result compiles and has the expected text.
func TestFile(t *testing.T) {
	for _, c := range []struct {
		rule, body, want string
		n                int
	}{
		{"preallocate", "func f(xs []int) []int {\n\tvar out []int\n\tfor _, x := range xs {\n\t\tout = append(out, x)\n\t}\n\treturn out\n}", "out := make([]int, 0, len(xs))", 1},
		{"preallocate", "func f(xs []int) []int {\n\tout := []int{}\n\tfor _, x := range xs {\n\t\tif x > 0 {\n\t\t\tout = append(out, x)\n\t\t}\n\t}\n\treturn out\n}", "out := make([]int, 0, len(xs))", 1},
		{"preallocate", "func f(xs func() []int) []int {\n\tvar out []int\n\tfor _, x := range xs() {\n\t\tout = append(out, x)\n\t}\n\treturn out\n}", "", 0},
		{"size-map", "func f(xs []string) map[string]bool {\n\tm := map[string]bool{}\n\tfor _, x := range xs {\n\t\tm[x] = true\n\t}\n\treturn m\n}", "m := make(map[string]bool, len(xs))", 1},
		{"pointer-receiver", "type T struct{ a [9]int }\n\nfunc (t T) Sum() int { return t.a[0] }\n\nfunc (t T) Set() { t.a[1] = 2 }", "func (t *T) Sum() int", 1},
		{"map-to-slice", "func f(s string) int {\n\tm := make(map[byte]int)\n\tfor i := range len(s) {\n\t\tm[s[i]]++\n\t}\n\treturn m['a']\n}", "m := make([]int, 256)", 1},
		{"itoa", "func f(n int) string { return fmt.Sprintf(\"%d\", n) }", "strconv.Itoa(n)", 1},
		{"itoa", "func f(n int) string { return fmt.Sprintf(\"%d\", n) + fmt.Sprint(n) }", "strconv.Itoa(n)", 1},
		{"grow-builder", "func f(n string) string {\n\tvar b strings.Builder\n\tb.WriteString(n)\n\treturn b.String()\n}", "b.Grow(128)", 1},
		{"range-pointer", "type T struct{ a int }\n\nfunc f(xs []T) (n int) {\n\tfor _, x := range xs {\n\t\tn += x.a\n\t}\n\treturn n\n}", "x := &xs[ix]", 1},
		{"range-pointer", "type T struct{ a int }\n\nfunc f(xs []T) (n T) {\n\tfor _, x := range xs {\n\t\tn = x\n\t}\n\treturn n\n}", "", 0},
	} {
		text := "package p\n\n"
		for _, im := range []string{"fmt", "strings"} {
			if strings.Contains(c.body, im+".") {
				text += "import \"" + im + "\"\n\n"
			}
		}
		text += c.body + "\n"
		list := File("p.go", []byte(text), []string{c.rule})
		if len(list) != c.n {
			t.Errorf("%s finds %d places in\n%s", c.rule, len(list), c.body)
			continue
		}
		for _, m := range list {
			if !strings.Contains(string(m.Text), c.want) || m.Why == "" || m.Description == "" {
				t.Errorf("%s makes\n%s", m.Key, m.Text)
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "p.go", m.Text, 0)
			if err == nil {
				conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
				_, err = conf.Check("p", fset, []*ast.File{f}, nil)
			}
			if err != nil {
				t.Errorf("%s does not compile: %v\n%s", m.Key, err, m.Text)
			}
		}
	}
	if list := File("p.go", []byte("package p\n\nfunc f() {"), nil); list != nil {
		t.Errorf("%v", list)
	}
	if len(Names()) < 7 {
		t.Error(Names())
	}
}

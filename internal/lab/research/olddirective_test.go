package research

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestOldDirective: the files that checks add to a module compile under each go directive. Otherwise
// a right change is refused, or a wrong one is kept, where go.mod names an old version.
func TestOldDirective(t *testing.T) {
	notShort(t)
	dir := t.TempDir()
	pool := "package pooled\n\nimport \"sync\"\n\nvar p sync.Pool\n\nfunc give(x *[]byte) { p.Put(x) }\n"
	loop := "package looped\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n"
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("pooled/pool.go", pool)
	poisoned, err := poisonPackage(filepath.Join(dir, "pooled"))
	if err != nil || len(poisoned) != 2 {
		t.Fatalf("%d files, %v", len(poisoned), err)
	}
	for name, text := range poisoned {
		write("pooled/"+name, text)
	}
	probe, err := probeFiles()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range probe {
		write("probe/"+name, text)
	}
	write("looped/x_test.go", loop)
	planted, err := plantFiles(filepath.Join(dir, "looped"), "BenchmarkX", load{1, 1, 1})
	if err != nil || len(planted) == 0 {
		t.Fatalf("%d files, %v", len(planted), err)
	}
	for name, text := range planted {
		write("looped/"+filepath.Base(name), text)
	}
	write("called/f.go", "package called\n\nfunc F(a int, s ...string) (int, error) { return a + len(s), nil }\n")
	called := readSourcePackage(filepath.Join(dir, "called"))
	write("called/table_test.go", called.table("example.com/old/probe", []string{"F"}))
	for name, text := range called.instrument("example.com/old/probe") {
		write("called/"+name, text)
	}
	for _, version := range []string{"1.12", "1.13", "1.17", "1.21"} {
		write("go.mod", "module example.com/old\n\ngo "+version+"\n")
		cmd := exec.Command("go", "vet", "-unsafeptr=false", "./...")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", version, err, out)
		}
	}
}

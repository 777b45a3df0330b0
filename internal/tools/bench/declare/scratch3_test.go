package declare
import ("testing";"os")
func TestScratch3(t *testing.T) {
	src, _ := os.ReadFile("/tmp/bd/m/m.go")
	p, err := Parse([]File{{"/tmp/bd/m/m.go", src}})
	if err != nil { t.Fatal(err) }
	out, _ := p.Generate(Go)
	os.WriteFile("/tmp/bd/go_gyr_declared_test.go", out[0].Source, 0o666)
}

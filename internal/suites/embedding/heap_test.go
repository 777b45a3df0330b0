package embedding_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// heapVariable names the variable that tells another process of TestLiveHeap the cache.
const heapVariable = "GYR_TEST_HEAP_CACHE"

// TestLiveHeap: a process that compiles a program, and the standard library for it, has about as
// much in memory afterwards as one that finds both in the cache: what go/types and x/tools make once
// for the process, less than a megabyte, comes on top.
func TestLiveHeap(t *testing.T) {
	if dir := os.Getenv(heapVariable); dir != "" {
		p, err := gyr.Compile(t.Context(), gyr.Source{
			Patterns: []string{"main.go"},
			FS:       fstest.MapFS{"main.go": {Data: []byte("package main\n\nimport (\n\t\"encoding/json\"\n\t\"os\"\n)\n\nfunc main() { json.NewEncoder(os.Stdout).Encode(os.Args) }\n")}},
		}, &gyr.CompileOptions{Cache: dir})
		if err != nil {
			t.Fatal(err)
		}
		var s runtime.MemStats
		for range 3 { // finalizers, and what they have let go of
			runtime.GC()
		}
		runtime.ReadMemStats(&s)
		fmt.Printf("result: %s %d\n", p.Stats().Cached, s.HeapAlloc)
		runtime.KeepAlive(p)
		return
	}
	dir := filepath.Join(t.TempDir(), "cache")
	live := func(cached string) (bytes int) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLiveHeap$")
		cmd.Env = append(os.Environ(), heapVariable+"="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_, result, _ := strings.Cut(string(out), "result: "+cached+" ")
		if _, err := fmt.Sscan(result, &bytes); err != nil {
			t.Fatalf("no %s: %v\n%s", cached, err, out)
		}
		return bytes
	}
	cold, warm := live(gyr.CacheMiss), live(gyr.CacheHit)
	t.Logf("%d bytes after compiling, %d from the cache: %.2f times as many", cold, warm, float64(cold)/float64(warm))
	if float64(cold) > 1.3*float64(warm)+1<<20 {
		t.Errorf("%d bytes live after compiling, %d from the cache", cold, warm)
	}
}

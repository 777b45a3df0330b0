package gyrhttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrhttp"
)

func Example() {
	upload := fstest.MapFS{"plugin.go": {Data: []byte(`package plugin

import (
	"fmt"
	"net/http"
)

func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello", r.URL.Path) })
}
`)}}
	src, err := gyrhttp.Source(upload, ".")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := gyr.Compile(context.Background(), src, &gyr.CompileOptions{Host: []gyr.HostPackage{gyrhttp.Host()}})
	if err != nil {
		fmt.Println(err)
		return
	}
	warm := gyrhttp.NewWarm(p, gyr.Config{Memory: 64 << 20})
	defer warm.Close()
	h := gyrhttp.Handler(gyrhttp.Config{Instances: warm})

	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/tea", nil))
	fmt.Print(w.Code, " ", w.Body)
	// Output: 200 hello /tea
}

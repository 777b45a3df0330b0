package gyrhttp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrhttp"
)

// BenchmarkHandler measures a request and its answer without a network, on one warm instance and on
// a new one.
func BenchmarkHandler(b *testing.B) {
	p, err := program()
	if err != nil {
		b.Fatal(err)
	}
	warm := gyrhttp.NewWarm(p, gyr.Config{})
	defer warm.Close()
	for _, c := range []struct {
		name      string
		instances gyrhttp.Instances
	}{{"warm", warm}, {"new", each{p, gyr.Config{}}}} {
		b.Run(c.name, func(b *testing.B) {
			h := gyrhttp.Handler(gyrhttp.Config{Instances: c.instances})
			for b.Loop() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/echo/tea?q=1", strings.NewReader("body")))
				if w.Code != http.StatusCreated {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

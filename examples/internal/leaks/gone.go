package leaks

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Gone makes a handler answer a request whose client leaves: before the request is served, after
// each eighth of the time that the answer takes, and not at all. The handler must return each time
// without a panic. No answer but the last may have a status of a failure. Gone returns the last
// answer.
func Gone(t *testing.T, h http.Handler, request func() *http.Request) (last *httptest.ResponseRecorder) {
	t.Helper()
	serve := func(ctx context.Context) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request().WithContext(ctx))
		return w
	}
	begin := time.Now()
	serve(t.Context())
	whole := time.Since(begin)
	for part := range time.Duration(8) {
		ctx, cancel := context.WithCancel(t.Context())
		if part == 0 {
			cancel()
		}
		timer := time.AfterFunc(whole*part/8, cancel)
		if w := serve(ctx); w.Code == http.StatusInternalServerError && ctx.Err() != nil {
			t.Errorf("the client has gone after %v, and the handler has failed: %d %s", whole*part/8, w.Code, w.Body)
		}
		timer.Stop()
		cancel()
	}
	return serve(t.Context())
}

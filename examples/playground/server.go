package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"mime"
	"net/http"
	"regexp"
	"time"

	"github.com/gyrvm/gyr"
)

// A server has the shared data of its handlers.
type server struct {
	base   *gyr.Base
	limits limits
	shared store
	places chan struct{} // each compilation or run takes one
}

// newServer returns the playground's handler.
//
//	GET  /            the page
//	GET  /p/{id}      the page, with a shared program
//	GET  /api/p/{id}  a shared program, as text
//	POST /api/share   {"source": …} → {"id": …}
//	POST /api/run     {"source": …} → a result
//	POST /api/hot     {"source": …} → a hot
//
// An error is {"error": …}: 400 for an invalid request, 403 for a request from another site's page,
// 404, 413 for a program that is too large, and 503 while too many other requests are being served.
func newServer(base *gyr.Base, l limits, shared store) http.Handler {
	s := &server{base: base, limits: l, shared: shared, places: make(chan struct{}, l.Runs)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", servePage)
	mux.HandleFunc("GET /p/{id}", servePage)
	mux.HandleFunc("GET /api/p/{id}", s.load)
	mux.HandleFunc("POST /api/share", s.posted(func(_ context.Context, source string) (any, error) {
		id, err := s.shared.put(source)
		return map[string]string{"id": id}, err
	}))
	mux.HandleFunc("POST /api/run", s.posted(s.inPlace(func(ctx context.Context, source string) (any, error) {
		return s.run(ctx, source)
	})))
	mux.HandleFunc("POST /api/hot", s.posted(s.inPlace(func(ctx context.Context, source string) (any, error) {
		return s.profile(ctx, source)
	})))
	return http.NewCrossOriginProtection().Handler(mux)
}

// A statusError is an error with an HTTP status.
type statusError struct {
	status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// posted answers a request that contains a program with the result of do.
func (s *server) posted(do func(ctx context.Context, source string) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		source, err := s.source(w, r)
		if err != nil {
			answer(w, nil, err)
			return
		}
		a, err := do(r.Context(), source)
		if err != nil && r.Context().Err() != nil {
			return // the client has left: nothing reads an answer, and nothing has failed
		}
		answer(w, a, err)
	}
}

// source reads a request's program.
func (s *server) source(w http.ResponseWriter, r *http.Request) (string, error) {
	if typ, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); typ != "application/json" {
		return "", &statusError{http.StatusBadRequest, "the request has to be application/json"}
	}
	var request struct {
		Source string `json:"source"`
	}
	// A byte of the program may take six bytes in JSON.
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 6*int64(s.limits.Source)+1024)).Decode(&request)
	if errors.As(err, new(*http.MaxBytesError)) || err == nil && len(request.Source) > s.limits.Source {
		return "", &statusError{http.StatusRequestEntityTooLarge, fmt.Sprintf("a program has at most %d bytes", s.limits.Source)}
	}
	if err != nil {
		return "", &statusError{http.StatusBadRequest, "the request is no JSON: " + err.Error()}
	}
	return request.Source, nil
}

// inPlace calls do once a place is free.
func (s *server) inPlace(do func(context.Context, string) (any, error)) func(context.Context, string) (any, error) {
	return func(ctx context.Context, source string) (any, error) {
		wait := time.NewTimer(s.limits.Wait)
		defer wait.Stop()
		select {
		case s.places <- struct{}{}:
			defer func() { <-s.places }()
			return do(ctx, source)
		case <-wait.C:
			return nil, &statusError{http.StatusServiceUnavailable, "too many programs are running: try again"}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// answer writes a as JSON, or the error.
func answer(w http.ResponseWriter, a any, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err != nil {
		status := http.StatusInternalServerError
		if e := (*statusError)(nil); errors.As(err, &e) {
			status = e.status
		} else {
			log.Print("playground: ", err)
			err = errors.New("the playground failed")
		}
		w.WriteHeader(status)
		a = map[string]string{"error": err.Error()}
	}
	json.NewEncoder(w).Encode(a) // an error means that the client has left
}

// load answers with a shared program.
func (s *server) load(w http.ResponseWriter, r *http.Request) {
	source, err := s.shared.get(r.PathValue("id"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		answer(w, nil, &statusError{http.StatusNotFound, "no such program"})
	case err != nil:
		answer(w, nil, err)
	default:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		fmt.Fprint(w, source)
	}
}

//go:embed page.html
var page []byte

// policy lets the page run its own script and nothing else.
var policy = fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; connect-src 'self'; img-src data:; base-uri 'none'; "+
	"form-action 'none'; frame-ancestors 'none'", hashOf("script"), hashOf("style"))

// hashOf is the hash of the page's element with a tag, in the form of a policy.
func hashOf(tag string) string {
	m := regexp.MustCompile(`(?s)<` + tag + `>(.*?)</` + tag + `>`).FindSubmatch(page)
	sum := sha256.Sum256(m[1])
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func servePage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Write(page)
}

// Package gyrhttp answers HTTP requests with a guest's http.Handler, within limits for each request.
//
// The guest is a library (gyr.Source.Exports) that has a function
//
//	func Handler() http.Handler
//
// and [WithShim] adds a file to it that the host calls:
//
//	src, err := gyrhttp.WithShim(os.DirFS("plugin"), ".")
//	…
//	p, err := gyr.Compile(ctx, gyr.Source{FS: src, Exports: true})
//	…
//	http.Handle("/plugin/", http.StripPrefix("/plugin", gyrhttp.Handler(gyrhttp.Config{
//		Instances: gyrhttp.NewWarm(p, gyr.Config{Memory: 64 << 20}),
//		Timeout:   time.Second,
//	})))
//
// Handler is called once an instance, when its packages are initialised. A request crosses as a whole, with its body, and so does the answer: neither is a stream, both are
// bounded. The guest's request has method, URL, headers, body, Host, RemoteAddr and RequestURI; it has neither the host's context nor TLS, and its ResponseWriter
// is no Flusher and no Hijacker. The host sets what belongs to the connection (Content-Length, Connection, Transfer-Encoding and the like).
//
// # Instances
//
// A gyr.Pool gives each request an instance that is as new, so that no request sees what another has left. A [Warm] keeps one for all
// requests, one at a time, which keeps its variables until a request ends the program.
package gyrhttp

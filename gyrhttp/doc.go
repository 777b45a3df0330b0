// Package gyrhttp answers HTTP requests with a guest's http.Handler, within limits for each
// request.
//
// The guest is a package, of any name, with a function
//
//	func Handler() http.Handler
//
// [Source] makes a library of it, which [Handler] calls:
//
//	src, err := gyrhttp.Source(os.DirFS("plugin"), ".")
//	…
//	p, err := gyr.Compile(ctx, src, &gyr.CompileOptions{Host: []gyr.HostPackage{gyrhttp.Host()}})
//	…
//	http.Handle("/plugin/", http.StripPrefix("/plugin", gyrhttp.Handler(gyrhttp.Config{
//		Instances: gyrhttp.NewWarm(p, gyr.Config{Memory: 64 << 20}),
//		Timeout:   time.Second,
//		Limits:    gyr.CallOptions{Gas: 50_000_000},
//	})))
//
// Each instance calls the guest's Handler once, after its packages are initialised. Requests have
// method, URL, headers, body, Host, RemoteAddr and RequestURI; they have neither the host's context
// nor TLS. The host sets the headers of the connection (Content-Length, Connection,
// Transfer-Encoding and the like).
//
// # Bodies
//
// A request's body of known length up to 64 KiB is read before the guest is called, so that no
// instance waits for it. Other bodies are streams: the guest's Read returns what has arrived. If a
// stream exceeds Config.RequestBody, Read returns an [*http.MaxBytesError], as with
// [http.MaxBytesReader].
//
// An answer's body is sent in pieces of 32 KiB, and when the guest flushes: its ResponseWriter is
// an [http.Flusher], for [http.ResponseController] too. It is not a Hijacker. The rest is sent
// after the handler has returned, while the instance already serves others. As everywhere in
// net/http, an HTTP/1 server stops reading the body once the answer has begun.
//
// While the guest waits for the client, all of its goroutines wait, and its instance serves nobody
// else: Config.Timeout bounds that. A client that goes away ends the guest's call, and with it the
// program of that instance. The handler returns when nothing uses the request or its answer any
// more. If an HTTP/2 client takes no bytes, that may be as late as the end of the connection, which
// the server's HTTP2.WriteByteTimeout bounds; the instance already serves others by then.
//
// # Instances
//
// A gyr.Pool gives each request a fresh instance, so that no request sees traces of another. A
// [Warm] keeps one instance for all requests, one at a time. Its variables last until a request
// ends the program. A goroutine that still runs after its handler has returned can neither read
// that request nor write to its answer, and has no access to later requests.
package gyrhttp

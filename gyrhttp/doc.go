// Package gyrhttp answers HTTP requests with a guest's http.Handler, within limits for each request.
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
// The guest's Handler is called once an instance, when its packages are initialised. Its requests have method, URL, headers, body, Host, RemoteAddr and RequestURI;
// they have neither the host's context nor TLS. The host sets what belongs to the connection (Content-Length, Connection, Transfer-Encoding
// and the like).
//
// # Bodies
//
// A request's body of up to 64 KiB whose length is known is read before the guest is called, so that no instance waits for it. Others are streams: the guest's Read
// returns what has arrived. One that turns out to be larger than Config.RequestBody is an [*http.MaxBytesError] of Read, as with [http.MaxBytesReader].
//
// An answer's body is sent in pieces of 32 KiB, and when the guest flushes: its ResponseWriter is an [http.Flusher], for [http.ResponseController] too. It is no Hijacker. What is not flushed until the
// handler returns is sent then, when the instance serves others already.
// As everywhere in net/http, an HTTP/1 server reads no body any more once the answer has begun.
//
// While the guest waits for the client all of its goroutines do, and its instance serves nobody else: Config.Timeout bounds that. A
// client that goes away ends the guest's call, and with it the program of that instance. The handler returns when nothing uses the request or its answer
// any more: of an HTTP/2 client that takes no bytes that may be when the connection ends, which the server's HTTP2.WriteByteTimeout bounds; the instance
// serves others by then.
//
// # Instances
//
// A gyr.Pool gives each request an instance that is as new, so that no request sees what another has left. A [Warm] keeps one for all
// requests, one at a time, which keeps its variables until a request ends the program. A goroutine that still runs when its handler has returned can neither read that
// request nor write to its answer, and nothing of the requests that follow.
package gyrhttp

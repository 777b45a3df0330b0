package gyrotel_test

import (
	"context"
	"fmt"
	"testing/fstest"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/gyrvm/gyr"
	gyrotel "github.com/gyrvm/gyr/otel"
)

func Example() {
	ctx := context.Background()
	exporter := tracetest.NewInMemoryExporter() // a service has that of its collector
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
	hooks, err := gyrotel.New(&gyrotel.Options{TracerProvider: provider})
	if err != nil {
		fmt.Println(err)
		return
	}

	upload := fstest.MapFS{"plugin.go": {Data: []byte("package plugin\n\nfunc Double(n int) int { return 2 * n }\n")}}
	p, err := gyr.Compile(ctx, gyr.Source{FS: upload, Exports: true}, &gyr.CompileOptions{Hooks: hooks})
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := p.NewInstance(ctx, gyr.Config{Hooks: hooks})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	request, span := provider.Tracer("service").Start(ctx, "request")
	in.Call(request, "Double", 21)
	span.End()

	provider.ForceFlush(ctx)
	for _, s := range exporter.GetSpans() {
		fmt.Println(s.Name, s.Parent.SpanID() == span.SpanContext().SpanID())
	}
	// Output:
	// gyr.compile false
	// gyr.instance.make false
	// gyr.instance.init true
	// gyr.call Double true
	// request false
}

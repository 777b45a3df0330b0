package gyrotel

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/telemetry"
)

// ObservePool makes metrics of the figures of a pool, with its name as the attribute gyr.pool. They
// are read when the SDK collects metrics, until Unregister of the result; a pool that is closed is
// read too. Pools of one provider have different names.
func ObservePool(name string, pool *gyr.Pool, o *Options) (metric.Registration, error) {
	opts := options(o)
	meter := opts.meter()
	type observed struct {
		ints   metric.Int64Observable
		floats metric.Float64Observable
		attrs  metric.ObserveOption
		value  func(gyr.PoolStats) float64
	}
	var all []observed
	var instruments []metric.Observable
	for _, f := range telemetry.PoolFigures() {
		attrs := append(opts.Attributes, key(f.Labels[0]).String(name))
		switch {
		case len(f.Labels) == 1:
		case f.Labels[1] == "copy":
			attrs = append(attrs, attrCopy.Bool(f.Label == "true"))
		default:
			attrs = append(attrs, key(f.Labels[1]).String(f.Label))
		}
		x := observed{attrs: metric.WithAttributeSet(attribute.NewSet(attrs...)), value: f.Value}
		var err error
		switch unit, help := metric.WithUnit(f.Unit), metric.WithDescription(f.Help); {
		case f.Type == telemetry.Number:
			x.ints, err = meter.Int64ObservableUpDownCounter(f.Name, unit, help)
		case f.Unit == "s":
			x.floats, err = meter.Float64ObservableCounter(f.Name, unit, help)
		default:
			x.ints, err = meter.Int64ObservableCounter(f.Name, unit, help)
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, x); x.ints != nil {
			instruments = append(instruments, x.ints)
		} else {
			instruments = append(instruments, x.floats)
		}
	}
	return meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		stats := pool.Stats()
		for _, x := range all {
			if x.ints != nil {
				to.ObserveInt64(x.ints, int64(x.value(stats)), x.attrs)
			} else {
				to.ObserveFloat64(x.floats, x.value(stats), x.attrs)
			}
		}
		return nil
	}, instruments...)
}

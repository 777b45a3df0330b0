package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dop251/goja"
	"github.com/expr-lang/expr"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/peers/guest/stream"
)

// events are the texts of the stream; it begins again after the last.
var events = func() (list []string) {
	for i := range 1024 {
		var items []string
		for k := range 2 + i%5 {
			items = append(items, fmt.Sprintf(`{"name":"item %d","count":%d,"each":%d}`, (i+k)%97, 1+(i+k)%4, 50+i*k%3000))
		}
		list = append(list, fmt.Sprintf(`{"id":%d,"user":"user%d","items":[%s],"tags":{"shop":"north %d","till":"%d"}}`, i, i*i%53, strings.Join(items, ","), i%3, i%9))
	}
	return list
}()

// A streamHost handles events with a function.
type streamHost struct {
	name   string
	handle func(text string) (string, error)
	close  func()
}

// doer handles n events.
func (h *streamHost) doer() doer {
	i := 0
	return func(n int) (out string, err error) {
		for range n {
			if out, err = h.handle(events[i%len(events)]); err != nil {
				return "", err
			}
			i++
		}
		return out, nil
	}
}

// stream is the stream's function in all engines.
func (r *hostRun) stream() error {
	list, err := r.streamHosts()
	defer func() {
		for _, h := range list {
			h.close()
		}
	}()
	if err != nil {
		return err
	}
	for _, text := range events {
		want := ""
		for i, h := range list {
			got, err := h.handle(text)
			if i == 0 {
				want = got
			}
			if err != nil || got != want {
				return fmt.Errorf("%s: %q, %w; native Go: %q", h.name, got, err, want)
			}
		}
	}
	var turns []turn
	head, row := []string{"stream: processor time of an event"}, []string{""}
	for _, h := range list {
		turns = append(turns, turn{h.name, h.doer()})
		head = append(head, h.name)
	}
	took, err := taken(turns, r.rounds, r.sample)
	if err != nil {
		return err
	}
	for _, ns := range took {
		row = append(row, span(ns))
	}
	r.header(head...)
	r.row(row...)
	fmt.Fprintln(r.out)
	return nil
}

// streamHosts makes all columns, native Go first.
func (r *hostRun) streamHosts() (list []*streamHost, err error) {
	nothing := func() {}
	add := func(name string, handle func(string) (string, error), close func()) {
		list = append(list, &streamHost{name, handle, close})
	}
	users := stream.Users{}
	add("native Go", func(text string) (string, error) { return users.Handle(text), nil }, nothing)

	p, err := r.compile("stream", gyr.CompileOptions{})
	if err != nil {
		return list, err
	}
	for _, tier := range []gyr.Tier{gyr.TierNative, gyr.TierInterp} {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		in, err := p.NewInstance(r.ctx, gyr.Config{Tier: tier, Gas: 1 << 60})
		if err != nil {
			return list, err
		}
		f, err := gyr.FuncOf[text, text](r.ctx, in, "Handle")
		add("gyr, "+in.Tier(), func(s string) (string, error) {
			o, err := f.Call(r.ctx, text{s})
			return o.Text, err
		}, func() { in.Close() })
		if err != nil {
			return list, err
		}
	}

	m, err := r.guest()
	if err != nil {
		return list, err
	}
	handle, err := r.wazero.texts(m, "event")
	add("wazero", handle, func() { m.Close(r.ctx) })
	if err != nil {
		return list, err
	}

	if handle, err = r.gojaStream(); err != nil {
		return list, err
	}
	add("goja", handle, nothing)
	if handle, err = exprStream(); err != nil {
		return list, err
	}
	add("expr, less work: Go has JSON and the sums", handle, nothing)
	return list, nil
}

// gojaStream is the function in JavaScript.
func (r *hostRun) gojaStream() (func(string) (string, error), error) {
	file := filepath.Join(r.dir, "guest", "stream", "stream.js")
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	vm := goja.New()
	if _, err := vm.RunScript(file, string(source)); err != nil {
		return nil, err
	}
	f, ok := goja.AssertFunction(vm.Get("handle"))
	if !ok {
		return nil, fmt.Errorf("%s has no function handle", file)
	}
	return func(text string) (string, error) {
		v, err := f(goja.Undefined(), vm.ToValue(text))
		if err != nil {
			return "", err
		}
		return v.String(), nil
	}, nil
}

// exprStream computes the total and the mark of large events in expr. The rest is the host's.
func exprStream() (func(string) (string, error), error) {
	total, err := expr.Compile("sum(Items, .Count * .Each)", expr.Env(stream.Event{}), expr.AsInt64())
	if err != nil {
		return nil, err
	}
	large, err := expr.Compile("Total > 20000 || Total * Events > 3 * Sum", expr.Env(stream.Outcome{}), expr.AsBool())
	if err != nil {
		return nil, err
	}
	users := stream.Users{}
	return func(text string) (string, error) {
		var e stream.Event
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			return "", err
		}
		sum, err := expr.Run(total, e)
		if err != nil {
			return "", err
		}
		o := stream.Outcome{ID: e.ID, User: e.User, Total: sum.(int64), Shop: e.Tags["shop"]}
		o.Events, o.Sum = users.Add(o.User, o.Total)
		mark, err := expr.Run(large, o)
		if err != nil {
			return "", err
		}
		o.Large = mark.(bool)
		return o.Text(), nil
	}, nil
}

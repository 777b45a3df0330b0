package queue

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// Serve is the worker's side of the protocol: it reads trials, has each tried, one after the other,
// and writes the results. It ends with in, with ctx, or with an error of try. The trial in progress
// then ends without a result, as does one that is withdrawn: the context of try ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, try func(ctx context.Context, m Message) (Message, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan Message)
	var broken error // once lines is closed
	go func() {
		defer close(lines)
		for d := json.NewDecoder(in); ; {
			var m Message
			if broken = d.Decode(&m); broken != nil {
				return
			}
			select {
			case lines <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	type outcome struct {
		m   Message
		err error
	}
	var (
		waiting []Message
		running *Message // the trial in progress
		stop    context.CancelFunc
	)
	done := make(chan outcome, 1)
	end := func(err error) error {
		cancel()
		if running != nil {
			<-done
		}
		return err
	}
	for {
		if running == nil && len(waiting) > 0 {
			m := waiting[0]
			one, stopOne := context.WithCancel(ctx)
			running, stop, waiting = &m, stopOne, waiting[1:]
			go func() {
				defer stopOne()
				result, err := try(one, m)
				if one.Err() != nil {
					result, err = Message{}, nil
				}
				done <- outcome{result, err}
			}()
		}
		select {
		case <-ctx.Done():
			return end(ctx.Err())
		case m, ok := <-lines:
			switch {
			case !ok && errors.Is(broken, io.EOF):
				return end(nil)
			case !ok:
				return end(broken)
			case !m.Withdrawn:
				waiting = append(waiting, m)
			default:
				if running != nil && running.ID == m.ID {
					stop()
				}
				waiting = slices.DeleteFunc(waiting, func(w Message) bool { return w.ID == m.ID })
			}
		case o := <-done:
			running = nil
			if o.err != nil {
				return o.err
			}
			if o.m.Result == nil {
				continue
			}
			if err := json.NewEncoder(out).Encode(o.m); err != nil {
				return err
			}
		}
	}
}

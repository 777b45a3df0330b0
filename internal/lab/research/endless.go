package research

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr/internal/tools/process"
)

// With an endless loop in a candidate, a session would wait for go test's own limit of ten minutes.
// So the driver watches the programs that a check runs of a candidate: its test binaries, and
// programs that go run starts. It ends a program that takes many times what the parent's takes.
// Processor time counts, and for a program that waits for something that never comes, the time in
// which it wants none. Neither grows on a busy machine.
//
// The parent's times are known from the check that made it the parent. Otherwise the check is run
// on the parent once, when a program of the candidate's takes long. The times of builds, and of
// test results that the go command has cached, would say nothing.

// An effort is the time that a program has taken.
type effort struct{ cpu, idle time.Duration }

func (e effort) atLeast(o effort) effort { return effort{max(e.cpu, o.cpu), max(e.idle, o.idle)} }

// lookInterval is how often the programs of a check are looked at.
const lookInterval = 300 * time.Millisecond

// Defaults of limits.
const (
	defaultTimes = 10
	defaultExtra = 30 * time.Second
)

// A testWatch watches the programs that a check runs on one side. It names them by the package's
// directory and the program's name.
type testWatch struct {
	top  string                               // of the checkout
	self string                               // this program, which keeps the box's cache
	over func(name string, e effort) *endless // decides whether to end the check; nil: never
	end  context.CancelCauseFunc

	mu      sync.Mutex
	efforts map[string]effort // the most that a program with the name took

	stop, stopped chan struct{}
}

// An endless says why a check was ended.
type endless struct{ msg string }

func (e *endless) Error() string { return e.msg }

// started begins to watch all processes below one. It is a Process's Started.
func (w *testWatch) started(pid int) {
	w.stop, w.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(w.stopped)
		tick := time.NewTicker(lookInterval)
		defer tick.Stop()
		one, names := map[int]effort{}, map[int]string{}
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
			}
			for _, r := range process.Below(pid) {
				name, known := names[r.PID]
				if !known {
					name = w.name(r)
					names[r.PID] = name
				}
				if name == "" {
					continue
				}
				e := one[r.PID]
				if r.CPU < e.cpu { // another process with the same number
					delete(names, r.PID)
					delete(one, r.PID)
					continue
				}
				if e.cpu = r.CPU; r.Idle {
					e.idle += lookInterval
				}
				one[r.PID] = e
				w.mu.Lock()
				w.efforts[name] = w.efforts[name].atLeast(e)
				w.mu.Unlock()
				if w.over == nil {
					continue
				}
				if why := w.over(name, e); why != nil {
					w.end(why)
					return
				}
			}
		}
	}()
}

// name is the name of a process whose program was built from the checkout: a test binary, or a
// program that go run made. It is empty for any other.
func (w *testWatch) name(r process.Running) string {
	dir, args := r.Command()
	if len(args) == 0 || args[0] == w.self || !strings.Contains(filepath.ToSlash(args[0]), "/go-build") {
		return ""
	}
	rel, err := filepath.Rel(w.top, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return path.Join(filepath.ToSlash(rel), filepath.Base(args[0]))
}

// close ends the watch, and waits for its end.
func (w *testWatch) close() {
	if w.stop != nil {
		close(w.stop)
		<-w.stopped
	}
}

// watched runs a check's command on a side like on, with a watch.
func (s *Session) watched(ctx context.Context, w *testWatch, d *side, k *Check, env map[string]string) (*process.Outcome, error) {
	in, end := context.WithCancelCause(ctx)
	defer end(nil)
	w.top, w.self, w.end, w.efforts = d.wt.Dir, s.runner.self, end, map[string]effort{}
	r := *s.runner
	r.started = w.started
	defer w.close()
	o, err := r.on(in, d, filepath.Join(d.wt.Dir, k.Dir), env, s.config.limit(k), k.Run[0], k.Run[1:]...)
	if err != nil && ctx.Err() == nil {
		return nil, context.Cause(in)
	}
	return o, err
}

// toItsEnd runs a check's command on the candidate. If a program takes far more than the parent's,
// it ends the command with an error of type *endless.
func (s *Session) toItsEnd(ctx context.Context, k *Check, c *subject) (*process.Outcome, error) {
	key := func(tree string, set settings) string {
		return fmt.Sprint(tree, "|", set, "|", k.Name, "|", k.Env[goFlags])
	}
	times, extra := s.config.Limits.Times, s.config.Limits.Extra.or(defaultExtra)
	if times == 0 {
		times = defaultTimes
	}
	w := &testWatch{}
	if c.judged != c.parentTree && times > 0 {
		parentKey, asked, told := key(c.parentTree, c.parentSet), false, false
		w.over = func(name string, e effort) *endless {
			if e.cpu <= extra && e.idle <= extra {
				return nil
			}
			parent, known := s.efforts[parentKey][name]
			if !known && !asked {
				asked = true
				efforts := s.parentEfforts(ctx, w.stop, k, c)
				told = efforts != nil
				s.noteEfforts(parentKey, efforts)
				parent, known = s.efforts[parentKey][name]
			}
			if !known && !told {
				return nil
			}
			// A program missing from the parent's run was too short to be seen.
			for _, x := range []struct {
				took, was time.Duration
				of        string
			}{{e.cpu, parent.cpu, "of the processor's time"}, {e.idle, parent.idle, "of waiting"}} {
				if x.took > extra+time.Duration(times*float64(x.was)) {
					return &endless{fmt.Sprintf("%s does not come to an end: it was ended after %.1f s %s, the parent's takes %.1f s",
						name, x.took.Seconds(), x.of, x.was.Seconds())}
				}
			}
			return nil
		}
	}
	o, err := s.watched(ctx, w, c.side, k, s.checkEnv(k, c))
	if err != nil {
		return nil, err
	}
	if o.Err() == nil {
		s.noteEfforts(key(c.judged, c.settings), w.efforts)
	}
	return o, nil
}

func (s *Session) noteEfforts(key string, efforts map[string]effort) {
	if s.efforts == nil {
		s.efforts = map[string]map[string]effort{}
	}
	if s.efforts[key] == nil {
		s.efforts[key] = map[string]effort{}
	}
	for name, e := range efforts {
		s.efforts[key][name] = s.efforts[key][name].atLeast(e)
	}
}

// parentEfforts runs a check on the parent, at the same time as the candidate's, until stop is
// closed. It returns nil if that fails.
func (s *Session) parentEfforts(ctx context.Context, stop <-chan struct{}, k *Check, c *subject) map[string]effort {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	if errors.Join(s.parent.dress(c.parentSet), s.parent.checkout(ctx, c.parentCommit, c.parentTree)) != nil {
		return nil
	}
	env := s.checkEnv(k, c)
	isCount := func(arg string) bool { return strings.HasPrefix(arg, "-count") }
	if !slices.ContainsFunc(append(strings.Fields(env[goFlags]), k.Run...), isCount) {
		env[goFlags] = strings.TrimSpace(env[goFlags] + " -count=1") // ignores cached test results
	}
	w := &testWatch{}
	o, err := s.watched(ctx, w, s.parent, k, env)
	if err != nil || o.TimedOut || o.Exit == 127 {
		return nil
	}
	return w.efforts
}

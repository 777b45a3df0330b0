package research

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/bubblewrap"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// A Diagnosis is a result of the doctor.
type Diagnosis struct {
	Level   string
	Subject string
	Text    string
}

// Levels of diagnoses. An error keeps a session from running.
const (
	LevelOK    = "ok"
	LevelWarn  = "warn"
	LevelError = "error"
)

// Doctor looks for problems that would spoil a session with the config.
func Doctor(ctx context.Context, dir string, c *Config) ([]Diagnosis, error) {
	repo, err := gitx.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	var list []Diagnosis
	say := func(level, subject, format string, args ...any) {
		list = append(list, Diagnosis{level, subject, fmt.Sprintf(format, args...)})
	}
	base, err := repo.Resolve(ctx, c.Base)
	if err != nil {
		say(LevelError, "base", "%v", err)
		return list, nil
	}
	say(LevelOK, "base", "%s is %.7s", c.Base, base)
	if dirty, err := repo.Dirty(ctx); err != nil {
		return nil, err
	} else if dirty = slices.DeleteFunc(dirty, func(line string) bool { return c.own(repo, line) }); len(dirty) > 0 {
		say(LevelWarn, "checkout", "%d files differ from HEAD: sessions see commits only", len(dirty))
	}
	if err := c.checkSandbox(); err != nil {
		say(LevelError, "sandbox", "%v", err)
	}
	list = append(list, c.boxDiagnoses()...)
	s := &Session{config: c, repo: repo}
	files, err := repo.Files(ctx, base)
	if err != nil {
		return nil, err
	}
	for _, k := range c.Battery {
		if k.Golden != "" && files[filepath.ToSlash(k.Golden)] == "" {
			say(LevelError, "battery", "%s: no file %s in the base", k.Name, k.Golden)
		}
		if len(k.Run) > 0 {
			doctorCommand(say, k.Name, k.Run[0], files)
		}
	}
	for _, m := range c.Metrics {
		if len(m.Run) > 0 {
			doctorCommand(say, m.Name, m.Run[0], files)
		}
	}
	if e, err := s.newEvaluator(ctx, base); err != nil {
		say(LevelError, "evaluator", "%v", err)
	} else {
		say(LevelOK, "evaluator", "%d files of the base are locked besides the tests", len(e.locked))
	}
	began := false
	lines, err := ledger.ReadFile(LogFile(repo, c.Session))
	if err != nil {
		say(LevelError, "log", "%v", err)
	}
	forged, err := Contradictions(ctx, repo, c.Session, lines)
	if err != nil {
		return nil, err
	}
	for _, text := range forged {
		say(LevelError, "log", "%s", text)
	}
	if st, err := newState(lines, ""); err != nil {
		say(LevelError, "log", "%v", err)
	} else if st.segment != nil {
		began = st.started && st.segment.Base == base
		if s.segment = st.segment; errors.Is(s.checkEvaluator(ctx), ErrEvaluator) {
			say(LevelError, "evaluator", "%v", s.checkEvaluator(ctx))
		}
		if now, err := repo.Ref(ctx, branchPrefix+c.Session); err == nil && now != st.tip && st.pendingRow == nil {
			say(LevelError, "branch", "research/%s is at %.7s, the log says %.7s", c.Session, now, st.tip)
		}
		for _, p := range st.planted {
			if !p.Seen {
				say(LevelWarn, "planted", "%v", p)
			}
		}
		for i := range c.Metrics {
			m := &c.Metrics[i]
			g := m.Guard
			if st.calibration == nil || g == nil || g.MaxRegression == nil || g.MaxRegression.Auto {
				continue
			}
			if held := s.held(st.calibration.Noise[m.Name]); held > g.MaxRegression.part(st.calibration.Values[m.Name]) {
				say(LevelWarn, "guard", "%s: %v cannot be held, the noise hides losses of %.1f%%; \"auto\" is as tight as can be", m.Name,
					g.MaxRegression, 100*held)
			}
		}
		if st.alarms > 0 {
			say(LevelWarn, "canary", "%d alarms: the verdicts are unreliable", st.alarms)
		}
	}
	if !began {
		c.diagnoseBase(ctx, repo, base, say)
	}
	if n, err := killOrphans(repo, c.Session); err != nil {
		say(LevelWarn, "orphans", "%v", err)
	} else if n > 0 {
		say(LevelWarn, "orphans", "killed %d processes that a killed driver left behind", n)
	}
	env := measure.CurrentEnvironment(repo.Top)
	if env.Governor != "" && env.Governor != "performance" {
		say(LevelWarn, "clock", "the governor is %s: noisy metrics will be noisier", env.Governor)
	}
	if env.Load > 0.5*float64(env.CPUs) {
		say(LevelWarn, "load", "%.1f on %d processors", env.Load, env.CPUs)
	}
	if l, err := measure.TryLock(measure.LockFile()); err != nil {
		say(LevelWarn, "lock", "%v", err)
	} else if l == nil {
		say(LevelWarn, "lock", "%s measures now", measure.Holder(measure.LockFile()))
	} else if err := l.Release(); err != nil {
		say(LevelWarn, "lock", "%v", err)
	}
	if free, ok := freeDisk(repo.Common); ok && free < c.Stop.Disk {
		say(LevelError, "disk", "%d MB are free", free>>20)
	}
	return list, nil
}

// diagnoseBase runs the checks and the benchmarks on the base. A session whose base passed has done
// so.
func (c *Config) diagnoseBase(ctx context.Context, repo *gitx.Repo, base string, say func(level, subject, format string, args ...any)) {
	t, err := tryBase(ctx, repo, c, base)
	if err != nil {
		say(LevelError, "battery", "the base cannot be tried: %v", err)
		return
	}
	for _, k := range t.failed() {
		if t.unboxed {
			say(LevelWarn, "battery", "the base fails %s in the sandbox, so the session has none: %s", k.Name, k.Detail)
		} else {
			say(LevelError, "battery", "the base fails its own check %s: %s", k.Name, k.Detail)
		}
	}
	if len(t.failed()) == 0 {
		say(LevelOK, "battery", "the base passes %d checks", len(t.checks))
	}
	for _, err := range t.metrics {
		say(LevelError, "metric", "the base cannot be measured: %v", err)
	}
}

// boxDiagnoses describe the sandbox around candidates' programs.
func (c *Config) boxDiagnoses() []Diagnosis {
	const subject, open = "box", "what is built of candidates runs as you do, and reads, writes and connects to all that you can: "
	how, err := sandboxWorks()
	switch {
	case c.Sandbox == sandboxOff:
		return []Diagnosis{{LevelWarn, subject, open + "the config switches the sandbox off"}}
	case err != nil && c.Sandbox == sandboxRequire:
		return []Diagnosis{{LevelError, subject, err.Error()}}
	case err != nil:
		return []Diagnosis{{LevelWarn, subject, open + err.Error()}}
	}
	level := LevelOK
	if !how.Best || !how.Filtered {
		level = LevelWarn
	}
	list := []Diagnosis{{level, subject, sandboxName + ", no capability, no network, " + how.String()}}
	for _, name := range bubblewrap.MachineSockets() {
		list = append(list, Diagnosis{LevelWarn, subject, "the socket " + name + " of the machine can be reached from the inside"})
	}
	return list
}

// own reports whether a line of git status is about the config's own file, or about the mirror that
// the session writes. Neither is meant to be committed.
func (c *Config) own(repo *gitx.Repo, line string) bool {
	name := filepath.Join(repo.Top, strings.Trim(line[min(len(line), 3):], `"`))
	return name == gitx.Clean(filepath.Join(c.Dir, c.File)) || c.Mirror != "" && name == filepath.Join(repo.Top, c.Mirror)
}

// killOrphans ends the processes of a session that nobody holds.
func killOrphans(repo *gitx.Repo, session string) (int, error) {
	if _, err := os.Stat(Directory(repo, session)); err != nil {
		return 0, nil // there is no session
	}
	lock, err := measure.TryLock(filepath.Join(Directory(repo, session), "lock"))
	if lock == nil || err != nil {
		return 0, err
	}
	defer lock.Release()
	work, err := workDir(repo, session)
	if err != nil {
		return 0, err
	}
	return process.KillMarked(sessionMark(work)), nil
}

func doctorCommand(say func(level, subject, format string, args ...any), what, name string, files map[string]string) {
	if files[filepath.ToSlash(filepath.Clean(name))] != "" {
		return
	}
	if _, err := exec.LookPath(name); err != nil {
		say(LevelError, "command", "%s: %s is neither a program nor a file of the base", what, name)
	}
}

package research

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// Sessions lists the repository's sessions.
func Sessions(repo *gitx.Repo) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(repo.Common, "research"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// GC removes what a session no longer needs: refs of discarded candidates older than age, so that
// git's own collection can take their objects; files that proposers left beside the log; and
// worktrees of a killed process. The log stays. It returns the number of removed refs.
func GC(ctx context.Context, repo *gitx.Repo, session string, age time.Duration) (int, error) {
	lock, err := measure.TryLock(filepath.Join(Directory(repo, session), "lock"))
	if err != nil {
		return 0, err
	}
	if lock == nil {
		return 0, ErrBusy
	}
	defer lock.Release()
	work, err := workDir(repo, session)
	if err != nil {
		return 0, err
	}
	process.KillMarked(sessionMark(work))
	if err := removeWorktrees(ctx, repo, work); err != nil {
		return 0, err
	}
	lines, err := ledger.ReadFile(LogFile(repo, session))
	if err != nil {
		return 0, err
	}
	s := &Session{config: &Config{Session: session}, dir: Directory(repo, session)}
	n := 0
	for _, r := range ledger.Rows(lines) {
		if time.Since(time.UnixMilli(r.Timestamp)) < age {
			continue
		}
		if err := os.RemoveAll(s.outDir(r.Run)); err != nil {
			return n, err
		}
		if r.Status == ledger.Keep || r.Object == "" {
			continue
		}
		at, err := repo.Ref(ctx, s.runRef(r.Run))
		if err != nil {
			return n, err
		}
		if at == "" {
			continue
		}
		if err := repo.DeleteRef(ctx, s.runRef(r.Run)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

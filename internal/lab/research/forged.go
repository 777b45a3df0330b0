package research

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// Everybody who can write to the repository can write to the log. The sums of its lines show most
// changes (package ledger). What a genuine row leaves elsewhere, in the log and in the repository,
// shows the others.

// ErrDamaged says that the present segment of a log has lines that the session did not write.
var ErrDamaged = errors.New("the log is damaged")

// damaged is the error for damage in the present segment.
func damaged(file string, d ledger.DamageError) error {
	return fmt.Errorf("%w: %w; cut %s before line %d, or begin a new segment with run -new-segment", ErrDamaged, d, file, d[0].Line)
}

// Contradictions are the rows of a log that contradict its other lines or the repository, in words.
func Contradictions(ctx context.Context, repo *gitx.Repo, session string, lines []ledger.Line) ([]string, error) {
	var list []string
	proposed, rows := map[int]bool{}, map[int]bool{}
	var workers map[string]string
	for _, l := range lines {
		var err error
		switch {
		case l.Event != nil && l.Event.Event == ledger.EventWorker:
			workers, err = admit(workers, l.Event)
		case l.Phase != nil && l.Phase.Phase == ledger.Tried:
			if _, bad := readTried(l.Phase.ID, l.Phase.Data, workers); bad != nil {
				list = append(list, fmt.Sprintf("the result of run %d: %v", l.Phase.ID, bad))
			}
		}
		if err != nil {
			return nil, err
		}
		if l.Phase != nil && l.Phase.Phase == ledger.Proposed {
			proposed[l.Phase.ID] = true
		}
		r := l.Row
		if r == nil {
			continue
		}
		say := func(format string, args ...any) {
			list = append(list, fmt.Sprintf("row %d (%s, %s): %s", r.Run, r.Verdict, r.Description, fmt.Sprintf(format, args...)))
		}
		if rows[r.Run] {
			say("there is another row of that number")
		}
		rows[r.Run] = true
		if r.Verdict == ledger.VerdictBaseline {
			continue
		}
		verdict, _, _ := strings.Cut(r.Verdict, ":")
		status := statuses[verdict]
		if status == "" {
			status = ledger.Discard
		}
		switch {
		case r.Status != status:
			say("its status is %s", r.Status)
		case !proposed[r.Run]:
			say("nobody proposed it")
		}
		if !r.Kept() {
			continue
		}
		ref, err := repo.Ref(ctx, fmt.Sprintf("%s%s/%d", runPrefix, session, r.Run))
		if err != nil {
			return nil, err
		}
		if r.Object == "" || ref != r.Object {
			say("it is kept, and %s%s/%d is %s, not its commit", runPrefix, session, r.Run, orNothing(ref))
			continue
		}
		tree, err := repo.Tree(ctx, r.Object)
		if err != nil {
			return nil, err
		}
		message, err := repo.Message(ctx, r.Object)
		if err != nil {
			return nil, err
		}
		if tree != r.Tree || !slices.Contains(strings.Split(message, "\n"), fmt.Sprintf("Research-Run: %s/%d", session, r.Run)) {
			say("its commit is another row's")
		}
	}
	return list, nil
}

func orNothing(commit string) string {
	if commit == "" {
		return "missing"
	}
	return commit[:min(len(commit), 7)]
}

package research

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// errExhausted says that a proposer has no more ideas.
var errExhausted = errors.New("no more proposals")

// A stopError is a proposer's reason to end the session, such as a key that an endpoint refuses: it
// would refuse every further proposal too. The session keeps its state, and run goes on with it.
type stopError struct{ reason, detail string }

func (e *stopError) Error() string { return e.reason + ": " + e.detail }

// A desk is the place of one proposal: a worktree at the branch's tip.
type desk struct {
	*gitx.Worktree
	run   int
	index int    // the proposal's number in the segment, from 0
	out   string // a command's directory beside the log
	brief string // file in out
	told  *brief // content of that file
	reply []byte // an endpoint's answer to this proposal that an interrupted session did not use; nil: none
	asked string // question that the answer is for
	stale []byte // patch of the same proposal that no longer applies to the tip; nil: none
}

// proposers are the kinds of proposers. Each edits the desk and fills in p. A proposal that fails
// has a Failure; an error ends the session. Several may run at once, each at its own desk. Nothing
// of the session changes meanwhile.
var proposers = map[string]func(s *Session, ctx context.Context, d *desk, p *proposal) error{
	"command": (*Session).proposeCommand,
	"agent":   (*Session).proposeAgent,
	"http":    (*Session).proposeHTTP,
	"mutate":  (*Session).proposeMutation,
	"patches": (*Session).proposePatch,
	"range":   (*Session).proposeCommit,
	"sweep":   (*Session).proposePoint,
	"manual":  func(*Session, context.Context, *desk, *proposal) error { return errExhausted },
}

// pick is the element with an index, in the seed's order.
func pick[T any](list []T, index int, seed *uint64) (T, bool) {
	var zero T
	if index >= len(list) {
		return zero, false
	}
	if seed == nil {
		return list[index], true
	}
	return list[rand.New(rand.NewPCG(*seed, 0)).Perm(len(list))[index]], true
}

// proposePatch applies a file of a queue of patches: the files that the file series names, or all
// *.patch and *.diff in order of their names.
func (s *Session) proposePatch(ctx context.Context, d *desk, p *proposal) error {
	dir := s.config.path(s.config.Proposer.Dir)
	files, err := patchFiles(dir)
	if err != nil {
		return err
	}
	name, ok := pick(files, d.index, s.config.Proposer.Shuffle)
	if !ok {
		return errExhausted
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	p.Source = name
	p.Description, p.Author = patchHeader(text, name)
	if err := s.placeOnBase(ctx, d, p); err != nil {
		return err
	}
	return d.applyPatch(ctx, text, p)
}

// placeOnBase lets a proposal start from the base instead of the branch's tip, if the config says
// so. Then patches that exclude each other can each be judged.
func (s *Session) placeOnBase(ctx context.Context, d *desk, p *proposal) error {
	if !s.config.Proposer.OnBase {
		return nil
	}
	p.Kind, p.Parent, p.Settings = kindApart, s.segment.Base, nil
	return d.Reset(ctx, p.Parent, p.Parent)
}

func patchFiles(dir string) ([]string, error) {
	if text, err := os.ReadFile(filepath.Join(dir, "series")); err == nil {
		var files []string
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 0 && !strings.HasPrefix(f[0], "#") {
				files = append(files, f[0])
			}
		}
		return files, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".patch" || ext == ".diff" {
			files = append(files, e.Name())
		}
	}
	return files, nil
}

var subjectPrefix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[[^\]]*PATCH[^\]]*\] *`) })

// patchHeader is the text of a patch before its first diff: a mail's subject and author, or its
// first line, or else the file's name.
func patchHeader(text []byte, name string) (description, author string) {
	first := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "diff ") || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "Index: ") {
			break
		}
		if subject, ok := strings.CutPrefix(line, "Subject: "); ok {
			description = subjectPrefix().ReplaceAllString(subject, "")
		} else if from, ok := strings.CutPrefix(line, "From: "); ok {
			if name, mail, ok := strings.Cut(from, " <"); ok {
				author = name + "\x00" + strings.TrimSuffix(mail, ">") + "\x00"
			}
		} else if first == "" && !strings.HasPrefix(line, "From ") {
			first = line
		}
	}
	if description == "" {
		description = first
	}
	if description == "" {
		description = strings.TrimSuffix(name, filepath.Ext(name))
	}
	return description, author
}

func (d *desk) applyPatch(ctx context.Context, text []byte, p *proposal) error {
	err := d.Apply(ctx, text)
	if errors.Is(err, gitx.ErrConflict) {
		p.Failure, p.Reason = ledger.VerdictConflict, err.Error()
		return nil
	}
	return err
}

// proposeCommit applies the change of a commit of a range against its parent.
func (s *Session) proposeCommit(ctx context.Context, d *desk, p *proposal) error {
	list, err := s.repo.Range(ctx, s.config.Proposer.Range)
	if err != nil {
		return err
	}
	if s.config.replay != nil {
		return s.proposeReplayed(ctx, d, p, list)
	}
	commit, ok := pick(list, d.index, s.config.Proposer.Shuffle)
	if !ok {
		return errExhausted
	}
	if err := s.placeOnBase(ctx, d, p); err != nil {
		return err
	}
	return s.applyCommit(ctx, d, commit, p)
}

func (s *Session) applyCommit(ctx context.Context, d *desk, commit string, p *proposal) error {
	message, err := s.repo.Message(ctx, commit)
	if err != nil {
		return err
	}
	author, err := s.repo.Author(ctx, commit)
	if err != nil {
		return err
	}
	p.Source, p.Description = commit, message
	p.Author = author.Name + "\x00" + author.Email + "\x00" + author.Date
	diff, err := s.changeOf(ctx, commit)
	if err != nil {
		return err
	}
	return d.applyPatch(ctx, diff, p)
}

// proposePoint sets the constants of one point of a grid. The last parameter varies
// fastest.
func (s *Session) proposePoint(ctx context.Context, d *desk, p *proposal) error {
	params := s.config.Proposer.Params
	points := 1
	for _, q := range params {
		points *= len(q.Values)
	}
	list := make([]int, points)
	for i := range list {
		list[i] = i
	}
	point, ok := pick(list, d.index, s.config.Proposer.Shuffle)
	if !ok {
		return errExhausted
	}
	values, found := map[string]string{}, map[string]bool{}
	var words []string
	for _, q := range slices.Backward(params) {
		v := q.Values[point%len(q.Values)]
		point /= len(q.Values)
		words = append(words, q.Name+"="+v)
		if name := map[string]string{"env": q.Name, "ldflags": linkSetting + q.Name}[q.In]; name != "" {
			p.Settings = maps.Clone(p.Settings)
			if p.Settings == nil {
				p.Settings = settings{}
			}
			p.Settings[name] = v
			continue
		}
		values[q.Name] = v
	}
	slices.Reverse(words)
	p.Description = "set " + strings.Join(words, " ")
	p.Source = "sweep " + strings.Join(words, " ")
	files, err := s.repo.Files(ctx, p.Parent)
	if err != nil {
		return err
	}
	for _, name := range sortedKeys(files) {
		if filepath.Ext(name) != ".go" || s.evaluator.judges(name) {
			continue
		}
		file := filepath.Join(d.Dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		changed := setParams(string(text), values, found)
		if changed != string(text) {
			// A value of another length moves aligned comments.
			if was, err := format.Source(text); err == nil && bytes.Equal(was, text) {
				if now, err := format.Source([]byte(changed)); err == nil {
					changed = string(now)
				}
			}
			if err := os.WriteFile(file, []byte(changed), 0o666); err != nil {
				return err
			}
		}
	}
	for name := range values {
		if !found[name] {
			return fmt.Errorf("no line of the source ends in //research:param %s", name)
		}
	}
	return nil
}

var paramLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(.*=[ \t]*)([^=\n]*?)([ \t]*//research:param[ \t]+(\S+)[ \t]*)$`)
})

// setParams replaces the values of marked lines and notes which marks it found.
func setParams(text string, values map[string]string, found map[string]bool) string {
	return paramLine().ReplaceAllStringFunc(text, func(line string) string {
		m := paramLine().FindStringSubmatch(line)
		v, ok := values[m[4]]
		if !ok {
			return line
		}
		found[m[4]] = true
		return m[1] + v + m[3]
	})
}

// A written is proposal.json, which a proposer may leave in RESEARCH_OUT.
type written struct {
	Description string          `json:"description"`
	Hypothesis  string          `json:"hypothesis"`
	Lesson      string          `json:"lesson"` // learned from the last verdicts
	Expected    string          `json:"expected"`
	ASI         json.RawMessage `json:"asi"`
	Cost        *ledger.Cost    `json:"cost"`
}

// statusExhausted is the exit status of a proposer that has no more ideas.
const statusExhausted = 3

// proposeCommand runs the user's command in the worktree.
func (s *Session) proposeCommand(ctx context.Context, d *desk, p *proposal) error {
	out := d.out
	words := strings.NewReplacer("{brief}", d.brief, "{out}", out, "{worktree}", d.Dir)
	var args []string
	for _, a := range s.config.Proposer.Run {
		args = append(args, words.Replace(a))
	}
	env := map[string]string{"RESEARCH_WORKTREE": d.Dir, "RESEARCH_BRIEF": d.brief, "RESEARCH_OUT": out,
		"RESEARCH_INDEX": strconv.Itoa(d.index)}
	p.Source = filepath.Base(args[0])
	p.Description = fmt.Sprintf("proposal %d", d.index+1)
	if _, err := s.runProposer(ctx, d, p, args, env, ""); err != nil {
		return err
	}
	return d.readProposal(p)
}

// runProposer runs a proposer's command, with a text on its standard input, and notes a failure.
func (s *Session) runProposer(ctx context.Context, d *desk, p *proposal, args []string, env map[string]string, stdin string) (
	*process.Outcome, error) {
	if s.config.Proposer.Sandbox {
		var err error
		if args, err = s.sandboxed(d, args); err != nil {
			return nil, err
		}
	}
	maps.Copy(env, d.told.Left.environ())
	o, err := s.runner.execInput(ctx, d.Dir, env, d.told.Left.time(), stdin, args[0], args[1:]...)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(d.out, "stdout"), o.Stdout, 0o666),
		os.WriteFile(filepath.Join(d.out, "stderr"), o.Stderr, 0o666)); err != nil {
		return nil, err
	}
	switch {
	case o.Exit == statusExhausted && o.Signal == "" && !o.TimedOut:
		return nil, errExhausted
	case o.TimedOut:
		p.Failure, p.Reason = ledger.VerdictTimeout,
			"the proposer took longer than "+d.told.Left.timeWord()
	case o.Left > 0:
		p.Failure, p.Reason = ledger.VerdictCrash, o.Err().Error()
	case o.Exit != 0 || o.Signal != "":
		p.Failure, p.Reason = ledger.VerdictCrash, "the proposer: "+o.Err().Error()+": "+tail(o)
	}
	return o, nil
}

// readProposal reads proposal.json, if the proposer wrote one.
func (d *desk) readProposal(p *proposal) error {
	text, err := readWritten(filepath.Join(d.out, "proposal.json"))
	if err != nil {
		return nil
	}
	var w written
	if err := json.Unmarshal(text, &w); err != nil {
		if p.Failure == "" {
			p.Failure, p.Reason = ledger.VerdictCrash, "proposal.json: "+err.Error()
		}
		return nil
	}
	if w.Description != "" {
		p.Description = w.Description
	}
	p.Hypothesis, p.Lesson, p.Expected, p.ASI = w.Hypothesis, w.Lesson, w.Expected, w.ASI
	if w.Cost != nil {
		p.Cost = w.Cost
	}
	if w.Cost != nil && (w.Cost.USD < 0 || w.Cost.Tokens < 0) {
		p.Failure, p.Reason = ledger.VerdictCrash, "proposal.json: a cost below 0"
		p.Cost = nil
	}
	return nil
}

// briefed reports whether a proposer gets the state of the session. Such a proposer takes time, so
// several may work at once.
func (p *Proposer) briefed() bool {
	return p.Kind == "command" || p.Kind == "agent" || p.Kind == "http"
}

// numbered reports whether a proposer's proposals follow from their numbers alone.
func (p *Proposer) numbered() bool {
	return p.Kind == "patches" || p.Kind == "range" || p.Kind == "sweep"
}

// prepareDesk prepares the files for a command. Other kinds need none.
func (s *Session) prepareDesk(ctx context.Context, d *desk) (err error) {
	if !s.config.Proposer.briefed() {
		return nil
	}
	d.out = s.outDir(d.run)
	d.asked = s.question(d)
	d.reply = s.keptReply(d)
	if err := errors.Join(os.RemoveAll(d.out), os.MkdirAll(d.out, 0o777)); err != nil {
		return err
	}
	d.brief, err = s.writeBrief(ctx, d)
	return err
}

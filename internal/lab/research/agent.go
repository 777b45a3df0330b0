package research

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// This file has the proposers that write text: command-line programs, and endpoints of language
// models. Both get a prompt made from the brief, the lessons and the last verdicts. A program
// answers by editing the worktree or by printing a patch, an endpoint by a patch. An invalid answer
// becomes a row with the reason, and the session continues.

// prompt is the text for a proposer that writes. Its rows have no more than the brief has, so
// hidden checks stay hidden.
func (b *brief) prompt(files map[string]string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# Task: %s\n\nImprove this Go repository by one small change that stands for itself. A program checks it with the tests, measures it beside its parent, "+
		"and keeps it if it gains. Results, errors and the exported API have to stay as they are, for all inputs, not those of the benchmark alone.\n\n## Metrics\n\n", b.Name)
	for _, m := range b.Metrics {
		fmt.Fprintf(&w, "- %s", m.Name)
		if v, ok := b.Current[m.Name]; ok {
			fmt.Fprintf(&w, " is %s %s", number(v), m.Unit)
		}
		switch {
		case m.Goal == "max":
			w.WriteString("; more is better")
		case m.Goal != "":
			w.WriteString("; less is better")
		}
		if m.Guard != "" {
			fmt.Fprintf(&w, "; it has to be %s", m.Guard)
		}
		w.WriteString("\n")
	}
	fmt.Fprintf(&w, "\n## What may change\n\nFiles that match %s, but none that match %s.\n", strings.Join(b.Allow, ", "), strings.Join(b.Deny, ", "))
	if len(b.Lessons) > 0 {
		w.WriteString("\n## Lessons\n\n")
		for _, l := range b.Lessons {
			fmt.Fprintf(&w, "- %s\n", firstLine(l))
		}
	}
	if len(b.Rows) > 0 {
		w.WriteString("\n## The last verdicts\n\n")
		for _, r := range b.Rows {
			fmt.Fprintf(&w, "- %d: %s: %s", r.Run, r.Verdict, firstLine(r.Description))
			if r.Reason != "" {
				fmt.Fprintf(&w, " (%s)", firstLine(r.Reason))
			}
			w.WriteString("\n")
		}
	}
	if b.Ideas != "" {
		fmt.Fprintf(&w, "\n## Ideas\n\n%s\n", b.Ideas)
	}
	for _, name := range append(slices.Clone(b.Profile), b.Stale) {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		title := "Profile " + filepath.Base(name)
		if name == b.Stale {
			title = "Your last patch, which does not apply any more"
		}
		fmt.Fprintf(&w, "\n## %s\n\n```\n%s```\n", title, text)
	}
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(&w, "\n## File %s\n\n```\n%s\n```\n", name, files[name])
	}
	w.WriteString("\n## Answer\n\nEdit the files in the working directory if you can. Else answer with one patch in unified form, made against these files, " +
		"in a block that begins with ```diff and ends with ```. Before it write one line DESCRIPTION: what the change does, one line HYPOTHESIS: why it should gain, " +
		"and, if the verdicts above have taught you something, one line LESSON: what.\n")
	return w.String()
}

// An answer is the content of a proposer's text.
type answer struct {
	patch                           []byte // nil: none
	description, hypothesis, lesson string
}

// readAnswer finds the patch of an answer, in a fenced block or outside, and the lines that begin
// with the known words.
func readAnswer(text string) answer {
	var a answer
	var patch strings.Builder
	block, open := false, false // inside a fenced block of a diff; inside a diff without fences
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		switch {
		case block:
			if block = !strings.HasPrefix(bare, "```"); block {
				patch.WriteString(bare + "\n")
			}
			continue
		case strings.HasPrefix(bare, "```diff") || strings.HasPrefix(bare, "```patch"):
			block = true
			continue
		case !open && patch.Len() == 0 && (strings.HasPrefix(bare, "diff --git ") || strings.HasPrefix(bare, "--- a/")):
			open = true
		}
		if open {
			patch.WriteString(bare + "\n")
			continue
		}
		for word, to := range map[string]*string{"DESCRIPTION:": &a.description, "HYPOTHESIS:": &a.hypothesis, "LESSON:": &a.lesson} {
			if rest, ok := strings.CutPrefix(strings.TrimLeft(bare, "*-# "), word); ok && *to == "" {
				*to = strings.TrimSpace(strings.Trim(rest, "* "))
			}
		}
	}
	if patch.Len() > 0 {
		a.patch = []byte(patch.String())
	}
	return a
}

// takeAnswer applies the patch of a text.
func (s *Session) takeAnswer(ctx context.Context, d *desk, p *proposal, text string) error {
	a := readAnswer(text)
	if a.description != "" {
		p.Description = a.description
	}
	p.Hypothesis, p.Lesson = a.hypothesis, a.lesson
	if p.Failure != "" {
		return nil
	}
	if a.patch == nil {
		p.Failure, p.Reason = ledger.VerdictEmpty, fmt.Sprintf("the answer has no patch: %.100q", firstLine(text))
		return nil
	}
	err := d.applyPatch(ctx, a.patch, p)
	if p.Failure == ledger.VerdictConflict {
		p.Reason = "the patch of the answer: " + p.Reason
	}
	return err
}

// proposeAgent runs a program that reads a prompt, from its standard input or a file, and edits the
// worktree or prints a patch. Its proposal.json counts as for a command.
func (s *Session) proposeAgent(ctx context.Context, d *desk, p *proposal) error {
	prompt := d.told.prompt(nil)
	file := filepath.Join(d.out, "prompt.md")
	if err := os.WriteFile(file, []byte(prompt), 0o666); err != nil {
		return err
	}
	words := strings.NewReplacer("{brief}", d.brief, "{prompt}", file, "{out}", d.out, "{worktree}", d.Dir)
	var args []string
	for _, a := range s.config.Proposer.Run {
		args = append(args, words.Replace(a))
	}
	p.Source = filepath.Base(args[0])
	p.Description = fmt.Sprintf("proposal %d", d.index+1)
	env := map[string]string{"RESEARCH_WORKTREE": d.Dir, "RESEARCH_BRIEF": d.brief, "RESEARCH_OUT": d.out,
		"RESEARCH_INDEX": strconv.Itoa(d.index), "RESEARCH_PROMPT": file}
	o, err := s.runProposer(ctx, d, p, args, env, prompt)
	if err != nil {
		return err
	}
	if err := d.readProposal(p); err != nil || p.Failure != "" {
		return err
	}
	tree, err := d.Snapshot(ctx, p.Parent)
	if err != nil {
		return nil // take reports the worktree's problem
	}
	parent, err := s.repo.Tree(ctx, p.Parent)
	if err != nil || tree != parent {
		a := readAnswer(string(o.Stdout))
		for from, to := range map[*string]*string{&a.hypothesis: &p.Hypothesis, &a.lesson: &p.Lesson} {
			if *to == "" {
				*to = *from
			}
		}
		if a.description != "" && p.Description == fmt.Sprintf("proposal %d", d.index+1) {
			p.Description = a.description
		}
		return err
	}
	return s.takeAnswer(ctx, d, p, string(o.Stdout))
}

// A chat is a request to a chat-completions endpoint. A reply is its answer.
type chat struct {
	Model     string        `json:"model"`
	Messages  []chatMessage `json:"messages"`
	MaxTokens int64         `json:"max_tokens"`
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type reply struct {
	Choices []struct {
		Message chatMessage `json:"message"`
		Finish  string      `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
	} `json:"usage"`
}

const (
	defaultMaxTokens = 8000
	mostReply        = 4 << 20 // bytes
	promptFiles      = 60_000  // bytes of source in a prompt for an endpoint, which sees no worktree
)

// proposeHTTP asks an endpoint. It sends the key from the environment, and never writes it
// anywhere.
func (s *Session) proposeHTTP(ctx context.Context, d *desk, p *proposal) error {
	c := &s.config.Proposer
	key := os.Getenv(c.KeyEnv)
	p.Source, p.Description = c.Model, fmt.Sprintf("proposal %d", d.index+1)
	fail := func(verdict, format string, args ...any) error {
		p.Failure, p.Reason = verdict, fmt.Sprintf(format, args...)
		if key != "" {
			p.Reason = strings.ReplaceAll(p.Reason, key, "[key]")
		}
		return nil
	}
	if c.KeyEnv != "" && key == "" {
		return fail(ledger.VerdictCrash, "the environment has no key in %s", c.KeyEnv)
	}
	files, err := s.promptFiles(ctx, p.Parent)
	if err != nil {
		return err
	}
	prompt := d.told.prompt(files)
	if err := os.WriteFile(filepath.Join(d.out, "prompt.md"), []byte(prompt), 0o666); err != nil {
		return err
	}
	most := c.MaxTokens
	setDefault(&most, defaultMaxTokens)
	if left := s.config.Stop.Tokens - s.state.tokens; s.config.Stop.Tokens > 0 {
		most = min(most, max(left, 1))
	}
	body, err := json.Marshal(chat{c.Model, []chatMessage{{"user", prompt}}, most})
	if err != nil {
		return err
	}
	timed, cancel := context.WithTimeout(ctx, c.Timeout.or(proposerTimeout))
	defer cancel()
	status, text, err := post(timed, c.URL, key, body)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case timed.Err() != nil:
		return fail(ledger.VerdictTimeout, "the endpoint took longer than %v", c.Timeout.or(proposerTimeout))
	case err != nil:
		return fail(ledger.VerdictCrash, "the endpoint: %v", err)
	}
	if key != "" {
		text = bytes.ReplaceAll(text, []byte(key), []byte("[key]"))
	}
	if err := os.WriteFile(filepath.Join(d.out, "reply.json"), text, 0o666); err != nil {
		return err
	}
	if status != http.StatusOK {
		return fail(ledger.VerdictCrash, "the endpoint: %d %s: %.200s", status, http.StatusText(status), text)
	}
	var r reply
	if err := json.Unmarshal(text, &r); err != nil || len(r.Choices) == 0 {
		return fail(ledger.VerdictCrash, "the endpoint answers %.100q, which is no completion", text)
	}
	content := r.Choices[0].Message.Content
	in, out := int64(len(prompt)/4), int64(len(content)/4) // an estimate, in case the endpoint does not say
	if r.Usage != nil && r.Usage.Prompt >= 0 && r.Usage.Completion >= 0 {
		in, out = r.Usage.Prompt, r.Usage.Completion
	}
	p.Cost = &ledger.Cost{USD: (float64(in)*c.InPrice + float64(out)*c.OutPrice) / 1e6, Tokens: in + out}
	if r.Choices[0].Finish == "length" {
		return fail(ledger.VerdictCrash, "the answer was cut at %d tokens", most)
	}
	if out > most {
		fail(ledger.VerdictCrash, "the endpoint was to answer with %d tokens and took %d", most, out)
	}
	return s.takeAnswer(ctx, d, p, content)
}

// post sends a request and returns the answer's status and text. It does not follow redirections:
// the key is for this address.
func post(ctx context.Context, url, key string, body []byte) (status int, text []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(io.LimitReader(resp.Body, mostReply+1))
	if err == nil && len(text) > mostReply {
		err = errors.New("too long an answer")
	}
	return resp.StatusCode, text, err
}

// promptFiles are sources for a proposer that sees no worktree: those of the measured packages
// first, then others that it may change, as long as they fit.
func (s *Session) promptFiles(ctx context.Context, commit string) (map[string]string, error) {
	files, err := s.repo.Files(ctx, commit)
	if err != nil {
		return nil, err
	}
	measured := func(name string) bool {
		return slices.ContainsFunc(s.config.Metrics, func(m Metric) bool {
			return m.Bench != "" && filepath.ToSlash(filepath.Clean(m.Pkg)) == filepath.ToSlash(filepath.Dir(name))
		})
	}
	out, room := map[string]string{}, promptFiles
	for _, first := range []bool{true, false} {
		for _, name := range sortedKeys(files) {
			sc := &s.config.Scope
			if measured(name) != first || filepath.Ext(name) != ".go" || matchAny(sc.Deny, name) || !matchAny(sc.Allow, name) {
				continue
			}
			text, err := s.repo.File(ctx, commit, name)
			if err != nil {
				return nil, err
			}
			if len(text) <= room {
				out[name] = string(text)
				room -= len(text)
			}
		}
	}
	return out, nil
}

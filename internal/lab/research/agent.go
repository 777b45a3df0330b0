package research

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// This file has the proposer that is a command-line agent. It gets a prompt made from the brief
// (brief.go) and answers by editing the worktree or by printing a patch. endpoint.go asks a server
// instead. An invalid answer becomes a row with the reason, and the session continues.

// An answer is the content of a proposer's text.
type answer struct {
	patch                           []byte // nil: none
	description, hypothesis, lesson string
}

// readAnswer finds the patch of an answer, in a fenced block or outside, and the lines that begin
// with the known words.
func readAnswer(text string) answer {
	var a answer
	// Models that think aloud may think of patches.
	for {
		before, rest, opened := strings.Cut(text, "<think>")
		_, after, closed := strings.Cut(rest, "</think>")
		if !opened || !closed {
			break
		}
		text = before + after
	}
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
	if strings.TrimSpace(text) == "" {
		p.Failure, p.Reason = ledger.VerdictEmpty, "the answer is empty"
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
	printed := readPrinted(string(o.Stdout))
	p.Cost = printed.cost
	if err := d.readProposal(p); err != nil || p.Failure != "" {
		return err
	}
	tree, err := d.Snapshot(ctx, p.Parent)
	if err != nil {
		return nil // take reports the worktree's problem
	}
	parent, err := s.repo.Tree(ctx, p.Parent)
	if err != nil || tree != parent {
		a := readAnswer(printed.text)
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
	return s.takeAnswer(ctx, d, p, printed.text)
}

// An agentOutput is the output of an agent: the text of its answer, and what it spent, if it says so.
type agentOutput struct {
	text string
	cost *ledger.Cost
}

// readPrinted reads an agent's output. Some agents can print an object in place of the text: with
// the text as "result" or "response", and with what they spent.
func readPrinted(out string) agentOutput {
	var x struct {
		Result   *string  `json:"result"`
		Response *string  `json:"response"`
		USD      *float64 `json:"total_cost_usd"`
		Usage    *struct {
			In      int64 `json:"input_tokens"`
			Created int64 `json:"cache_creation_input_tokens"`
			Read    int64 `json:"cache_read_input_tokens"`
			Out     int64 `json:"output_tokens"`
		} `json:"usage"`
	}
	if !strings.HasPrefix(strings.TrimSpace(out), "{") || json.Unmarshal([]byte(out), &x) != nil || x.Result == nil && x.Response == nil {
		return agentOutput{text: out}
	}
	p := agentOutput{}
	for _, text := range []*string{x.Result, x.Response} {
		if text != nil {
			p.text += *text
		}
	}
	if x.USD != nil && *x.USD >= 0 {
		p.cost = &ledger.Cost{USD: *x.USD}
	}
	if u := x.Usage; u != nil {
		if p.cost == nil {
			p.cost = &ledger.Cost{}
		}
		p.cost.Tokens = max(0, u.In) + max(0, u.Created) + max(0, u.Read) + max(0, u.Out)
	}
	return p
}

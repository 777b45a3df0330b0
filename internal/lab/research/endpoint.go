package research

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// An endpoint is a server of a language model with the interface that OpenAI's chat completions
// have made common: commercial ones, llama.cpp, vLLM, Ollama. It gets the prompt with sources and
// answers with a patch.
//
// An answer that is no use becomes a row with the reason, and the session goes on. A server that is
// busy is asked again after a while. One that refuses the key, the account or the model ends the
// session, which keeps its state. The key is in no row and no file.

// A chat is a request. Newer models take the limit of tokens by another name.
type chat struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	MaxTokens     int64         `json:"max_tokens,omitempty"`
	MaxCompletion int64         `json:"max_completion_tokens,omitempty"`
}

type chatMessage struct {
	Role    string      `json:"role"`
	Content chatContent `json:"content"`
}

// A chatContent is a text. Some servers send it in parts.
type chatContent string

// UnmarshalJSON reads a text, a list of parts, or null.
func (c *chatContent) UnmarshalJSON(text []byte) error {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(text, &parts) == nil {
		for _, p := range parts {
			*c += chatContent(p.Text)
		}
		return nil
	}
	return json.Unmarshal(text, (*string)(c))
}

// A reply is the answer to a chat. A server may report an error in its place with status 200.
type reply struct {
	Choices []struct {
		Message chatMessage `json:"message"`
		Finish  string      `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

const (
	defaultMaxTokens = 8000
	mostReply        = 4 << 20 // bytes
	promptFiles      = 60_000  // bytes of source in a prompt for an endpoint, which sees no worktree
	charsPerToken    = 4       // about, where the server does not count
	mostAsked        = 5       // times of one question
	firstWait        = 2 * time.Second
)

// proposeHTTP asks an endpoint. It sends the key from the environment, and never writes it
// anywhere.
func (s *Session) proposeHTTP(ctx context.Context, d *desk, p *proposal) error {
	c := &s.config.Proposer
	key := os.Getenv(c.KeyEnv)
	p.Source, p.Description = c.Model, fmt.Sprintf("proposal %d", d.index+1)
	if c.KeyEnv != "" && key == "" {
		return &stopError{"proposer", "the environment has no key in " + c.KeyEnv}
	}
	fail := func(verdict, format string, args ...any) error {
		p.Failure, p.Reason = verdict, withoutKey(fmt.Sprintf(format, args...), key)
		return nil
	}
	files, err := s.promptFiles(ctx, p.Parent, d.told)
	if err != nil {
		return err
	}
	prompt := d.told.prompt(files)
	if err := os.WriteFile(filepath.Join(d.out, "prompt.md"), []byte(prompt), 0o666); err != nil {
		return err
	}
	most, question := c.MaxTokens, int64(len(prompt)/charsPerToken)
	setDefault(&most, defaultMaxTokens)
	if left := d.told.Left.Tokens; left > 0 {
		if question >= left {
			return &stopError{"tokens", fmt.Sprintf("the next question alone takes about %d tokens, and %d are left", question, left)}
		}
		most = min(most, left-question)
	}
	text := d.reply
	if text == nil {
		timed, cancel := context.WithTimeout(ctx, d.told.Left.time())
		defer cancel()
		status, body, err := ask(timed, c.URL, key, chat{Model: c.Model, Messages: []chatMessage{{"user", chatContent(prompt)}}, MaxTokens: most})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		body = []byte(withoutKey(string(body), key))
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			p.Cost = c.cost(question, 0) // an estimate: the server may have read the question
			return fail(ledger.VerdictTimeout, "the endpoint took longer than %s%s", d.told.Left.timeWord(), lastStatus(status))
		case err != nil:
			return fail(ledger.VerdictCrash, "the endpoint: %v%s", err, lastStatus(status))
		case refusesAll(status):
			return &stopError{"proposer", fmt.Sprintf("the endpoint: %d %s: %.200s", status, http.StatusText(status), oneLine(body))}
		case status != http.StatusOK:
			return fail(ledger.VerdictCrash, "the endpoint: %d %s: %.200s", status, http.StatusText(status), oneLine(body))
		}
		text = body
	}
	if err := s.keepReply(d, text); err != nil {
		return err
	}
	var r reply
	switch err := json.Unmarshal(text, &r); {
	case len(bytes.TrimSpace(text)) == 0:
		return fail(ledger.VerdictEmpty, "the endpoint answers with nothing")
	case err == nil && len(r.Error) > 0 && string(r.Error) != "null":
		return fail(ledger.VerdictCrash, "the endpoint: %.200s", r.Error)
	case err != nil || len(r.Choices) == 0:
		return fail(ledger.VerdictCrash, "the endpoint answers %.100q, which is no completion", text)
	}
	content := withoutKey(string(r.Choices[0].Message.Content), key)
	in, out := question, int64(len(content)/charsPerToken)
	if r.Usage != nil && r.Usage.Prompt >= 0 && r.Usage.Completion >= 0 {
		in, out = r.Usage.Prompt, r.Usage.Completion
	}
	p.Cost = c.cost(in, out)
	switch finish := r.Choices[0].Finish; {
	case finish == "length":
		return fail(ledger.VerdictCrash, "the answer was cut at %d tokens", most)
	case finish == "content_filter":
		return fail(ledger.VerdictCrash, "the endpoint's filter withheld the answer")
	case out > most:
		fail(ledger.VerdictCrash, "the endpoint was to answer with %d tokens and took %d", most, out)
	}
	return s.takeAnswer(ctx, d, p, content)
}

// withoutKey replaces the key in a text.
func withoutKey(text, key string) string {
	if key == "" {
		return text
	}
	return strings.ReplaceAll(text, key, "[key]")
}

// cost is the price of a question and an answer.
func (p *Proposer) cost(in, out int64) *ledger.Cost {
	return &ledger.Cost{USD: (float64(in)*p.InPrice + float64(out)*p.OutPrice) / 1e6, Tokens: in + out}
}

// oneLine is a body's text without line breaks.
func oneLine(body []byte) string { return strings.Join(strings.Fields(string(body)), " ") }

// lastStatus says what a server answered before it was given up.
func lastStatus(status int) string {
	if status == 0 {
		return ""
	}
	return fmt.Sprintf("; its last answer was %d %s", status, http.StatusText(status))
}

// refusesAll reports whether a status concerns every question: the key, the account, the address or
// the model.
func refusesAll(status int) bool {
	return slices.Contains([]int{http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound}, status)
}

// passes reports whether the same question may have an answer later.
func passes(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500 && status != http.StatusNotImplemented
}

// ask sends a question until the server answers it, or is not busy, or the time is up. It waits as
// long as the server says, or else twice as long each time. The status is the last one.
func ask(ctx context.Context, url, key string, q chat) (status int, text []byte, err error) {
	wait := firstWait
	for n := 1; ; n++ {
		body, err := json.Marshal(q)
		if err != nil {
			return 0, nil, err
		}
		now, text, after, err := post(ctx, url, key, body)
		if err == nil {
			status = now
		}
		if ctx.Err() != nil {
			return status, nil, ctx.Err()
		}
		if status == http.StatusBadRequest && q.MaxTokens > 0 && bytes.Contains(text, []byte("max_completion_tokens")) {
			q.MaxTokens, q.MaxCompletion = 0, q.MaxTokens
			continue
		}
		if n == mostAsked || err == nil && !passes(now) || err != nil && !errors.Is(err, syscall.ECONNREFUSED) {
			return status, text, err
		}
		if after < 0 {
			after, wait = wait, 2*wait
		}
		select {
		case <-ctx.Done():
			return status, nil, ctx.Err()
		case <-time.After(after):
		}
	}
}

// post sends a request and returns the answer's status, its text, and how long the server wants to
// be left alone; -1: it does not say. It does not follow redirections: the key is for this address.
func post(ctx context.Context, to, key string, body []byte) (status int, text []byte, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return 0, nil, -1, err
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if e := (*url.Error)(nil); errors.As(err, &e) {
		err = e.Err // without the address, which may have a key
	}
	if err != nil {
		return 0, nil, -1, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(io.LimitReader(resp.Body, mostReply+1))
	switch {
	case err == nil && len(text) > mostReply:
		err = errors.New("too long an answer")
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the answer breaks off after %d bytes", len(text))
	}
	after = -1
	if n, e := strconv.Atoi(resp.Header.Get("Retry-After")); e == nil && n >= 0 {
		after = time.Duration(n) * time.Second
	}
	return resp.StatusCode, text, after, err
}

// Files in a proposal's directory: an endpoint's answer, and the commit and the model that it is
// for.
const (
	replyFile    = "reply.json"
	questionFile = "question"
)

// question identifies a proposal's question. A session that was killed asks the same one again.
func (s *Session) question(d *desk) string {
	return fmt.Sprintf("%s %s %s %d %x", s.state.tip, s.config.Proposer.URL, s.config.Proposer.Model, d.index, d.stale)
}

// keptReply is the answer to a proposal's question that an interrupted session has paid for; nil if
// there is none.
func (s *Session) keptReply(d *desk) []byte {
	asked, _ := os.ReadFile(filepath.Join(d.out, questionFile)) // none is another question
	text, err := os.ReadFile(filepath.Join(d.out, replyFile))
	if s.config.Proposer.Kind != "http" || err != nil || string(asked) != d.asked {
		return nil
	}
	return text
}

// keepReply writes an answer where a session that goes on finds it. The question's name comes last,
// so that half an answer is none.
func (s *Session) keepReply(d *desk, text []byte) error {
	if err := os.WriteFile(filepath.Join(d.out, replyFile), text, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.out, questionFile), []byte(d.asked), 0o666)
}

// promptFiles are sources for a proposer that sees no worktree: those with hot functions first, then
// those of the measured packages, then others that it may change, as long as they fit.
func (s *Session) promptFiles(ctx context.Context, commit string, b *brief) (map[string]string, error) {
	files, err := s.repo.Files(ctx, commit)
	if err != nil {
		return nil, err
	}
	hot := func(name string) bool {
		return slices.ContainsFunc(b.Hot, func(h hotFunction) bool { return h.File == name })
	}
	measured := func(name string) bool {
		return slices.ContainsFunc(s.config.Metrics, func(m Metric) bool {
			return m.Bench != "" && filepath.ToSlash(filepath.Clean(m.Pkg)) == filepath.ToSlash(filepath.Dir(name))
		})
	}
	out, room := map[string]string{}, promptFiles
	for _, turn := range []func(name string) bool{hot, measured, func(string) bool { return true }} {
		for _, name := range sortedKeys(files) {
			sc := &s.config.Scope
			if _, has := out[name]; has || !turn(name) || filepath.Ext(name) != ".go" || matchAny(sc.Deny, name) || !matchAny(sc.Allow, name) {
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

package research

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

const endpointKey = "secret-key-of-the-test"

// A server is an endpoint that answers the n-th question, from 0, by a function.
func (b *bench) server(answer func(w http.ResponseWriter, r *http.Request, n int, question string)) *httptest.Server {
	b.t.Helper()
	b.t.Setenv("RESEARCHTEST_KEY", endpointKey)
	calls := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer "+endpointKey {
			b.t.Errorf("asked with %v", r.Header)
		}
		calls++
		answer(w, r, calls-1, string(body))
	}))
	b.t.Cleanup(s.Close)
	return s
}

// asking is a config whose proposer is a server.
func (b *bench) asking(s *httptest.Server, change func(c map[string]any)) *Config {
	return b.proposing(map[string]any{"kind": "http", "url": s.URL, "model": "m", "keyEnv": "RESEARCHTEST_KEY", "inPrice": 1, "outPrice": 10, "timeout": "20s"}, func(c map[string]any) {
		uncalled(c)
		if change != nil {
			change(c)
		}
	})
}

// uncalled leaves out the calls of changed functions, which are not the subject here.
func uncalled(c map[string]any) {
	c["risk"] = map[string]any{"off": []string{"differential", "mutation"}}
}

// complete writes a completion.
func complete(w http.ResponseWriter, content, finish string, out int64) {
	json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]any{"role": "assistant", "content": content}, "finish_reason": finish}},
		"usage": map[string]any{"prompt_tokens": 1000, "completion_tokens": out}})
}

// goodPatch is a patch of the fixture that gains, as an answer has it.
func goodPatch(t *testing.T) string {
	patch := fixturePatches[0].patch(t)
	return patch[strings.Index(patch, "diff --git"):]
}

// keyless reports files of the repository that have the key.
func (b *bench) keyless() {
	b.t.Helper()
	err := filepath.WalkDir(b.repo, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), endpointKey) {
			b.t.Errorf("%s has the key", path)
		}
		return err
	})
	if err != nil {
		b.t.Error(err)
	}
}

// TestTranscripts: answers of servers, in the forms that these document, become candidates, rows
// with a reason, or the end of the session.
func TestTranscripts(t *testing.T) {
	byTurns(t)
	files, err := filepath.Glob("testdata/transcripts/endpoint-*.json")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	b := newBench(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			quoted, _ := json.Marshal(goodPatch(t))
			text = []byte(strings.ReplaceAll(strings.ReplaceAll(string(text), "@PATCH@", strings.Trim(string(quoted), `"`)), "@KEY@", endpointKey))
			var x struct {
				About, After, Verdict, Stopped, Reason string
				Status, Asked                          int
				Body                                   json.RawMessage
				Tokens                                 int64
			}
			if err := json.Unmarshal(text, &x); err != nil {
				t.Fatal(err)
			}
			asked := 0
			server := b.server(func(w http.ResponseWriter, r *http.Request, n int, _ string) {
				asked++
				if x.After != "" {
					w.Header().Set("Retry-After", x.After)
				}
				w.WriteHeader(x.Status)
				if page := ""; json.Unmarshal(x.Body, &page) == nil {
					io.WriteString(w, page)
					return
				}
				w.Write(x.Body)
			})
			c := b.asking(server, func(c map[string]any) {
				c["name"], c["stop"] = strings.ReplaceAll(t.Name(), "/", " "), map[string]any{"experiments": 1}
			})
			stopped, rows := b.run(c)
			switch {
			case x.Stopped != "":
				if len(rows) != 0 || stopped.Reason != x.Stopped || !strings.Contains(stopped.Detail, x.Reason) {
					t.Fatalf("%+v, %d rows", stopped, len(rows))
				}
			case len(rows) != 1 || rows[0].Verdict != x.Verdict || !strings.Contains(rows[0].Reason, x.Reason):
				t.Fatalf("%+v: %s: %s", stopped, rows[0].Verdict, rows[0].Reason)
			case x.Verdict == ledger.VerdictKeep && rows[0].Description != "by hand":
				t.Errorf("%q", rows[0].Description)
			case x.Tokens > 0 && rows[0].Cost.Tokens != x.Tokens, x.Tokens < 0 && rows[0].Cost.Tokens < 100:
				t.Errorf("%+v", rows[0].Cost)
			}
			if asked != max(1, x.Asked) {
				t.Errorf("asked %d times", asked)
			}
			b.keyless()
		})
	}
}

// TestEndpoint: a server that stalls, breaks off, redirects or overspends is a row, one that is busy
// or wants another name for a limit is asked again, and one that comes to its senses after a refusal
// goes on where the session was. Its key is in no file of the repository and in no other process's
// environment.
func TestEndpoint(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	done := make(chan struct{})
	server := b.server(func(w http.ResponseWriter, r *http.Request, n int, question string) {
		if !strings.Contains(question, "package hot") || strings.Contains(question, "TestRender") {
			t.Errorf("asked: %s", question)
		}
		switch n {
		case 0:
			<-done
		case 1:
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"choices": [{"mess`)
		case 2:
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusTemporaryRedirect)
		case 3:
			w.WriteHeader(http.StatusForbidden)
		case 4:
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		case 5:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error": {"message": "Unsupported parameter: use 'max_completion_tokens' instead."}}`)
		case 6:
			if !strings.Contains(question, `"max_completion_tokens":8000`) || strings.Contains(question, `"max_tokens"`) {
				t.Errorf("asked: %s", question)
			}
			complete(w, "DESCRIPTION: by hand, "+endpointKey+"\n```diff\n"+goodPatch(t)+"```\n", "stop", 500)
		default:
			complete(w, "prose", "stop", 9_000)
		}
	})
	defer close(done)
	c := b.asking(server, func(c map[string]any) {
		c["battery"] = []any{map[string]any{"name": "key", "run": []string{"sh", "-c", `test -z "$RESEARCHTEST_KEY"`}}}
		c["stop"] = map[string]any{"tokens": 22_000, "cost": "5 USD"}
		c["proposer"].(map[string]any)["timeout"] = "2s"
	})
	stopped, rows := b.run(c)
	if stopped.Reason != "proposer" || !strings.Contains(stopped.Detail, "403 Forbidden") || len(rows) != 3 {
		t.Fatalf("%+v, %d rows", stopped, len(rows))
	}
	stopped, rows = b.run(c)
	want := []struct{ verdict, reason string }{
		{ledger.VerdictTimeout, "longer than 2s"}, {ledger.VerdictCrash, "the answer breaks off after 19 bytes"}, {ledger.VerdictCrash, "307"},
		{ledger.VerdictKeep, ""},
		{ledger.VerdictCrash, "was to answer with 8000 tokens and took 9000"}, {ledger.VerdictCrash, "was to answer with"},
	}
	if stopped.Reason != "tokens" || len(rows) != len(want) {
		t.Fatalf("%+v, %d rows", stopped, len(rows))
	}
	for i, w := range want {
		if rows[i].Verdict != w.verdict || !strings.Contains(rows[i].Reason, w.reason) {
			t.Errorf("answer %d: %s %s", i+1, rows[i].Verdict, rows[i].Reason)
		}
	}
	if cost := rows[3].Cost; cost == nil || cost.Tokens != 1500 || cost.USD < 0.0059 || cost.USD > 0.0061 {
		t.Errorf("cost %+v", cost)
	}
	b.keyless()
}

// TestEndpointBudgets: a question that alone exceeds what is left is not asked, and an answer may
// not be longer than what is left.
func TestEndpointBudgets(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	limits := []string{}
	server := b.server(func(w http.ResponseWriter, _ *http.Request, n int, question string) {
		limits = append(limits, regexp.MustCompile(`"max_tokens":\d+`).FindString(question))
		complete(w, "prose", "stop", 2000)
	})
	c := b.asking(server, func(c map[string]any) { c["stop"] = map[string]any{"tokens": 6000} })
	stopped, rows := b.run(c)
	if stopped.Reason != "tokens" || !strings.Contains(stopped.Detail, "question alone") && len(rows) != 2 || len(rows) == 0 {
		t.Errorf("%+v, %d rows", stopped, len(rows))
	}
	if len(limits) == 0 || limits[0] == `"max_tokens":8000` {
		t.Errorf("asked for %v", limits)
	}
}

// TestKeptReply: an answer that a killed session had paid for is not asked for again.
func TestKeptReply(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	server := b.server(func(w http.ResponseWriter, _ *http.Request, n int, question string) {
		if n == 0 && !strings.Contains(question, "by hand") {
			t.Error("asked again")
		}
		complete(w, "prose", "stop", 100)
	})
	c := b.asking(server, func(c map[string]any) { c["stop"] = map[string]any{"experiments": 2} })
	s := b.open(c)
	if err := s.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := &desk{Worktree: s.desk, run: s.state.next}
	if err := s.prepareDesk(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	complete(w, "DESCRIPTION: by hand\n```diff\n"+goodPatch(t)+"```\n", "stop", 100)
	if err := s.keepReply(d, w.Body.Bytes()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	_, rows := b.run(c)
	if len(rows) != 2 || rows[0].Verdict != ledger.VerdictKeep || rows[0].Cost.Tokens != 1100 || rows[1].Verdict != ledger.VerdictEmpty {
		t.Errorf("%+v", rows)
	}
}

// TestKillEndpoint kills a session whose proposer is a server, as TestKill does.
func TestKillEndpoint(t *testing.T) {
	byTurns(t)
	kills := 4
	if *long {
		kills = 50
	}
	b := newBench(t)
	verdict := regexp.MustCompile(`(?:\\n)- \d+: `)
	server := b.server(func(w http.ResponseWriter, _ *http.Request, _ int, question string) {
		// By the rows before it, since a killed session asks again.
		switch n := len(verdict.FindAllString(question, -1)); n {
		case 2:
			complete(w, "DESCRIPTION: by hand\n```diff\n"+goodPatch(t)+"```\n", "stop", 100)
		default:
			complete(w, fmt.Sprint("prose ", n), "stop", 100)
		}
	})
	b.kill(b.asking(server, func(c map[string]any) { c["stop"] = map[string]any{"experiments": 4} }), kills)
}

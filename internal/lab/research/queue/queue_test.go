package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKey: a missing key is made once, only its owner can read it, and other files are no keys.
func TestKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sub", "key")
	key, err := LoadKey(file)
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadKey(file)
	if err != nil || !key.Equal(again) {
		t.Errorf("another key the second time, %v", err)
	}
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
	public, err := ParseKey(PublicKey(key))
	if err != nil || !public.Equal(key.Public()) {
		t.Errorf("public key %q, %v", PublicKey(key), err)
	}
	for name, text := range map[string]string{"empty": "", "text": "key", "block": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		"public": "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadKey(file); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "AAAA", PublicKey(key)[1:], PublicKey(key) + "A", strings.Repeat("-", 44)} {
		if _, err := ParseKey(text); !refusedFor(err, RefusedKey) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func refusedFor(err error, what string) bool {
	var refused *RefusedError
	return errors.As(err, &refused) && refused.What == what
}

// TestSigned: a signature holds for one kind, one key and one body, also after the text was passed on.
func TestSigned(t *testing.T) {
	key, err := LoadKey(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := LoadKey(filepath.Join(t.TempDir(), "key"))
	if err != nil {
		t.Fatal(err)
	}
	signed := func() *Signed {
		s, err := Sign(key, KindResult, Result{Trial: "t", Reason: "a <b> & \u2028 ü"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	text, err := json.Marshal(Message{ID: "t", Result: signed()})
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{text, indented.Bytes()} {
		var m Message
		var r Result
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		if err := m.Result.Read(KindResult, &r); err != nil || r.Reason != "a <b> & \u2028 ü" {
			t.Errorf("%q, %v", r.Reason, err)
		}
		if err := m.Result.Read(KindTrial, &Trial{}); !refusedFor(err, RefusedSignature) {
			t.Errorf("a result as a trial: %v", err)
		}
	}
	for what, change := range map[string]func(s *Signed) *Signed{
		RefusedSignature: func(s *Signed) *Signed { s.Body = bytes.Replace(s.Body, []byte("ü"), []byte("u"), 1); return s },
		RefusedKey:       func(s *Signed) *Signed { s.Key = "x"; return s },
		RefusedText:      func(s *Signed) *Signed { return nil },
	} {
		if err := change(signed()).Read(KindResult, &Result{}); !refusedFor(err, what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	s := signed()
	s.Key = PublicKey(other)
	if err := s.Read(KindResult, &Result{}); !refusedFor(err, RefusedSignature) {
		t.Errorf("another key: %v", err)
	}
}

// TestServe: trials are tried in their order, a withdrawn one has no result whether it waits or runs,
// and the end of the input ends the one in progress.
func TestServe(t *testing.T) {
	in, send := io.Pipe()
	receive, out := io.Pipe()
	started := make(chan string)
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(t.Context(), in, out, func(ctx context.Context, m Message) (Message, error) {
			started <- m.ID
			if strings.HasPrefix(m.ID, "slow") {
				<-ctx.Done()
				return Message{}, ctx.Err()
			}
			return Message{ID: m.ID, Result: &Signed{Body: []byte("1")}}, nil
		})
	}()
	write := json.NewEncoder(send)
	for _, m := range []Message{{ID: "slow1"}, {ID: "a"}, {ID: "b"}, {ID: "c"}, {ID: "b", Withdrawn: true}, {ID: "none", Withdrawn: true}} {
		if err := write.Encode(m); err != nil {
			t.Fatal(err)
		}
		if m.ID == "slow1" {
			<-started
		}
	}
	if err := write.Encode(Message{ID: "slow1", Withdrawn: true}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for d := json.NewDecoder(receive); len(got) < 2; {
		<-started
		var m Message
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		got = append(got, m.ID)
	}
	if !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("results of %v", got)
	}
	if err := write.Encode(Message{ID: "slow2"}); err != nil {
		t.Fatal(err)
	}
	<-started
	send.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := Serve(t.Context(), strings.NewReader("{\"id\":"), io.Discard, nil); err == nil {
		t.Error("half a message is no error")
	}
	if err := Serve(t.Context(), strings.NewReader("hello\n"), io.Discard, nil); err == nil {
		t.Error("text is no error")
	}
}

// TestPipe: a program that is a queue is asked and answers; one that ends, writes something else or is
// missing is an error that names it.
func TestPipe(t *testing.T) {
	if _, err := Start(io.Discard, filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing program starts")
	}
	q, err := Start(io.Discard, "cat")
	if err != nil {
		t.Skip(err)
	}
	if err := q.Send(Message{ID: "x", Attempt: 2}); err != nil {
		t.Fatal(err)
	}
	if m, err := q.Receive(t.Context()); err != nil || m.ID != "x" || m.Attempt != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Receive(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	for script, want := range map[string]string{"exit 3": "has ended", "echo hello; cat": "does not write messages"} {
		q, err := Start(io.Discard, "sh", "-c", script)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := q.Receive(t.Context()); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "sh") {
			t.Errorf("%s: %v", script, err)
		}
		if err := q.Close(); (err != nil) != (script == "exit 3") {
			t.Errorf("%s: closed: %v", script, err)
		}
	}
}

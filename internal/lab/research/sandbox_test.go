package research

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/bubblewrap"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestSandbox: a proposer in a sandbox reads and edits its worktree and sees nothing else of the
// session.
func TestSandbox(t *testing.T) {
	b := newBench(t)
	c := b.texts()
	b.write(b.side, map[string]string{"hidden/secret": "42\n", "mine/file": "x\n", "propose.sh": `set -u
[ $RESEARCH_INDEX = 0 ] || exit 3
bad() { echo '{"description": "'"$1"'"}' > "$RESEARCH_OUT/proposal.json"; exit 0; }
[ -e "$SIDE/hidden/secret" ] && bad "sees the hidden checks"
[ -e "$(git rev-parse --path-format=absolute --git-common-dir)/research/fixture/log.jsonl" ] && bad "sees the log"
git log -1 --format=%s | grep -q texts || bad "git does not read"
(echo > "$REPO/a.txt") 2>/dev/null # into the empty /tmp that this repository stands in: looked at below
git update-ref refs/heads/research/fixture HEAD~0 2>/dev/null && git update-ref refs/heads/mine HEAD 2>/dev/null && bad "writes refs"
(echo > /etc/gyr-research-test) 2>/dev/null && bad "writes the machine"
grep -q '"metrics"' "$RESEARCH_BRIEF" || bad "has no brief"
echo y > "$SIDE/mine/file" || bad "does not write what is writable"
sleep 1000 &
echo short > a.txt
bad good
`})
	t.Setenv("REPO", b.repo)
	c.Hidden = &Hidden{Dir: filepath.Join(b.side, "hidden"), Run: []string{"test", "-e", "secret"}}
	c.Parallel.Propose = 1
	c.Proposer.Sandbox, c.Proposer.Writable = true, []string{"mine"}
	c.Proposer.Run = []string{"sh", "-c", string(read(t, filepath.Join(b.side, "propose.sh")))}
	if err := c.checkSandbox(); err != nil {
		t.Skip(err)
	}
	before := b.checkout()
	_, rows := b.run(c)
	if len(rows) != 1 || rows[0].Verdict != ledger.VerdictKeep || rows[0].Description != "good" {
		t.Errorf("%+v", rows[0])
	}
	if text := read(t, filepath.Join(b.side, "mine/file")); string(text) != "y\n" {
		t.Errorf("the writable file is %q", text)
	}
	if b.checkout() != before {
		t.Error("the user's checkout changed")
	}
}

// TestNoSandbox: on a machine without a sandbox, a session that asks for one does not begin.
func TestNoSandbox(t *testing.T) {
	b := newBench(t)
	c := b.texts()
	c.Proposer.Sandbox = true
	git := b.side + "/bin"
	b.write(git, map[string]string{"git": "#!/bin/sh\n"})
	t.Setenv("PATH", git)
	if err := c.checkSandbox(); !errors.Is(err, bubblewrap.Err) {
		t.Errorf("error %v", err)
	}
	if _, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}}); !errors.Is(err, bubblewrap.Err) {
		t.Errorf("error %v", err)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

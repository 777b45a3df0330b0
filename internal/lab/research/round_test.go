package research

import (
	"os"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// proposeText is a proposer of four changes of text files, chosen by its index. The first three
// wait until all of them have started, so they end only if they run at the same time. The third one
// conflicts with the first. When it is asked again, it shortens another file.
const proposeText = `i=$RESEARCH_INDEX
touch "$SIDE/started.$i"
if [ $i -lt 3 ]; then
	while [ $(ls "$SIDE" | grep -c started) -lt 3 ]; do sleep 0.01; done
fi
case $i in
0) echo short > a.txt;;
1) echo short > b.txt;;
2) if grep -q '"stale"' "$RESEARCH_BRIEF"; then
	grep -q '^-a long' "$RESEARCH_OUT/stale.patch" && echo short > c.txt
else
	echo shorter > a.txt
fi;;
3) rm d.txt;;
*) exit 3;;
esac
echo '{"description": "'$i'", "cost": {"usd": 0.5}}' > "$RESEARCH_OUT/proposal.json"
`

// texts makes a repository of four text files. The objective is their length. It needs no go
// command.
func (b *bench) texts() *Config {
	b.t.Helper()
	b.git("rm", "-rq", ".")
	files := map[string]string{"measure.sh": "echo METRIC bytes=$(cat *.txt | wc -c)\n"}
	for _, name := range []string{"a", "b", "c", "d"} {
		files[name+".txt"] = strings.Repeat(name+" long line\n", 9)
	}
	b.write(b.repo, files)
	b.git("add", "-A")
	b.git("commit", "-qm", "texts")
	b.write(b.side, map[string]string{"propose.sh": proposeText})
	b.t.Setenv("SIDE", b.side)
	return b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "bytes", "from": "command", "run": []string{"sh", "measure.sh"}, "goal": "min", "class": "exact"}}
		c["battery"] = []any{}
		c["proposer"] = map[string]any{"kind": "command", "run": []string{"sh", b.side + "/propose.sh"}}
		c["parallel"] = map[string]any{"propose": 3}
	})
}

// TestParallel: three proposers work at once. After the first one's keep the others are applied to
// the new tip. A proposal that does not apply is made again.
func TestParallel(t *testing.T) {
	b := newBench(t)
	c := b.texts()
	stopped, rows := b.run(c)
	if stopped.Reason != "exhausted" || len(rows) != 4 {
		t.Fatalf("%+v, %d rows", stopped, len(rows))
	}
	parent := b.git("rev-parse", "main")
	for i, r := range rows {
		if r.Verdict != ledger.VerdictKeep || r.Run != i+2 || r.Description != jsonNumber(float64(i)) || r.Parent != parent {
			t.Errorf("run %d, %q on %.7s, not %.7s: %s: %s", r.Run, r.Description, r.Parent, parent, r.Verdict, r.Reason)
		}
		parent = r.Object
	}
	if files := rows[2].Files; len(files) != 1 || files[0] != "c.txt" {
		t.Errorf("what was asked again changes %v", files)
	}
	if rows[2].Cost.USD != 1 || rows[1].Cost.USD != 0.5 {
		t.Errorf("costs %+v, %+v", rows[1].Cost, rows[2].Cost)
	}
	if list := b.git("worktree", "list"); strings.Contains(list, "\n") {
		t.Errorf("worktrees are left:\n%s", list)
	}
}

// TestParallelCheat: a proposal of a round that touches the session is refused, and so are those
// not taken yet.
func TestParallelCheat(t *testing.T) {
	b := newBench(t)
	c := b.texts()
	b.write(b.side, map[string]string{"propose.sh": "[ $RESEARCH_INDEX -gt 1 ] && exit 3\n[ $RESEARCH_INDEX = 1 ] && git update-ref refs/heads/research/fixture $(git commit-tree -m mine HEAD^{tree})\ntouch \"$SIDE/started.$RESEARCH_INDEX\"\nwhile ! [ -e \"$SIDE/started.1\" ]; do sleep 0.01; done\necho $RESEARCH_INDEX > a.txt\n"})
	_, rows := b.run(c)
	if len(rows) != 2 || rows[0].Verdict != ledger.VerdictScope || rows[1].Verdict != ledger.VerdictScope || !strings.Contains(rows[1].Reason, "refs/heads/research/fixture, or another one of its round did") {
		t.Errorf("%+v", rows)
	}
	if b.git("rev-parse", "research/fixture") != b.git("rev-parse", "main") {
		t.Error("the branch moved")
	}
}

// TestOnceAlone: a single proposal is not made in a round, even if the config asks for rounds.
func TestOnceAlone(t *testing.T) {
	b := newBench(t)
	s := b.open(b.texts())
	row, err := s.Once(t.Context(), []string{"sh", "-c", "echo short > a.txt"})
	if err != nil || row.Verdict != ledger.VerdictKeep || s.state.pending != nil || s.state.next != row.Run+1 {
		t.Errorf("%+v, %v; the next is %d", row, err, s.state.next)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestKillParallel kills a session whose proposers work in rounds.
func TestKillParallel(t *testing.T) {
	kills := 2
	if *long {
		kills = 50
	}
	b := newBench(t)
	c := b.texts()
	b.kill(c, kills)
	if text, err := os.ReadFile(b.repo + "/a.txt"); err != nil || !strings.HasPrefix(string(text), "a long") {
		t.Errorf("the user's file is %q, %v", text, err)
	}
}

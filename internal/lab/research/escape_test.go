//go:build linux

package research

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/bubblewrap"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestEscape: a program that a candidate's check runs in the box tries every known way out and
// finds none, whoever started the session and whatever user namespaces exist. Without the box it
// finds some.
func TestEscape(t *testing.T) {
	byTurns(t)
	how, err := sandboxWorks()
	if err != nil {
		t.Skip(err)
	}
	t.Logf("bubblewrap here: %s", how)
	program := filepath.Join(t.TempDir(), "escape")
	build := exec.Command("go", "build", "-o", program, "./testdata/escape")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, how := range isolations {
		for _, user := range []string{"", "nobody"} {
			name := fmt.Sprintf("%s/%d", cmp.Or(user, "self"), i)
			t.Run(name, func(t *testing.T) {
				if os.Geteuid() != 0 && user != "" {
					t.Skip("only root starts sessions of another user")
				}
				if how.Filtered = bubblewrap.CanFilter(); user == "" && how.Try() != nil {
					t.Skipf("not to be had here: %v", how.Try())
				}
				if user != "" && !how.OwnUsers() {
					t.Skip("root alone does without a user namespace")
				}
				escape(t, program, user, i)
			})
		}
	}
	t.Run("open", func(t *testing.T) {
		if r := escape(t, program, "", -1); r == nil || !strings.Contains(fmt.Sprint(r.Battery), "OUT ") {
			t.Errorf("no way out is found without a box: %+v", r)
		}
	})
}

// isolationTried is the variable that makes a test's session try isolations from one on.
const isolationTried = "GYR_RESEARCH_ISOLATION"

// escape runs a session with one candidate, as a user, with one isolation; -1: without a box.
func escape(t *testing.T, program, user string, level int) *ledger.Row {
	const secret = "s3cr3t-of-the-user"
	b := newBench(t)
	home, top := filepath.Join(b.side, "home"), filepath.Dir(b.repo)
	for dir := top; len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	given := []string{"secret=" + secret, "link=../can/.git", "pid=" + fmt.Sprint(os.Getpid())}
	if level > 0 {
		given = append(given, "userns=inside") // this box cannot forbid user namespaces
	}
	if level >= 0 && !isolations[level].OwnUsers() {
		given = append(given, "userns=none")
	}
	for _, kind := range []string{"mnt", "pid", "net", "ipc", "uts", "user", "cgroup"} {
		ns, err := os.Readlink("/proc/self/ns/" + kind)
		if err != nil {
			continue
		}
		given = append(given, "ns="+ns)
	}
	// Files, and the repository's own configuration.
	b.write(home, map[string]string{".netrc": secret, ".config/gh/hosts.yml": secret})
	b.write(b.side, map[string]string{"hidden/hidden_test.go": secret, "other/f": secret})
	b.git("config", "http.extraheader", "Authorization: "+secret)
	given = append(given, "read="+home+"/.netrc", "read="+home+"/.config/gh/hosts.yml", "read="+b.side+"/hidden/hidden_test.go", "read="+b.side+"/other/f",
		"read="+b.repo+"/.git/config", "see="+b.repo+"/.git/research/escape/log.jsonl", "see="+b.repo+"/render.go")
	host := []string{b.repo, b.side, home, top} // the box may have empty ones of these
	for _, dir := range host {
		given = append(given, "host="+dir)
	}
	reached := make(chan string, 100)
	defer func() {
		if level >= 0 && len(reached) > 0 {
			t.Errorf("it reached %q", <-reached)
		}
		for _, dir := range host {
			if _, err := os.Stat(filepath.Join(dir, "escaped")); err == nil && level >= 0 {
				t.Errorf("it wrote to %s", dir)
			}
		}
	}()
	for _, dir := range []string{b.repo + "/.git/hooks", b.repo + "/.git/objects", b.repo + "/.git/refs/heads", "../par", "../can.bin", ".."} {
		given = append(given, "write="+dir)
	}
	for _, name := range []string{"GOROOT", "GOCACHE", "GOMODCACHE"} {
		given = append(given, "system="+goEnv(t, name))
	}
	// Sockets: in a directory, in /run if this user may make one there, abstract, and of the
	// network.
	listen := func(network, addr string) string {
		l, err := net.Listen(network, addr)
		if err != nil {
			return ""
		}
		if network == "unix" && addr[0] == '/' {
			os.Chmod(addr, 0o777)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				reached <- addr
				c.Close()
			}
		}()
		return l.Addr().String()
	}
	for _, addr := range []string{b.side + "/s.sock", fmt.Sprintf("/run/gyr-escape-%d.sock", os.Getpid()), fmt.Sprintf("/var/tmp/gyr-escape-%d.sock", os.Getpid()),
		fmt.Sprintf("@gyr-escape-%d-%d", os.Getpid(), level)} {
		if listen("unix", addr) != "" {
			given = append(given, "unix="+addr)
		}
	}
	given = append(given, "tcp="+listen("tcp", "127.0.0.1:0"))
	c := b.config(func(c map[string]any) {
		byText(c)
		c["name"], c["session"] = "escape", "escape"
		c["sandbox"], c["visible"] = sandboxRequire, []string{program}
		if level < 0 {
			c["sandbox"] = sandboxOff
		}
		c["hidden"] = map[string]any{"dir": "hidden", "run": []string{"true"}}
		c["stop"] = map[string]any{"experiments": 1}
		c["risk"] = map[string]any{"off": []string{"mutation", "differential"}}
		c["scope"] = map[string]any{"allow": []string{"*.go"}}
		c["battery"] = []any{map[string]any{"name": "escape", "run": []string{"sh", "-c",
			// The base passes as it is. A candidate says whether it is outside of its box.
			`grep -q Itoa number.go || exit 0; exec "$@"`, "sh", program}}}
		run := c["battery"].([]any)[0].(map[string]any)
		run["run"] = append(run["run"].([]string), given...)
	})
	b.write(b.side, map[string]string{"patches/1.patch": fixturePatches[0].patch(t)})
	t.Setenv("ESCAPE_SECRET", secret)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("HOME", home)
	// A directory of the machine that is left open for all child processes.
	if fd, err := syscall.Open("/", syscall.O_RDONLY|syscall.O_DIRECTORY, 0); err != nil {
		t.Fatal(err)
	} else {
		defer syscall.Close(fd)
	}
	if user == "" {
		if level >= 0 {
			defer onlyIsolation(level)()
		}
		_, rows := b.run(c)
		return b.escaped(rows, level)
	}
	// The session of an ordinary user, with a copy of this program, as that user may not see its
	// directory.
	self := filepath.Join(top, "self")
	text := read(t, "/proc/self/exe")
	if err := os.WriteFile(self, text, 0o755); err != nil {
		t.Fatal(err)
	}
	visible := filepath.Join(top, "escape")
	if err := os.WriteFile(visible, read(t, program), 0o755); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(b.side, "research.json")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(string(read(t, config)), program, visible)), 0o666); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	filepath.WalkDir(top, func(path string, _ os.DirEntry, _ error) error { return os.Lchown(path, nobody, nobody) })
	cmd := exec.Command(self)
	cmd.Dir = b.repo
	cmd.Env = append(os.Environ(), childDir+"="+b.repo, fmt.Sprintf("%s=%d", isolationTried, level), "GOCACHE="+top+"/cache/go", "GOMODCACHE="+top+"/cache/mod", "GOPATH="+top+"/cache/path")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "needs bubblewrap") {
		t.Skipf("an ordinary user has no sandbox here, or no session: %v: %s", err, out)
	}
	t.Logf("%s", out)
	repo := &gitx.Repo{Top: b.repo, Common: filepath.Join(b.repo, ".git")}
	lines, err := ledger.ReadFile(LogFile(repo, c.Session))
	if err != nil {
		t.Fatal(err)
	}
	rows := ledger.Rows(lines)
	return b.escaped(rows[min(1, len(rows)):], level)
}

// escaped checks the row of the only candidate.
func (b *bench) escaped(rows []*ledger.Row, level int) *ledger.Row {
	b.t.Helper()
	if len(rows) != 1 {
		b.t.Fatalf("%d rows", len(rows))
	}
	r := rows[0]
	if level < 0 {
		return r
	}
	i := slices.IndexFunc(r.Battery, func(k ledger.Check) bool { return k.Name == "escape" })
	if r.Sandbox != sandboxName || i < 0 {
		b.t.Fatalf("%s: %s: %+v", r.Sandbox, r.Reason, r.Battery)
	}
	if k := r.Battery[i]; k.Status != pass {
		b.t.Errorf("it left the box: %s", k.Detail)
	}
	return r
}

// onlyIsolation makes sessions try isolations from one on, until the returned function is called.
func onlyIsolation(level int) func() {
	all := isolations
	isolations = isolations[level:]
	forget := func() { tried = sync.Map{} }
	forget()
	return func() { isolations = all; forget() }
}

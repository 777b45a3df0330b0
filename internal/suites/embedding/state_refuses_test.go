package embedding_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

const outsideLibrary = `package lib

import "os"

type Conn struct{ n uint64 }

var kept []Conn

func Keep(c Conn) int { kept = append(kept, c); return len(kept) }

func Read(name string) (string, error) { b, err := os.ReadFile(name); return string(b), err }

func Add(a, b int) int { return a + b }
`

// TestStateOutside: resources that an instance has from its host are in no state. If the guest uses
// them, the state is refused and the error names them. Otherwise the state is restored, and the
// host may grant other resources.
func TestStateOutside(t *testing.T) {
	ctx := t.Context()
	p := compileWithState(t, outsideLibrary)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("of the host"), 0o600); err != nil {
		t.Fatal(err)
	}
	dirs := gyr.Config{Dirs: []gyr.Dir{{Host: dir, Guest: "/granted"}}}
	copies := gyr.Config{Dirs: []gyr.Dir{{Host: dir, Guest: "/granted", Copy: true}}}
	mounts := gyr.Config{Mounts: []gyr.Mount{{Guest: "/mounted", FS: fstest.MapFS{"file": {Data: []byte("of the mount")}}}}}
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no") }
	network := gyr.Config{Dial: dial}
	for _, tier := range tiers() {
		for _, c := range []struct {
			name string
			cfg  gyr.Config
			do   func(in *gyr.Instance)
			want string // of the refusal; "": none
		}{
			{"a handle", gyr.Config{}, func(in *gyr.Instance) {
				var keep func(gyr.Handle[*conn]) (int, error)
				if err := in.Bind(ctx, "Keep", &keep); err != nil {
					t.Fatal(err)
				}
				if _, err := keep(gyr.NewHandle(&conn{name: "a"})); err != nil {
					t.Fatal(err)
				}
			}, "handles of 1 objects of the host, the first one a *embedding_test.conn"},
			{"a handle of nothing", gyr.Config{}, func(in *gyr.Instance) {
				var keep func(gyr.Handle[*conn]) (int, error)
				if err := in.Bind(ctx, "Keep", &keep); err != nil {
					t.Fatal(err)
				}
				if _, err := keep(gyr.Handle[*conn]{}); err != nil {
					t.Fatal(err)
				}
			}, ""},
			{"a network", network, func(*gyr.Instance) {}, "a network (Config.Dial, Config.Listen)"},
			{"the machine's clock", gyr.Config{Realtime: true}, func(*gyr.Instance) {}, "its clock is the machine's"},
			{"the machine's random numbers", gyr.Config{RealRandom: true}, func(*gyr.Instance) {}, "its random numbers are the machine's"},
			{"a granted directory, of which nothing stays", dirs, func(in *gyr.Instance) { do(t, in, "Read", "/granted/file") }, ""},
			{"a copy of one", copies, func(in *gyr.Instance) { do(t, in, "Read", "/granted/file") }, "/granted (Config.Dirs"},
			{"one that nobody has looked at", dirs, func(in *gyr.Instance) { do(t, in, "Add", 1, 2) }, ""},
			{"a mount", mounts, func(in *gyr.Instance) { do(t, in, "Read", "/mounted/file") }, "/mounted (Config.Mounts"},
			{"one that nobody has looked at", mounts, func(in *gyr.Instance) { do(t, in, "Add", 1, 2) }, ""},
		} {
			c.cfg.Tier = tier
			in := newInstance(t, p, c.cfg)
			do(t, in, "Add", 1, 2)
			c.do(in)
			_, err := in.State(ctx)
			if c.want == "" {
				if err != nil {
					t.Errorf("%s, %s: %v", tier, c.name, err)
					continue
				}
				root, saved := kept(t, in)
				for _, cfg := range []gyr.Config{c.cfg, {Tier: tier}, dirs, mounts} {
					again, err := p.Restore(ctx, cfg, root, saved)
					if len(cfg.Dirs) != len(c.cfg.Dirs) {
						if again != nil || !errors.As(err, new(*gyr.StateError)) || !strings.Contains(err.Error(), "/granted") {
							t.Errorf("%s, %s: Restore with other directories: %v", tier, c.name, err)
						}
						continue
					}
					if err != nil {
						t.Errorf("%s, %s: Restore: %v", tier, c.name, err)
						continue
					}
					if x, _ := kept(t, again); x != root {
						t.Errorf("%s, %s: restored, it has another root", tier, c.name)
					}
					for _, name := range []string{"/granted/file", "/mounted/file"} {
						granted := name == "/granted/file" && len(cfg.Dirs) > 0 || name == "/mounted/file" && len(cfg.Mounts) > 0
						if _, err := again.Call(ctx, "Read", name); (err == nil) != granted {
							t.Errorf("%s, %s: %s behind Restore: %v", tier, c.name, name, err)
						}
					}
					again.Close()
				}
				continue
			}
			var refused *gyr.TransactionError
			if !errors.As(err, &refused) || refused.Op != "State" || !strings.Contains(refused.Reason, c.want) {
				t.Errorf("%s, %s: %v\nwant %s", tier, c.name, err, c.want)
			}
			if got := do(t, in, "Add", 1, 2); got[0] != 3 {
				t.Errorf("%s, %s: the instance does not go on: %v", tier, c.name, got)
			}
		}
		// A state cannot be restored with a network either.
		root, saved := kept(t, newInstance(t, p, gyr.Config{Tier: tier}))
		if in, err := p.Restore(ctx, gyr.Config{Tier: tier, Dial: dial}, root, saved); in != nil || !errors.As(err, new(*gyr.TransactionError)) {
			t.Errorf("Restore with a network: %v", err)
		}
	}
}

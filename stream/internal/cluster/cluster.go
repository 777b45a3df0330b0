// Package cluster runs a JetStream cluster for tests, each server a process, so that a test can kill
// it. A server is the test's own binary, with nats-server inside: [Main], called first in TestMain,
// runs it.
package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const env = "GYR_STREAM_TEST_SERVER"

// config is what a server's process gets.
type config struct {
	Name, Dir     string
	Port, Cluster int
	Routes        []string
}

// Main runs a server if the process was started for one, and does not return then.
func Main() {
	text := os.Getenv(env)
	if text == "" {
		return
	}
	if err := serve(text); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
	select {}
}

func serve(text string) error {
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	o := &server.Options{ServerName: c.Name, Host: "127.0.0.1", Port: c.Port, JetStream: true, StoreDir: c.Dir, NoSigs: true,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: 8 << 30, LogFile: filepath.Join(c.Dir, "log"), MaxPayload: 1 << 20}
	if len(c.Routes) > 0 {
		o.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: c.Cluster}
		for _, r := range c.Routes {
			u, err := url.Parse(r)
			if err != nil {
				return err
			}
			o.Routes = append(o.Routes, u)
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	go s.Start()
	// A server ends with the test, however the test ends.
	go func() {
		for parent := os.Getppid(); os.Getppid() == parent; {
			time.Sleep(200 * time.Millisecond)
		}
		os.Exit(0)
	}()
	return nil
}

// A Cluster is a number of servers.
type Cluster struct {
	configs []config
	cmds    []*exec.Cmd
	URL     string
}

// Start starts n servers below a directory and waits until they have a leader.
func Start(ctx context.Context, dir string, n int) (*Cluster, error) {
	c := &Cluster{cmds: make([]*exec.Cmd, n)}
	ports, err := FreePorts(2 * n)
	if err != nil {
		return nil, err
	}
	var urls, routes []string
	for i := range n {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
		if n > 1 {
			routes = append(routes, fmt.Sprintf("nats-route://127.0.0.1:%d", ports[n+i]))
		}
	}
	for i := range n {
		name := fmt.Sprintf("s%d", i)
		c.configs = append(c.configs, config{name, filepath.Join(dir, name), ports[i], ports[n+i], routes})
		if err := os.MkdirAll(c.configs[i].Dir, 0o755); err != nil {
			return nil, err
		}
	}
	c.URL = strings.Join(urls, ",")
	for i := range n {
		if err := c.Restart(i); err != nil {
			c.Stop()
			return nil, err
		}
	}
	if err := c.Ready(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// FreePorts returns ports of localhost that nobody listens at.
func FreePorts(n int) (ports []int, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// Servers returns the number of servers.
func (c *Cluster) Servers() int { return len(c.configs) }

// Restart starts a server that does not run.
func (c *Cluster) Restart(i int) error {
	b, err := json.Marshal(c.configs[i])
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), env+"="+string(b), "GOMAXPROCS=2")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	c.cmds[i] = cmd
	return nil
}

// Kill ends a server at once (SIGKILL).
func (c *Cluster) Kill(i int) {
	if cmd := c.cmds[i]; cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		c.cmds[i] = nil
	}
}

// Stop ends all servers.
func (c *Cluster) Stop() {
	for i := range c.cmds {
		c.Kill(i)
	}
}

// ProcessorTime returns the processor time that the servers have used. The system counts it in ticks of
// 10 ms, and is Linux.
func (c *Cluster) ProcessorTime() (sum time.Duration, err error) {
	for _, cmd := range c.cmds {
		if cmd == nil {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			return 0, err
		}
		// The fields after the command's name, which is in parentheses, begin with the third.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		for _, f := range fields[11:13] { // user and system time
			ticks, err := strconv.Atoi(f)
			if err != nil {
				return 0, err
			}
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum, nil
}

// Ready waits until a stream with as many replicas as servers, READY, can be made and takes a message.
func (c *Cluster) Ready(ctx context.Context) error {
	nc, err := c.Connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	for {
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		_, err = js.CreateOrUpdateStream(try, jetstream.StreamConfig{Name: "READY", Subjects: []string{"ready"}, Replicas: len(c.configs)})
		if err == nil {
			_, err = js.Publish(try, "ready", nil)
		}
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// Connect connects to the servers, and again whenever the connection breaks.
func (c *Cluster) Connect() (*nats.Conn, error) {
	return nats.Connect(c.URL, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.RetryOnFailedConnect(true), nats.ReconnectJitter(20*time.Millisecond, 20*time.Millisecond))
}

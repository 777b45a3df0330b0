package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/lab/research"
	"github.com/gyrvm/gyr/internal/lab/research/queue"
	"github.com/gyrvm/gyr/internal/tools/goflags"
)

// This file has what gyr research does with workers: the verbs workers and worker, and the flag
// that leads to a queue.

// newWorkersFlag registers the flag of verbs that run a session.
func newWorkersFlag(fs *researchFlags) *string {
	return fs.String("workers", "", "have workers check and measure the candidates: the `command` leads to them, such as\n"+
		"\"gyr-stream research-queue NAME\", or is one, such as \"ssh HOST gyr research worker\"; default none")
}

// openQueue starts the command of -workers.
func openQueue(command string) (queue.Queue, error) {
	words, err := goflags.Split(command)
	if err == nil && len(words) == 0 {
		err = errors.New("no command")
	}
	if err != nil {
		return nil, usageError{"-workers: " + err.Error()}
	}
	return queue.Start(stderr, words[0], words[1:]...)
}

func researchWorkers(c *command, args []string) error {
	fs := newResearchFlags(c)
	add := fs.String("add", "", "admit the worker with this public `key`, which gyr research worker -show prints there")
	name := fs.String("name", "", "`name` of the worker that is admitted, for rows")
	remove := fs.String("remove", "", "remove the `worker` with this name or key; its results in the log stay")
	config, err := fs.config(args)
	if err != nil {
		return err
	}
	if (*add == "") != (*name == "") || *add != "" && *remove != "" {
		return usageError{"research workers: -add goes with -name, and not with -remove\nusage: gyr " + c.name + " " + c.usage}
	}
	return withSession(config, false, func(_ context.Context, s *research.Session) error {
		switch {
		case *add != "":
			return s.AddWorker(*add, *name)
		case *remove != "":
			return s.RemoveWorker(*remove)
		}
		key, err := s.PublicKey()
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%-16s %s\n", "this session", key)
		list := s.Workers()
		for _, key := range slices.SortedFunc(maps.Keys(list), func(a, b string) int { return strings.Compare(list[a], list[b]) }) {
			fmt.Fprintf(stdout, "%-16s %s\n", list[key], key)
		}
		return nil
	})
}

func researchWorker(c *command, args []string) error {
	fs := c.flags()
	file := fs.String("key", "", "`file` with the worker's private key, which is made if it is missing; default gyr/worker.key in the user's configuration")
	from := fs.String("from", "", "take only trials of the session with this public `key`, which gyr research workers prints there; default any")
	unboxed := fs.Bool("unboxed", false, "also take trials of a session that runs candidates without bubblewrap")
	show := fs.Bool("show", false, "print the worker's public key, and end")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if *file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return err
		}
		*file = filepath.Join(dir, "gyr", "worker.key")
	}
	key, err := queue.LoadKey(*file)
	if err != nil {
		return err
	}
	if *from != "" {
		if _, err := queue.ParseKey(*from); err != nil {
			return usageError{"-from: " + err.Error()}
		}
	}
	if *show {
		fmt.Fprintln(stdout, queue.PublicKey(key))
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	w := &research.Worker{Dir: ".", Key: key, From: *from, Unboxed: *unboxed, Version: gyr.Version,
		Determinism: gyr.DeterminismVersion, Out: stderr}
	err = queue.Serve(ctx, os.Stdin, stdout, w.Try)
	return errors.Join(err, w.Close())
}

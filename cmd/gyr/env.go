package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/engine"
)

var envCmd = &command{
	name:  "env",
	usage: "[-json] [NAME...]",
	short: "print what is in force",
	long: `Env prints the engine's versions, what executes code by default, the Go installation whose library is used, the
standard library that is built in, the cache directory and what is in it, and the limits that apply by default.`,
	run: env,
}

func env(c *command, args []string) error {
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print one JSON object")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	goroot, err := selectGo()
	release := ""
	if err == nil {
		var installed gyr.Installation
		installed, err = gyr.FindGo(goroot)
		goroot, release = installed.GOROOT, installed.Release
	}
	if err != nil {
		release = "none: " + err.Error()
	}
	cache, cacheText := cacheStatus()
	dir, _ := cacheDir("")
	tier, status := gyr.TierNative, "in use"
	if err := noNative(context.Background(), dir); err != nil {
		tier, status = gyr.TierInterp, strings.TrimPrefix(err.Error(), "gyr: ")
	}
	rows := [][2]string{
		{"GYR_VERSION", gyr.Version},
		{"GYR_DETERMINISM_VERSION", fmt.Sprint(gyr.DeterminismVersion)},
		{"GYR_GAS_TABLE_VERSION", fmt.Sprint(gyr.GasTableVersion)},
		{"GYR_TIER", string(tier)},
		{"GYR_TIER_STATUS", status},
		{"GOROOT", goroot},
		{"GOVERSION", release},
		{"GYR_STD", stdStatus()},
		{"HOST", runtime.GOOS + "/" + runtime.GOARCH},
		{cacheVar, cache},
		{"GYR_CACHE_STATUS", cacheText},
		{"DEFAULT_MEM", fmt.Sprint(gyr.DefaultMemory)},
		{"DEFAULT_STACK", fmt.Sprint(gyr.DefaultStack)},
	}
	if rows, err = namedRows(rows, fs.Args()); err != nil {
		return err
	}
	if *asJSON {
		m := map[string]string{}
		for _, r := range rows {
			m[r[0]] = r[1]
		}
		return printJSON(m)
	}
	for _, r := range rows {
		if fs.NArg() > 0 {
			fmt.Fprintln(stdout, r[1])
		} else {
			fmt.Fprintf(stdout, "%s=%q\n", r[0], r[1])
		}
	}
	return nil
}

// namedRows returns the rows of the given names, in the order of the names, or all rows without
// names.
func namedRows(rows [][2]string, names []string) (named [][2]string, err error) {
	if len(names) == 0 {
		return rows, nil
	}
	var known []string
	for _, r := range rows {
		known = append(known, r[0])
	}
	for _, n := range names {
		i := slices.Index(known, n)
		if i < 0 {
			return nil, usageError{fmt.Sprintf("env: there is no %q%s; gyr env prints all names", n, didYouMean(n, "", slices.Clone(known)))}
		}
		named = append(named, rows[i])
	}
	return named, nil
}

// printJSON prints an object on standard output.
func printJSON(v any) error {
	b, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	_, err = stdout.Write(append(b, '\n'))
	return err
}

// stdStatus says which standard library is built into the command.
func stdStatus() string {
	if embeddedStd == nil {
		return "none"
	}
	info, err := engine.StdInfoOf(embeddedStd)
	if err != nil {
		return err.Error()
	}
	return info.Release + " " + info.ID
}

// cacheStatus returns the cache directory in force and a remark about it.
func cacheStatus() (dir, status string) {
	dir, _ = cacheDir("")
	if dir == "" {
		return "off", "off"
	}
	n, bytes, err := gyr.CacheDir(dir).Usage()
	if _, missing := os.Stat(dir); missing == nil && err == nil {
		err = gyr.CacheDir(dir).Check()
	}
	if err != nil {
		return dir, "not used: " + err.Error()
	}
	return dir, fmt.Sprintf("%d entries, %d bytes", n, bytes)
}

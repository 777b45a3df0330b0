package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"

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
	goroot, release, err := engine.FindGo("")
	if err != nil {
		release = "none: " + err.Error()
	}
	cache, cacheText := cacheStatus()
	tier, status := engine.DefaultTier, "in use"
	if err := engine.CheckNative(); err != nil {
		tier, status = engine.TierInterp, strings.TrimPrefix(err.Error(), "gyr: ")
	}
	rows := [][2]string{
		{"GYR_VERSION", engine.Version},
		{"GYR_DETERMINISM_VERSION", fmt.Sprint(engine.DeterminismVersion)},
		{"GYR_GAS_TABLE_VERSION", fmt.Sprint(engine.GasTableVersion)},
		{"GYR_TIER", string(tier)},
		{"GYR_TIER_STATUS", status},
		{"GOROOT", goroot},
		{"GOVERSION", release},
		{"GYR_STD", stdStatus()},
		{"HOST", runtime.GOOS + "/" + runtime.GOARCH},
		{cacheVar, cache},
		{"GYR_CACHE_STATUS", cacheText},
		{"DEFAULT_MEM", fmt.Sprint(engine.DefaultMemory)},
		{"DEFAULT_STACK", fmt.Sprint(engine.DefaultStack)},
	}
	if fs.NArg() > 0 {
		byName := map[string]string{}
		for _, r := range rows {
			byName[r[0]] = r[1]
		}
		for _, n := range fs.Args() {
			fmt.Fprintln(stdout, byName[n])
		}
		return nil
	}
	if *asJSON {
		m := map[string]string{}
		for _, r := range rows {
			m[r[0]] = r[1]
		}
		b, _ := json.MarshalIndent(m, "", "\t")
		stdout.Write(append(b, '\n'))
		return nil
	}
	for _, r := range rows {
		fmt.Fprintf(stdout, "%s=%q\n", r[0], r[1])
	}
	return nil
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

// cacheStatus returns the cache directory in force and what there is to say
// about it.
func cacheStatus() (dir, status string) {
	dir, _ = cacheDir("")
	if dir == "" {
		return "off", "off"
	}
	n, bytes, err := engine.CacheUsage(dir)
	if _, missing := os.Stat(dir); missing == nil && err == nil {
		err = engine.CheckCache(dir)
	}
	if err != nil {
		return dir, "not used: " + err.Error()
	}
	return dir, fmt.Sprintf("%d entries, %d bytes", n, bytes)
}

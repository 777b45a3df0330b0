package gomod

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// Settings of the go command come from the environment, else from the file that go env -w writes.
// That file belongs to the user and does not apply to an uploaded tree (Options.FS).

// EnvVars are the environment variables that loading reads, except those that only serve to find
// the Go installation.
var EnvVars = []string{"AppData", "GOENV", "GOFLAGS", "GOMODCACHE", "GONOSUMDB", "GOPATH", "GOPRIVATE", "GOSUMDB", "GOWORK", "HOME",
	"XDG_CONFIG_HOME"}

// setting returns a setting of the go command.
func (e *Env) setting(key string) string {
	if v := e.Getenv(key); v != "" || e.User.FS != nil {
		return v
	}
	e.goenvOnce.Do(func() { e.goenv = readGoenv(e.Machine, e.Getenv) })
	return e.goenv[key]
}

// readGoenv reads the file of settings. A missing file has none.
func readGoenv(t filetree.Tree, getenv func(string) string) map[string]string {
	name := goenvFile(getenv)
	if name == "" {
		return nil
	}
	data, err := t.ReadFile(name, filetree.MaxModuleFile)
	if err != nil {
		return nil
	}
	settings := map[string]string{}
	for line := range bytes.Lines(data) {
		key, value, ok := strings.Cut(strings.TrimSpace(string(line)), "=")
		if ok && key != "" && 'A' <= key[0] && key[0] <= 'Z' {
			settings[key] = value
		}
	}
	return settings
}

// goenvFile returns the name of the file of settings, or nothing.
func goenvFile(getenv func(string) string) string {
	if file := getenv("GOENV"); file != "" {
		if file == "off" {
			return ""
		}
		return file
	}
	dir := ""
	switch home := getenv("HOME"); {
	case runtime.GOOS == "windows":
		dir = getenv("AppData")
	case home != "" && runtime.GOOS == "darwin":
		dir = filepath.Join(home, "Library", "Application Support")
	case getenv("XDG_CONFIG_HOME") != "":
		dir = getenv("XDG_CONFIG_HOME")
	case home != "":
		dir = filepath.Join(home, ".config")
	}
	if !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "go", "env")
}

// ModuleCache returns the directory of the user's module cache, as the go command finds it.
func ModuleCache() string {
	e := &Env{Getenv: os.Getenv}
	return e.userModules()
}

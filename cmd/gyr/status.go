package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/printable"
)

// Exit statuses. A program's own status is passed through; a Go panic is 2.
const (
	statusCompile  = 1
	statusUsage    = 64
	statusFault    = 120
	statusGas      = 121
	statusMemory   = 122
	statusStack    = 123
	statusDeadline = 124
	statusEngine   = 125
	statusSignal   = 130 // as shells report a program that SIGINT ended
)

const statusHelp = `The exit status is the program's own (2 after a Go panic), or
	1    the program does not compile, or its image is refused
	64   wrong usage of the command
	120  the program has gone where it has no memory, by an unsafe pointer
	121  out of gas
	122  memory limit
	123  stack limit
	124  deadline
	125  the engine or the host failed, or what the command printed could not be written
	130  interrupted from the terminal`

// A usageError says how the command was used wrongly.
type usageError struct{ msg string }

func (e usageError) Error() string { return e.msg }

// report prints an error and returns its exit status.
func report(err error) int {
	if err == nil {
		return 0
	}
	var (
		exit    *api.ExitError
		compile *api.CompileError
		usage   usageError
		image   *api.ImageError
		file    *fileError
		limit   *api.CompileLimitError
		gas     *api.OutOfGasError
		mem     *api.MemoryLimitError
		stack   *api.StackLimitError
		dead    *api.DeadlineError
		fault   *api.MemoryFaultError
		config  *api.ConfigError
		std     *api.StdError
		needsGo *api.NeedsGoError
	)
	if errors.As(err, &exit) {
		return exit.Code
	}
	if s := statusError(0); errors.As(err, &s) {
		return int(s)
	}
	if errors.As(err, &compile) {
		fmt.Fprintln(stderr, compile.Error())
		return statusCompile
	}
	if errors.As(err, &config) {
		err = flagError(config)
	}
	status, flag := statusEngine, ""
	switch {
	case errors.As(err, &std), errors.As(err, &needsGo), errors.As(err, &image), errors.As(err, &file), errors.As(err, &limit):
		status = statusCompile
	case errors.As(err, &usage):
		status = statusUsage
	case errors.As(err, &gas):
		status, flag = statusGas, "-gas"
	case errors.As(err, &mem):
		status, flag = statusMemory, "-mem"
	case errors.As(err, &stack):
		status, flag = statusStack, "-stack"
	case errors.As(err, &fault):
		status = statusFault
	case errors.Is(err, context.Canceled):
		status = statusSignal
	case errors.As(err, &dead), errors.Is(err, context.DeadlineExceeded):
		status, flag = statusDeadline, "-timeout"
	}
	text := strings.TrimPrefix(err.Error(), "gyr: ") // package gyr has the same prefix
	if flag != "" {
		text += "; " + flag + " sets the limit"
	}
	fmt.Fprintf(stderr, "gyr: %s\n", printable.Text(text))
	return status
}

// fieldFlags are the flags for the fields of a Config.
var fieldFlags = map[string]string{"Memory": "-mem", "Stack": "-stack", "Gas": "-gas", "Tier": "-tier", "Debug": "-d",
	"Dirs": "-dir"}

// flagError rewords an error of package gyr about a field, with the flag that the user knows.
func flagError(e *api.ConfigError) error {
	flag := fieldFlags[e.Field]
	if flag == "" || errors.As(e, new(*api.MemoryLimitError)) {
		return e.Err
	}
	return usageError{flag + ": " + e.Err.Error()}
}

package api

import "testing"

// TestPosition: a position prints what is known of it, and an error's text ends with it.
func TestPosition(t *testing.T) {
	for _, c := range []struct {
		p            Position
		text, suffix string
	}{
		{Position{}, "", ""},
		{Position{Func: "main.f"}, "main.f", " in main.f"},
		{Position{File: "a.go", Line: 3}, "a.go:3", " at a.go:3"},
		{Position{Func: "main.f", File: "a.go", Line: 3}, "main.f (a.go:3)", " in main.f (a.go:3)"},
	} {
		if c.p.String() != c.text || c.p.suffix() != c.suffix {
			t.Errorf("%+v: %q and %q, want %q and %q", c.p, c.p.String(), c.p.suffix(), c.text, c.suffix)
		}
	}
}

// TestTexts: texts of errors are part of what users see.
func TestTexts(t *testing.T) {
	at := Position{Func: "main.f", File: "a.go", Line: 3}
	other := &ExitError{3}
	for _, c := range []struct {
		err  error
		text string
	}{
		{&OutOfGasError{Limit: 5, Used: 5, Position: at}, "out of gas: limit of 5 units reached in main.f (a.go:3)"},
		{&OutOfGasError{Limit: 5, Used: 5, Call: true}, "out of gas: limit of 5 units of the call reached"},
		{&MemoryLimitError{Limit: 64 << 20, Position: at}, "memory limit of 64 MiB reached in main.f (a.go:3)"},
		{&StackLimitError{Limit: 1536}, "stack limit of 1536 bytes reached"},
		{&OutputLimitError{Limit: 1 << 40}, "output limit of 1024 GiB reached"},
		{&DeadlineError{Err: other, Call: true}, "interrupted at the deadline of the call: exit status 3"},
		{&MemoryFaultError{Class: FaultLow, Position: at}, "access to an address below the guest's memory in main.f (a.go:3)"},
		{&ReadOnlyError{}, "write to a lent buffer"},
		{&HostError{Op: "write", Err: other, Position: at}, "write: exit status 3 in main.f (a.go:3)"},
		{&HostPanicError{Method: "Write", Value: 5}, "Write panicked: 5"},
		{&PanicError{Value: "a\x1b", Fatal: true}, `fatal error: a\x1b`},
		{&GuestError{Func: "F", Text: "no"}, "no"},
		{&CallError{Func: "F", Err: other}, "gyr: exit status 3"},
		{&ConfigError{Field: "Gas", Err: other}, "gyr: Config.Gas: exit status 3"},
		{&ConfigError{Field: "CallOptions.Gas", Err: other}, "gyr: CallOptions.Gas: exit status 3"},
		{&BufferError{Size: 3, Err: other}, "buffer of 3 bytes: exit status 3"},
		{&HostPackageError{Path: "a/b", Err: other}, "gyr: host package a/b: exit status 3"},
		{&HostPackageError{Path: "a/b", Func: "F", Declared: "func()"}, "gyr: host package a/b: F: it is declared as func(), and nothing is bound"},
		{&TransactionError{Op: "Begin", Reason: "no", Err: other}, "gyr: Begin: no: exit status 3"},
		{&StateError{What: "root", Err: other}, "gyr: Restore: root: exit status 3"},
		{&ChangeError{What: "type a.T", Field: "F", Was: "int", Is: "string"}, "type a.T: field F was int, is string"},
		{&ChangeError{What: "variable a.x", Is: "int"}, "variable a.x is new"},
		{&CompileError{other}, "exit status 3"},
		{&ImageError{&GuestError{Text: "a \"b\"\n"}}, `a "b"\n`},
		{&CompileLimitError{Limit: "Nesting", Max: 3, What: "an expression", Position: at, Column: 4}, "a.go:3:4: an expression, more than the limit of 3 (Limits.Nesting)"},
		{&StdError{Err: other, Cure: "make it"}, "standard library file: exit status 3: make it"},
		{&NeedsGoError{What: "vet", Cure: "install Go"}, "vet needs the sources of the standard library, which a precompiled one does not have: install Go"},
		{&InternalError{Stage: "lowering", Position: at, Value: 5}, "internal error while lowering in main.f (a.go:3): 5 (a bug of gyr, not of the program)"},
	} {
		if got := c.err.Error(); got != c.text {
			t.Errorf("%T: %q, want %q", c.err, got, c.text)
		}
	}
}

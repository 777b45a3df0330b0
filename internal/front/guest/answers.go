package guest

// An Answer is a declaration of ours that takes the place of one of the standard library. The loader finds the sources
// below _src/answers, by import path (load.AnswersDir); all that they declare beside the answers begins with gyr.
type Answer struct {
	Path string // import path of the package
	Name string // of the function or variable; "T.name" for a method
	Why  string // what the declaration of the standard library would do here
}

// Answers lists the declarations that are replaced, by package.
var Answers = []Answer{
	{"internal/poll", "pollDesc.init", "opens no descriptor for waiting, where the ends of pipes are waited for"},
	{"internal/poll", "pollDesc.close", "asks the runtime, which knows nothing of pipes"},
	{"internal/poll", "pollDesc.evict", "asks the runtime, which knows nothing of pipes"},
	{"internal/poll", "pollDesc.prepare", "asks the runtime, which knows nothing of pipes"},
	{"internal/poll", "pollDesc.wait", "asks the runtime, which knows nothing of pipes"},
	{"internal/poll", "pollDesc.waitCanceled", "asks the runtime, which knows nothing of pipes"},
	{"internal/poll", "setDeadlineImpl", "asks the runtime, which knows nothing of pipes"},
	{"os", "Pipe", "is an error: WASI has no pipes, but a program can have its own"},
	{"os", "UserHomeDir", "is an error without $HOME, where /home is the guest's"},
	{"os", "executable", "is an error, where the program has a file in /bin"},
	{"syscall", "Close", "does not know pipes"},
	{"syscall", "Fstat", "does not know pipes"},
	{"syscall", "Pipe", "is an error: WASI has no pipes, but a program can have its own"},
	{"syscall", "Read", "does not know pipes"},
	{"syscall", "Seek", "does not know pipes"},
	{"syscall", "SetNonblock", "does not know pipes"},
	{"syscall", "Write", "does not know pipes"},
	{"syscall", "errorstr", "has texts of its own for errors, where programs and their tests expect those of Linux"},
	{"syscall", "preparePath", "takes /tmpfile for file in a granted /tmp"},
}

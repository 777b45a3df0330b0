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
	{"syscall", "errorstr", "has texts of its own for errors, where programs and their tests expect those of Linux"},
}

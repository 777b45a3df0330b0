package rt

import (
	"path"
	"strings"

	"github.com/gyrvm/gyr/api"
)

// Programs that end with a panic or a fatal error.
//
// The guest's runtime prints a report to standard error, as Go does, and ends the program with status 2. The
// host follows along: when the report begins it notes where the goroutine stands, then it keeps what the report says.

// maxReport bounds what is kept of a report, in bytes, and maxFrames the frames.
const (
	maxReport = 64 << 10
	maxFrames = 100
)

// A report is what is kept of the program's last words.
type report struct {
	frames []api.Position
	text   []byte
}

// begin notes where the goroutine stands that runs.
func (r *report) begin(vm *VM) {
	for _, p := range vm.Traceback(4 * maxFrames) {
		if !isRuntime(p.Func) && !isGenerated(p) && len(r.frames) < maxFrames {
			r.frames = append(r.frames, p)
		}
	}
}

// write keeps what was written to standard error.
func (r *report) write(p []byte) { r.text = append(r.text, p[:min(len(p), maxReport-len(r.text))]...) }

// panicked is the error of a program that a report has ended.
func (vm *VM) panicked() error {
	e := &api.PanicError{Frames: vm.report.frames, Trace: withoutGenerated(string(vm.report.text))}
	var ok bool
	if e.Value, ok = strings.CutPrefix(vm.Fatal, "panic: "); !ok {
		e.Value, e.Fatal = strings.TrimPrefix(vm.Fatal, "fatal error: "), true
	}
	// The report indents the lines of a value behind the first.
	e.Value = strings.ReplaceAll(e.Value, "\n\t", "\n")
	if len(e.Frames) > 0 {
		e.Position = e.Frames[0]
	}
	return e
}

// isGenerated reports whether a position is in code that the loader has written, which calls the functions of a library:
// load.addExports.
func isGenerated(p api.Position) bool {
	name := p.Func[strings.LastIndexByte(p.Func, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	return strings.HasPrefix(name, generated) && strings.HasPrefix(path.Base(p.File), generated)
}

// generated is what names of generated functions begin with, as tracebacks show them, and those of their files.
const generated = "gyr_"

// withoutGenerated returns a report without the frames of generated functions, each of which is two lines.
func withoutGenerated(report string) string {
	if !strings.Contains(report, generated) {
		return report
	}
	var kept strings.Builder
	lines := strings.SplitAfter(report, "\n")
	for i := 0; i < len(lines); i++ {
		if i+1 < len(lines) {
			name, _, isCall := strings.Cut(lines[i], "(")
			file, isPlace := strings.CutPrefix(lines[i+1], "\t")
			file, _, _ = strings.Cut(file, ".go:")
			if isCall && isPlace && isGenerated(api.Position{Func: name, File: file}) {
				i++
				continue
			}
		}
		kept.WriteString(lines[i])
	}
	return kept.String()
}

package rt

import (
	"path"
	"strings"

	"github.com/gyrvm/gyr/api"
)

// Programs that end with a panic or a fatal error.
//
// The guest's runtime prints a report to standard error, as Go does, and ends the program with
// status 2. The host watches: when the report begins, it records the position of the goroutine,
// then it keeps the text of the report.

// maxReport is how many bytes of a report are kept, and maxFrames how many frames.
const (
	maxReport = 64 << 10
	maxFrames = 100
)

// A report is the kept part of a program's last output.
type report struct {
	frames []api.Position
	text   []byte
}

// begin records the position of the current goroutine.
func (r *report) begin(vm *VM) {
	for _, p := range vm.Traceback(4 * maxFrames) {
		if !isRuntime(p.Func) && !isGenerated(p) && len(r.frames) < maxFrames {
			r.frames = append(r.frames, p)
		}
	}
}

// write keeps what was written to standard error.
func (r *report) write(p []byte) { r.text = append(r.text, p[:min(len(p), maxReport-len(r.text))]...) }

// panicked returns the error of a program that ended with a report.
func (vm *VM) panicked() error {
	e := &api.PanicError{Frames: vm.report.frames, Trace: withoutGenerated(string(vm.report.text))}
	var ok bool
	if e.Value, ok = strings.CutPrefix(vm.Fatal, "panic: "); !ok {
		e.Value, e.Fatal = strings.TrimPrefix(vm.Fatal, "fatal error: "), true
	}
	// The report indents the lines of a value after the first.
	e.Value = strings.ReplaceAll(e.Value, "\n\t", "\n")
	if len(e.Frames) > 0 {
		e.Position = e.Frames[0]
	}
	return e
}

// isGenerated reports whether a position is in code that the loader wrote to call the functions of
// a library: load.addExports.
func isGenerated(p api.Position) bool {
	name := p.Func[strings.LastIndexByte(p.Func, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	return strings.HasPrefix(name, generated) && strings.HasPrefix(path.Base(p.File), generated)
}

// generated is the prefix of the names of generated functions, as tracebacks show them, and of
// their files.
const generated = "gyr_"

// withoutGenerated returns a report without the frames of generated functions. A frame is two
// lines.
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

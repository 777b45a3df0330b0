// Command ratio measures the programs of programs/ in the interpreter against
// native Go.
//
//	go run ./internal/cmd/ratio             every program
//	go run ./internal/cmd/ratio -only RE    those whose names match
//	go run ./internal/cmd/ratio -n 7        seven rounds instead of three
//	go run ./internal/cmd/ratio -json       one JSON object with every sample
//
// Native is what go build makes of the program, with the Go release that gyr
// compiles for. A round runs four commands in turn: native and gyr, each with a
// size of a few seconds at most and with a tiny one. A row's time is the median of the
// first less the median of the second, so that starting (for gyr: loading and
// compiling, too) is not counted. CPU is user and system time of all threads, the
// collector's included; it is what to trust on a busy machine. Memory is the
// peak of the process with the full size, for gyr with its compiler. Both must
// print the same.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/gyrvm/gyr/internal/measure"
)

// A program is one of programs/ with its sizes.
type program struct{ name, size, tiny string }

// programs is the table. Native Go takes a second or two for a size on a machine of 2024.
var programs = []program{
	{"nbody", "16000000", "1"},
	{"spectralnorm", "5300", "1"},
	{"mandelbrot", "4800", "1"},
	{"fannkuch", "11", "2"},
	{"sieve", "50000000", "10"},
	{"matmul", "880", "1"},
	{"fib", "42", "1"},
	{"quicksort", "12000000", "10"},
	{"binarytrees", "17", "1"},
	{"revcomp", "7000000", "1"},
	{"fasta", "9000000", "1"},
	{"knucleotide", "450000", "1"},
	{"regexredux", "220000", "1"},
	{"pidigits", "9500", "1"},
	{"pair_throughput", "45000", "1"},
	{"pair_swap", "60000", "1"},
	{"pair_walk", "45000", "1"},
	{"binary_trees_pair", "6000", "1"},
	{"maps", "1500000", "1"},
	{"strbuild", "8000000", "1"},
	{"closures", "900000", "1"},
	{"ifacecall", "600000", "1"},
	{"channels", "5000", "1"},
	{"json", "80000", "1"},
	{"template", "40000", "1"},
	{"vm", "170000", "1"},
	{"hashes", "115000", "1"},
	{"structsort", "600000", "1"},
	{"dijkstra", "850", "2"},
	{"lru", "7500", "1"},
	{"parser", "60000", "1"},
	{"lu", "1350", "4"},
	{"fft", "4800", "1"},
	{"raytrace", "2500", "1"},
	{"queens", "15", "4"},
	{"editdistance", "3400", "1"},
	{"life", "7000", "1"},
	{"structs", "16000", "1"},
	{"generics", "1600", "1"},
	{"wordcount", "600000", "1"},
	{"ledger", "1000", "1"},
	{"merkle", "750000", "2"},
	{"deflate", "40000", "1"},
}

// core are the programs of the first mean.
var core = []string{"nbody", "spectralnorm", "mandelbrot", "fannkuch", "sieve", "matmul", "fib", "quicksort"}

var (
	rounds = flag.Int("n", 3, "`rounds`")
	only   = flag.String("only", "", "measure the programs whose names match `RE`")
	asJSON = flag.Bool("json", false, "print one JSON object, with every sample")
)

func main() {
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "ratio:", err)
		os.Exit(1)
	}
}

// A row is the measurement of one program. The slices hold a sample a round.
type row struct {
	Program    string          `json:"program"`
	Size       string          `json:"size"`
	Native     []measure.Usage `json:"native"`
	NativeTiny []measure.Usage `json:"native_tiny"`
	Gyr        []measure.Usage `json:"gyr"`
	GyrTiny    []measure.Usage `json:"gyr_tiny"`
	NativeWall float64         `json:"native_wall_s"` // medians, start-up subtracted
	NativeCPU  float64         `json:"native_cpu_s"`
	GyrWall    float64         `json:"gyr_wall_s"`
	GyrCPU     float64         `json:"gyr_cpu_s"`
	NativePeak int64           `json:"native_peak_bytes"`
	GyrPeak    int64           `json:"gyr_peak_bytes"`
	RatioWall  float64         `json:"ratio_wall"`
	RatioCPU   float64         `json:"ratio_cpu"`
}

type means struct {
	Programs int     `json:"programs"`
	Wall     float64 `json:"ratio_wall"`
	CPU      float64 `json:"ratio_cpu"`
}

type report struct {
	Go     string `json:"go"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	CPUs   int    `json:"cpus"`
	Rounds int    `json:"rounds"`
	Rows   []*row `json:"rows"`
	Core   means  `json:"core"` // geometric means
	All    means  `json:"all"`
}

func run() error {
	re, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "gyr-ratio")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var list []program
	args := []string{"build", "-o", dir + string(filepath.Separator), "./cmd/gyr"}
	for _, p := range programs {
		if re.MatchString(p.name) {
			list = append(list, p)
			args = append(args, "./programs/"+p.name)
		}
	}
	if len(list) == 0 {
		return fmt.Errorf("no program matches %s", *only)
	}
	build := exec.Command("go", args...)
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	rep := report{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Rounds: *rounds}
	for _, p := range list {
		r, err := measured(p, dir, root)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		rep.Rows = append(rep.Rows, r)
		fmt.Fprintf(os.Stderr, "%s: native %s, gyr %s, %.1f times\n", r.Program, seconds(r.NativeCPU), seconds(r.GyrCPU), r.RatioCPU)
	}
	rep.Core = mean(rep.Rows, func(r *row) bool { return slices.Contains(core, r.Program) })
	rep.All = mean(rep.Rows, func(*row) bool { return true })
	if *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "\t")
		return e.Encode(rep)
	}
	rep.print()
	return nil
}

// moduleRoot is the directory of the module's go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gyrvm/gyr").Output()
	if err != nil {
		return "", fmt.Errorf("go list -m github.com/gyrvm/gyr: %w", err)
	}
	return string(bytes.TrimSpace(out)), nil
}

// measured takes the samples of a program.
func measured(p program, dir, root string) (*row, error) {
	r := &row{Program: p.name, Size: p.size}
	native, gyr := filepath.Join(dir, p.name), filepath.Join(dir, "gyr")
	source := "./programs/" + p.name
	var want, got []byte
	steps := []struct {
		to   *[]measure.Usage
		out  *[]byte
		argv []string
	}{
		{&r.Native, &want, []string{native, p.size}},
		{&r.Gyr, &got, []string{gyr, "run", "-mem", "2G", source, p.size}},
		{&r.NativeTiny, nil, []string{native, p.tiny}},
		{&r.GyrTiny, nil, []string{gyr, "run", source, p.tiny}},
	}
	for i := range *rounds {
		for _, s := range steps {
			cmd := exec.Command(s.argv[0], s.argv[1:]...)
			var out, errs bytes.Buffer
			cmd.Dir, cmd.Stdout, cmd.Stderr = root, &out, &errs
			u, err := measure.Command(cmd)
			if err != nil {
				return nil, fmt.Errorf("%v: %w\n%s", s.argv, err, errs.Bytes())
			}
			*s.to = append(*s.to, u)
			if s.out != nil {
				*s.out = out.Bytes()
			}
		}
		if !bytes.Equal(want, got) {
			return nil, fmt.Errorf("round %d: outputs differ: native %.200q, gyr %.200q", i+1, want, got)
		}
	}
	wall := func(u measure.Usage) float64 { return u.Wall.Seconds() }
	cpu := func(u measure.Usage) float64 { return u.CPU.Seconds() }
	peak := func(u measure.Usage) float64 { return float64(u.Peak) }
	r.NativeWall = median(r.Native, wall) - median(r.NativeTiny, wall)
	r.NativeCPU = median(r.Native, cpu) - median(r.NativeTiny, cpu)
	r.GyrWall = median(r.Gyr, wall) - median(r.GyrTiny, wall)
	r.GyrCPU = median(r.Gyr, cpu) - median(r.GyrTiny, cpu)
	r.NativePeak, r.GyrPeak = int64(median(r.Native, peak)), int64(median(r.Gyr, peak))
	if min(r.NativeWall, r.NativeCPU, r.GyrWall, r.GyrCPU) <= 0 {
		return nil, fmt.Errorf("the size %s takes no longer than the size %s", p.size, p.tiny)
	}
	r.RatioWall, r.RatioCPU = r.GyrWall/r.NativeWall, r.GyrCPU/r.NativeCPU
	return r, nil
}

func median(us []measure.Usage, f func(measure.Usage) float64) float64 {
	var xs []float64
	for _, u := range us {
		xs = append(xs, f(u))
	}
	return measure.Median(xs)
}

// mean takes the geometric means over some of the rows.
func mean(rows []*row, in func(*row) bool) means {
	var wall, cpu []float64
	for _, r := range rows {
		if in(r) {
			wall, cpu = append(wall, r.RatioWall), append(cpu, r.RatioCPU)
		}
	}
	if len(wall) == 0 {
		return means{}
	}
	return means{len(wall), measure.GeoMean(wall), measure.GeoMean(cpu)}
}

func (rep *report) print() {
	fmt.Printf("%s %s/%s, %d CPUs, medians of %d rounds, start-up subtracted\n\n", rep.Go, rep.OS, rep.Arch, rep.CPUs, rep.Rounds)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "program\tsize\tnative wall\tcpu\tpeak\tgyr wall\tcpu\tpeak\tratio wall\tcpu\t")
	for _, r := range rep.Rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%.1f\t%.1f\t\n", r.Program, r.Size,
			seconds(r.NativeWall), seconds(r.NativeCPU), mebibytes(r.NativePeak),
			seconds(r.GyrWall), seconds(r.GyrCPU), mebibytes(r.GyrPeak), r.RatioWall, r.RatioCPU)
	}
	w.Flush()
	fmt.Println()
	for _, m := range []struct {
		name string
		means
	}{{"nbody … quicksort", rep.Core}, {"all", rep.All}} {
		if m.Programs > 0 {
			fmt.Printf("geometric mean over %s (%d): %.2f wall, %.2f cpu\n", m.name, m.Programs, m.Wall, m.CPU)
		}
	}
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond).String()
}

func mebibytes(n int64) string { return fmt.Sprintf("%.0fM", float64(n)/(1<<20)) }

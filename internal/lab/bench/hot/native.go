package hot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
	"github.com/gyrvm/gyr/internal/tools/listing"
)

// A GoRun is a native test binary to run once, for a profile.
type GoRun struct {
	Path   string // of the binary; with debugging information, inlined calls are known
	Args   []string
	Dir    string
	Env    []string
	Config sample.Config
}

// Profile runs the binary and makes a profile of its n iterations. It also returns the binary's
// output. Where the system gives no samples, it uses those of Go's own profiler, a hundred a
// second.
func (r *GoRun) Profile(ctx context.Context, n int, always ...string) (*record.Profile, []byte, error) {
	b, err := sample.OpenBinary(r.Path)
	if err != nil {
		return nil, nil, err
	}
	defer b.Close()
	list, by, out, err := r.sampled(ctx, b)
	if denied := (*sample.DeniedError)(nil); errors.As(err, &denied) {
		if list, out, err = r.pprof(ctx, b); err == nil {
			p := GoProfile(b, list, "pprof", n, always...)
			p.Failed = cmp.Or(p.Failed, denied.Error())
			return p, out, nil
		}
	}
	if err != nil {
		return nil, out, err
	}
	return GoProfile(b, list, by, n, always...), out, nil
}

// command makes the command. Its output goes to a buffer.
func (r *GoRun) command(ctx context.Context, more ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.CommandContext(ctx, r.Path, append(slices.Clone(r.Args), more...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.Dir, r.Env, 2*time.Second
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

func (r *GoRun) sampled(ctx context.Context, b *sample.Binary) ([]sample.Sample, string, []byte, error) {
	cmd, out := r.command(ctx)
	c := r.Config
	c.Calls = true
	s, err := sample.Start(cmd, c)
	if err != nil {
		return nil, "", nil, err
	}
	defer s.Close()
	b.Bias = sample.Bias(cmd.Process.Pid, b)
	if err := cmd.Wait(); err != nil {
		return nil, "", out.Bytes(), err
	}
	if err := s.Stop(); err != nil {
		return nil, "", out.Bytes(), err
	}
	list, _ := s.Samples()
	return list, s.By(), out.Bytes(), nil
}

func (r *GoRun) pprof(ctx context.Context, b *sample.Binary) ([]sample.Sample, []byte, error) {
	f, err := os.CreateTemp("", "gyr-cpuprofile-")
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(f.Name())
	f.Close()
	cmd, out := r.command(ctx, "-test.cpuprofile="+f.Name())
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	b.Bias = sample.Bias(cmd.Process.Pid, b)
	if err := cmd.Wait(); err != nil {
		return nil, out.Bytes(), err
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return nil, out.Bytes(), err
	}
	list, err := sample.ReadPprof(data)
	return list, out.Bytes(), err
}

// GoProfile makes the profile of a native binary from its samples.
func GoProfile(b *sample.Binary, list []sample.Sample, by string, n int, always ...string) *record.Profile {
	p := &record.Profile{By: by, Samples: len(list), N: n}
	if len(list) == 0 {
		p.Failed = "nothing was sampled"
		return p
	}
	hits := map[string]map[int]float64{}
	shares := map[string]*record.Share{}
	s := &stacks{byKey: map[string]int{}}
	for _, x := range list {
		at := b.Resolve(x)
		for strings.HasPrefix(at.Func, "runtime.asyncPreempt") && len(x.Chain) > 0 {
			// The scheduler was about to interrupt the code there.
			x = sample.Sample{IP: x.Chain[0] - 1, Chain: x.Chain[1:]}
			at = b.Resolve(x)
		}
		if shares[at.Func] == nil {
			shares[at.Func] = &record.Share{Func: at.Func, Kind: at.Kind}
			hits[at.Func] = map[int]float64{}
			if k := len(at.Frames); k > 0 && at.Kind != sample.Kernel {
				f := at.Frames[k-1]
				shares[at.Func].Place = fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
			}
		}
		shares[at.Func].Share++
		hits[at.Func][at.Offset]++
		frames := at.Frames
		if frames == nil {
			frames = []record.Frame{{Func: at.Func}}
		}
		for _, ip := range x.Chain {
			frames = append(frames, b.Resolve(sample.Sample{IP: ip - 1}).Frames...)
		}
		s.add(frames, 1)
	}
	for _, x := range shares {
		x.Share /= float64(len(list))
		p.Shares = append(p.Shares, *x)
	}
	slices.SortFunc(p.Shares, func(a, b record.Share) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(a.Func, b.Func))
	})
	p.Stacks = s.list
	l := &goLister{b: b, total: float64(len(list))}
	for i, x := range p.Shares {
		if i < listMost && x.Share >= listShare || slices.Contains(always, x.Func) {
			if y := l.list(x.Func, hits[x.Func]); y != nil {
				p.Listings = append(p.Listings, *y)
			}
		}
	}
	return p
}

// A goLister makes listings of a binary's functions.
type goLister struct {
	b     *sample.Binary
	total float64 // number of samples
	src   listing.Sources
}

func (l *goLister) list(name string, hits map[int]float64) *record.Listing {
	code, start := l.b.Code(name)
	disasm := disassemblers[l.b.Machine]
	if len(code) == 0 || disasm == nil {
		return nil
	}
	out := &record.Listing{Func: name, Kind: "go", Bytes: len(code), Source: map[string]map[int]string{}}
	end := start + uint64(len(code))
	var instrs []machineInstr
	labels := map[uint64]bool{}
	for at := 0; at < len(code); {
		x := disasm(code[at:], start+uint64(at), l.b.Symbol)
		if x.jumps && x.to >= start && x.to < end && !x.calls {
			labels[x.to] = true
		}
		instrs = append(instrs, x)
		at += x.len
	}
	for n := len(instrs); n > 0 && instrs[n-1].fills; n-- { // padding between functions
		out.Bytes -= instrs[n-1].len
		instrs = instrs[:n-1]
	}
	at, block := start, 0 // start of a block
	cold := false         // the rest of the block is cold
	for i, x := range instrs {
		if labels[at] {
			block, cold = i, false
		}
		in := record.Instr{At: int(at - start), Text: x.text, Count: -1, Cold: cold}
		if labels[at] {
			in.Label = fmt.Sprintf("l%x", in.At)
		}
		if x.jumps && labels[x.to] && !x.calls {
			in.To = fmt.Sprintf("l%x", x.to-start)
			in.Text = jumpText(x.text, in.To)
		}
		for k := range x.len {
			in.Share += hits[in.At+k] / l.total
		}
		out.Share += in.Share
		l.place(&in, at, out)
		out.Code = append(out.Code, in)
		if x.calls && x.jumps {
			if callee, _ := l.b.Symbol(x.to); isColdCall(callee) {
				for cold = true; block <= i; block++ {
					out.Code[block].Cold = true
				}
			}
		}
		if x.leaves || x.jumps && !x.calls {
			block, cold = i+1, false
		}
		at += uint64(x.len)
	}
	return out
}

// jumpText is a jump with the label in place of the address. Disassemblers write the address last.
func jumpText(text, label string) string {
	for i := len(text); i > 0; i-- {
		if c := text[i-1]; c == ' ' || c == ',' {
			return text[:i] + label
		}
	}
	return text
}

func (l *goLister) place(in *record.Instr, at uint64, out *record.Listing) {
	frames := l.b.Frames(at)
	if len(frames) == 0 {
		return
	}
	in.File, in.Line = frames[0].File, frames[0].Line
	for _, f := range frames[:len(frames)-1] {
		in.Inlined = append(in.Inlined, f.Func)
	}
	if text := l.src.Line(in.File, in.Line); text != "" {
		if out.Source[in.File] == nil {
			out.Source[in.File] = map[int]string{}
		}
		out.Source[in.File][in.Line] = text
	}
}

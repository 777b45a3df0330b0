package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
	"github.com/gyrvm/gyr/internal/lab/markup"
)

// A frame is a function on stacks that share all frames below it.
type frame struct {
	name    string
	place   string
	samples float64
	calls   []*frame
}

// tree merges the stacks of a profile from their outermost frames on.
func tree(stacks []record.Stack) *frame {
	root := &frame{name: "all"}
	for _, s := range stacks {
		if !(s.Samples > 0) {
			continue
		}
		root.samples += s.Samples
		at := root
		for depth, f := range slices.Backward(s.Frames) {
			if len(s.Frames)-depth > mostDepth {
				break
			}
			i := slices.IndexFunc(at.calls, func(c *frame) bool { return c.name == f.Func })
			if i < 0 {
				i = len(at.calls)
				at.calls = append(at.calls, &frame{name: f.Func})
				if f.File != "" {
					at.calls[i].place = fmt.Sprintf("%s:%d", f.File, f.Line)
				}
			}
			at = at.calls[i]
			at.samples += s.Samples
		}
	}
	root.sort()
	return root
}

func (f *frame) sort() {
	slices.SortStableFunc(f.calls, func(a, b *frame) int {
		return cmp.Or(cmp.Compare(b.samples, a.samples), strings.Compare(a.name, b.name))
	})
	for _, c := range f.calls {
		c.sort()
	}
}

// kind is the class of a frame: its function's, or, if it takes no time of its own, the class of
// the frame that it calls most.
func (f *frame) kind(kinds map[string]string) string {
	for ; ; f = f.calls[0] {
		if class := kindClasses[kinds[f.name]]; class != "" {
			return class
		}
		if len(f.calls) == 0 {
			return "k-host"
		}
	}
}

// frameHeight is the height of a row of the graph, in pixels. Its width is the page's, so letters
// are not scaled.
const frameHeight = 19

// flame draws a profile's stacks, callers above callees. Positions are parts of the whole width.
// Each frame is a drawing of its own, which cuts off the part of its name that does not fit.
func (p *page) flame(pr *record.Profile) {
	root := tree(pr.Stacks)
	if root.samples == 0 {
		return
	}
	kinds := map[string]string{}
	for _, s := range pr.Shares {
		kinds[s.Func] = s.Kind
	}
	s := &markup.SVG{}
	depth, drawn, small := 0, 0, 0
	var draw func(f *frame, level int, from float64)
	draw = func(f *frame, level int, from float64) {
		share := f.samples / root.samples
		if share < leastFrame || drawn >= mostFrames {
			small++
			return
		}
		drawn++
		depth = max(depth, level+1)
		kind := f.kind(kinds)
		if level == 0 {
			kind = "k-all"
		}
		title := fmt.Sprintf("%s: %s, %s samples", f.name, show.Percent(share), show.Number(f.samples))
		if f.place != "" {
			title += ", " + f.place
		}
		s.Add(`<svg class="frame %s" x="%.3f%%" y="%d" width="%.3f%%" height="%d" data-x="%.6f" data-w="%.6f" data-d="%d" tabindex="-1" role="img" aria-label="%s"><title>%s</title><rect width="100%%" height="%d"/><text x="4" y="13">%s</text></svg>`,
			markup.Markup(kind), 100*from, level*frameHeight, 100*share, frameHeight-1, from, share, level, title, title, frameHeight-1, f.name)
		for _, c := range f.calls {
			draw(c, level+1, from)
			from += c.samples / root.samples
		}
	}
	draw(root, 0, 0)
	p.Add("<figure>\n<svg class=\"flame\" width=\"100%%\" height=\"%d\" tabindex=\"0\" role=\"group\" aria-label=\"flame graph; arrow keys move, enter enlarges, escape shows all\">\n%s</svg>\n", depth*frameHeight, s.Markup())
	p.Add("<figcaption>Callers above what they call; widths are parts of the samples. <span class=\"key k-guest\"></span>guest <span class=\"key k-runtime\"></span>runtime <span class=\"key k-gc\"></span>collector <span class=\"key k-compiler\"></span>compiler <span class=\"key k-host\"></span>host. A click enlarges a frame.")
	if small > 0 {
		p.Add(" %d frames were too small, or too many, to be drawn.", small)
	}
	p.Add("</figcaption>\n</figure>\n")
}

// kindClasses are the classes of the kinds of a share.
var kindClasses = map[string]string{"guest": "k-guest", "runtime": "k-runtime", "gc": "k-gc", "compiler": "k-compiler", "host": "k-host", "kernel": "k-host"}

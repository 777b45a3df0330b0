package slog

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"
	"unsafe"
)

// A host that takes log records (gyr.Config.Log) is the default Logger's handler from the start. Records go to it in the
// form that internal/run/rt/logrecord.go describes.

// gyrLogs returns 0 if the host takes no records at all, 1 if it takes none of a level, 2 if it does.
//
//go:wasmimport gyr logs
//go:noescape
func gyrLogs(level int) int32

// gyrLogRecord hands a record over. It returns 0 if the host has taken it.
//
//go:wasmimport gyr log_record
//go:noescape
func gyrLogRecord(p *byte, n int) int32

func init() {
	if gyrLogs(0) != 0 {
		SetDefault(New(&gyrHandler{}))
	}
}

const (
	gyrMaxRecord = 64 << 10 // bytes; attributes that do not fit are counted instead
	gyrMaxText   = 16 << 10 // bytes of a key, a message or a string, which is cut there
	gyrMaxDepth  = 16       // groups in groups; what lies deeper is text
)

// gyrHandler sends records to the host.
type gyrHandler struct {
	items   []byte // of WithAttrs and WithGroup; never written again
	depth   int    // groups that are open behind items
	dropped int    // attributes that did not fit
}

func (h *gyrHandler) Enabled(_ context.Context, level Level) bool { return gyrLogs(int(level)) == 2 }

func (h *gyrHandler) Handle(_ context.Context, r Record) error {
	e := gyrEncoder{buf: make([]byte, 0, len(h.items)+256), depth: h.depth, dropped: h.dropped}
	e.int(int64(r.Level))
	if r.Time.IsZero() {
		e.byte(0)
	} else {
		e.byte(1)
		e.time(r.Time)
	}
	e.text(r.Message)
	e.buf = append(e.buf, h.items...)
	r.Attrs(func(a Attr) bool {
		e.attr(a)
		return true
	})
	for range h.depth + 1 {
		e.byte(gyrEnd)
	}
	e.uint(uint64(e.dropped))
	if gyrLogRecord(unsafe.SliceData(e.buf), len(e.buf)) != 0 {
		return gyrRefused
	}
	return nil
}

var gyrRefused = errors.New("the host has not taken the record")

func (h *gyrHandler) WithAttrs(attrs []Attr) Handler {
	e := h.encoder()
	for _, a := range attrs {
		e.attr(a)
	}
	return e.handler()
}

func (h *gyrHandler) WithGroup(name string) Handler {
	e := h.encoder()
	if name != "" && e.depth < gyrMaxDepth && len(e.buf) < gyrMaxRecord/2 {
		e.byte(gyrGroup)
		e.text(name)
		e.depth++
	}
	return e.handler()
}

// encoder continues h.items.
func (h *gyrHandler) encoder() *gyrEncoder {
	return &gyrEncoder{buf: append(make([]byte, 0, len(h.items)+64), h.items...), depth: h.depth, dropped: h.dropped}
}

func (e *gyrEncoder) handler() Handler { return &gyrHandler{e.buf, e.depth, e.dropped} }

// The kinds of items.
const (
	gyrEnd = iota
	gyrNil
	gyrBool
	gyrInt
	gyrUint
	gyrFloat
	gyrDuration
	gyrTime
	gyrText
	gyrGroup
)

// A gyrEncoder writes items.
type gyrEncoder struct {
	buf     []byte
	depth   int
	dropped int
}

func (e *gyrEncoder) byte(b byte) { e.buf = append(e.buf, b) }

func (e *gyrEncoder) uint(n uint64) {
	for n >= 1<<7 {
		e.buf = append(e.buf, byte(n)|1<<7)
		n >>= 7
	}
	e.buf = append(e.buf, byte(n))
}

func (e *gyrEncoder) int(n int64) { e.uint(uint64(n)<<1 ^ uint64(n>>63)) }

func (e *gyrEncoder) text(s string) {
	if n := gyrMaxText; len(s) > n {
		for n > gyrMaxText-utf8.UTFMax && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	e.uint(uint64(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *gyrEncoder) time(t time.Time) {
	e.int(t.Unix())
	e.uint(uint64(t.Nanosecond()))
}

func (e *gyrEncoder) start(kind byte, key string) {
	e.byte(kind)
	e.text(key)
}

// attr writes an attribute, or counts it if it does not fit. An empty one, and a group without attributes, is nothing.
func (e *gyrEncoder) attr(a Attr) {
	v := a.Value.Resolve()
	if a.Key == "" && v.Kind() == KindAny && v.Any() == nil {
		return
	}
	before := len(e.buf)
	switch v.Kind() {
	case KindBool:
		e.start(gyrBool, a.Key)
		if v.Bool() {
			e.byte(1)
		} else {
			e.byte(0)
		}
	case KindDuration:
		e.start(gyrDuration, a.Key)
		e.int(int64(v.Duration()))
	case KindFloat64:
		e.start(gyrFloat, a.Key)
		e.uint(math.Float64bits(v.Float64()))
	case KindInt64:
		e.start(gyrInt, a.Key)
		e.int(v.Int64())
	case KindUint64:
		e.start(gyrUint, a.Key)
		e.uint(v.Uint64())
	case KindTime:
		e.start(gyrTime, a.Key)
		e.time(v.Time())
	case KindString:
		e.start(gyrText, a.Key)
		e.text(v.String())
	case KindGroup:
		e.group(a.Key, v)
		return
	default:
		e.any(a.Key, v.Any())
	}
	e.fits(before)
}

// fits takes back what has been written behind before, and counts it, if the record is too long with it.
func (e *gyrEncoder) fits(before int) bool {
	if len(e.buf) <= gyrMaxRecord {
		return true
	}
	e.buf = e.buf[:before]
	e.dropped++
	return false
}

func (e *gyrEncoder) group(key string, v Value) {
	before := len(e.buf)
	switch attrs := v.Group(); {
	case len(attrs) == 0:
	case e.depth >= gyrMaxDepth:
		e.start(gyrText, key)
		e.text(v.String())
		e.fits(before)
	default:
		e.start(gyrGroup, key)
		if !e.fits(before) {
			return
		}
		e.depth++
		for _, a := range attrs {
			e.attr(a)
		}
		e.depth--
		e.byte(gyrEnd)
	}
}

// any writes a value of any type: as TextHandler does, but for what it has a MarshalText for.
func (e *gyrEncoder) any(key string, x any) {
	switch x := x.(type) {
	case nil:
		e.start(gyrNil, key)
		return
	case []byte:
		e.start(gyrText, key)
		e.text(string(x[:min(len(x), gyrMaxText+utf8.UTFMax)]))
	default:
		e.start(gyrText, key)
		e.text(fmt.Sprintf("%+v", x))
	}
}

package rt

import (
	"encoding/binary"
	"log/slog"
	"math"
	"time"
)

// The form of records from the guest's package log/slog (package guest, _src/answers/log/slog):
//
//	record  = level time message items dropped
//	level   = int
//	time    = 0x00 | 0x01 instant
//	message = text
//	items   = { item } 0x00
//	item    = kind key value          the kinds are below; of a group the value is items
//	dropped = uint                    attributes that were too much for one record
//
// with uint a varint, int one in zigzag form, text its length and its bytes, instant seconds since
// 1970 (int) and nanoseconds (uint). Nothing of it is trusted.

const (
	logEnd = iota
	logNil
	logBool
	logInt
	logUint
	logFloat
	logDuration
	logTime
	logText
	logGroup
)

const (
	maxLogRecord = 128 << 10 // bytes of a record; the guest's package sends fewer
	maxLogDepth  = 32        // nested groups, twice what the guest's package allows
)

// droppedKey is the key of the attribute with the number of attributes that a record has lost.
const droppedKey = "!DROPPED"

// readLogRecord reads a record and copies what it needs from data. It is false if data is not a
// record.
func readLogRecord(data []byte) (slog.Record, bool) {
	if len(data) > maxLogRecord {
		return slog.Record{}, false
	}
	d := logReader{data: data}
	level := slog.Level(d.int())
	var at time.Time
	if d.byte() != 0 {
		at = d.time()
	}
	r := slog.NewRecord(at, level, d.text(), 0)
	attrs := d.items(0)
	r.AddAttrs(attrs...)
	if n := d.uint(); n > 0 {
		r.AddAttrs(slog.Uint64(droppedKey, n))
	}
	return r, !d.bad && len(d.data) == 0
}

// A logReader reads the parts of a record. If one is missing, it becomes bad and reads zeros from
// then on.
type logReader struct {
	data []byte
	bad  bool
}

func (d *logReader) fail() { d.data, d.bad = nil, true }

func (d *logReader) byte() byte {
	if len(d.data) == 0 {
		d.fail()
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return b
}

func (d *logReader) uint() uint64 {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.fail()
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *logReader) int() int64 {
	n := d.uint()
	return int64(n>>1) ^ -int64(n&1)
}

func (d *logReader) text() string {
	n := d.uint()
	if n > uint64(len(d.data)) {
		d.fail()
		return ""
	}
	s := string(d.data[:n])
	d.data = d.data[n:]
	return s
}

func (d *logReader) time() time.Time {
	sec, nsec := d.int(), d.uint()
	if nsec >= 1e9 {
		d.fail()
	}
	return time.Unix(sec, int64(nsec)).UTC()
}

// items reads items to their end.
func (d *logReader) items(depth int) (attrs []slog.Attr) {
	if depth > maxLogDepth {
		d.fail()
	}
	for !d.bad {
		kind := d.byte()
		if kind == logEnd {
			break
		}
		attrs = append(attrs, slog.Attr{Key: d.text(), Value: d.value(kind, depth)})
	}
	return attrs
}

func (d *logReader) value(kind byte, depth int) slog.Value {
	switch kind {
	case logNil:
		return slog.AnyValue(nil)
	case logBool:
		return slog.BoolValue(d.byte() != 0)
	case logInt:
		return slog.Int64Value(d.int())
	case logUint:
		return slog.Uint64Value(d.uint())
	case logFloat:
		return slog.Float64Value(math.Float64frombits(d.uint()))
	case logDuration:
		return slog.DurationValue(time.Duration(d.int()))
	case logTime:
		return slog.TimeValue(d.time())
	case logText:
		return slog.StringValue(d.text())
	case logGroup:
		return slog.GroupValue(d.items(depth + 1)...)
	}
	d.fail()
	return slog.Value{}
}

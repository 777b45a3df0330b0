//go:build linux && (amd64 || arm64)

package jitinfo

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// tools/perf/Documentation/jitdump-specification.txt of the Linux kernel describes the format of
// perf's dumps. `perf record -k mono`, then `perf inject --jit`.

type dumpFile struct {
	f     *os.File
	err   error
	count uint64
}

var dump dumpFile

const (
	dumpMagic   = 0x4a695444
	dumpHeader  = 40
	recordLoad  = 0
	recordDebug = 2
	recordEH    = 4
)

var le = binary.LittleEndian

// create opens a file of ours in a directory where others write too.
func create(name string, flag int) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|flag, 0o600)
}

func now() uint64 {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return uint64(t.Nano())
}

func (d *dumpFile) open() error {
	if d.f != nil || d.err != nil {
		return d.err
	}
	f, err := create(JitDumpName(os.Getpid()), os.O_TRUNC)
	if err != nil {
		d.err = err
		return err
	}
	h := le.AppendUint32(nil, dumpMagic)
	h = le.AppendUint32(h, 1)
	h = le.AppendUint32(h, dumpHeader)
	h = le.AppendUint32(h, uint32(machine))
	h = le.AppendUint32(h, 0)
	h = le.AppendUint32(h, uint32(os.Getpid()))
	h = le.AppendUint64(h, now())
	h = le.AppendUint64(h, 0)
	if _, err = f.Write(h); err == nil {
		// perf finds the file by this mapping, which stays to the end of the process.
		_, err = unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_PRIVATE)
	}
	if err != nil {
		f.Close()
		d.err = err
		return err
	}
	d.f = f
	return nil
}

// write adds the records of one function: lines and unwind data, then their code.
func (d *dumpFile) write(c *Code, rows []row) error {
	if err := d.open(); err != nil {
		return err
	}
	var out []byte
	record := func(id uint32, body []byte) {
		for len(body)%8 != 0 {
			body = append(body, 0)
		}
		out = le.AppendUint32(out, id)
		out = le.AppendUint32(out, uint32(16+len(body)))
		out = le.AppendUint64(out, now())
		out = append(out, body...)
	}
	if len(rows) > 0 {
		b := le.AppendUint64(nil, uint64(c.Start))
		b = le.AppendUint64(b, uint64(len(rows)))
		for _, r := range rows {
			b = le.AppendUint64(b, uint64(c.Start)+uint64(r.pc))
			b = le.AppendUint32(b, uint32(r.line))
			b = le.AppendUint32(b, 0)
			b = append(append(b, r.file...), 0)
		}
		record(recordDebug, b)
	}
	b := le.AppendUint32(nil, uint32(os.Getpid()))
	b = le.AppendUint32(b, uint32(unix.Gettid()))
	b = le.AppendUint64(b, uint64(c.Start))
	b = le.AppendUint64(b, uint64(c.Start))
	b = le.AppendUint64(b, uint64(len(c.Bytes)))
	b = le.AppendUint64(b, d.count)
	d.count++
	b = append(append(b, c.Name()...), 0)
	b = append(b, c.Bytes...)
	// The load's size is exact: the code is at its end.
	out = le.AppendUint32(out, recordLoad)
	out = le.AppendUint32(out, uint32(16+len(b)))
	out = le.AppendUint64(out, now())
	out = append(out, b...)
	_, err := d.f.Write(out)
	return err
}

package sample

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// maxPprof is the size of the largest profile that is read.
const maxPprof = 64 << 20

var errPprof = errors.New("no profile of pprof's, or one that is damaged")

// ReadPprof reads the samples of a processor profile of a Go process (-test.cpuprofile). It serves
// where the system gives no other samples. There are a hundred samples a second, with the executed
// addresses. It reads only the fields (proto/profile.proto of github.com/google/pprof) that give
// the addresses of samples and their counts: samples (field 2: locations 1, values 2) and locations
// (field 4: number 1, address 3).
func ReadPprof(data []byte) ([]Sample, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPprof, err)
	}
	if data, err = io.ReadAll(io.LimitReader(z, maxPprof)); err != nil {
		return nil, fmt.Errorf("%w: %w", errPprof, err)
	}
	type sampled struct {
		locations []uint64
		times     uint64
	}
	var samples []sampled
	at := map[uint64]uint64{}
	err = fields(data, func(field int, n uint64, body []byte) error {
		switch field {
		case 2:
			var s sampled
			err := fields(body, func(field int, n uint64, body []byte) error {
				var err error
				switch field {
				case 1:
					s.locations, err = numbers(s.locations, n, body)
				case 2:
					var values []uint64
					if values, err = numbers(nil, n, body); err == nil && s.times == 0 && len(values) > 0 {
						s.times = values[0]
					}
				}
				return err
			})
			samples = append(samples, s)
			return err
		case 4:
			var id, address uint64
			err := fields(body, func(field int, n uint64, _ []byte) error {
				switch field {
				case 1:
					id = n
				case 3:
					address = n
				}
				return nil
			})
			at[id] = address
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []Sample
	for _, s := range samples {
		if len(s.locations) == 0 || s.times > 1<<20 {
			continue
		}
		x := Sample{IP: at[s.locations[0]]}
		for _, id := range s.locations[1:] {
			x.Chain = append(x.Chain, at[id]+1) // locations are addresses of calls, chains those of returns
		}
		for range s.times {
			list = append(list, x)
		}
	}
	return list, nil
}

// fields splits a message: numbers, and the bodies of other fields.
func fields(b []byte, tell func(field int, n uint64, body []byte) error) error {
	for len(b) > 0 {
		key, k := binary.Uvarint(b)
		if k <= 0 {
			return errPprof
		}
		b = b[k:]
		var n uint64
		var body []byte
		switch key & 7 {
		case 0:
			if n, k = binary.Uvarint(b); k <= 0 {
				return errPprof
			}
			b = b[k:]
		case 2:
			if n, k = binary.Uvarint(b); k <= 0 || n > uint64(len(b)-k) {
				return errPprof
			}
			body, b = b[k:k+int(n)], b[k+int(n):]
			if body == nil {
				body = []byte{}
			}
		default:
			return errPprof
		}
		if err := tell(int(key>>3), n, body); err != nil {
			return err
		}
	}
	return nil
}

// numbers appends a number, or the numbers packed in a body.
func numbers(list []uint64, n uint64, body []byte) ([]uint64, error) {
	if body == nil {
		return append(list, n), nil
	}
	for len(body) > 0 {
		n, k := binary.Uvarint(body)
		if k <= 0 {
			return nil, errPprof
		}
		list, body = append(list, n), body[k:]
	}
	return list, nil
}

// Command deflate compresses texts with compress/flate and expands them again. The size is the
// number of KiB.
//
// Usage: deflate [size]
package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"strconv"
)

// text makes log lines, which repeat themselves, with numbers, which do not.
func text(n int) []byte {
	x := uint32(2463534242)
	out := make([]byte, 0, n+100)
	for i := 0; len(out) < n; i++ {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		out = append(out, "2026-11-21T10:"...)
		out = strconv.AppendInt(out, int64(i/60%60), 10)
		out = append(out, [...]string{" GET /items/", " PUT /users/", " GET /static/app.js?v="}[x%3]...)
		out = strconv.AppendInt(out, int64(x>>8%10000), 10)
		out = append(out, " status="...)
		out = strconv.AppendInt(out, int64(200+x>>4%4*100), 10)
		out = append(out, '\n')
	}
	return out[:n]
}

func main() {
	n := size(1000) * 1024
	const chunk = 64 << 10
	in := text(n)
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err)
	}
	r := flate.NewReader(nil)
	var packed bytes.Buffer
	total := 0
	h := uint64(14695981039346656037)
	for at := 0; at < n; at += chunk {
		part := in[at:min(at+chunk, n)]
		packed.Reset()
		w.Reset(&packed)
		if _, err := w.Write(part); err != nil {
			panic(err)
		}
		if err := w.Close(); err != nil {
			panic(err)
		}
		for _, b := range packed.Bytes() {
			h = (h ^ uint64(b)) * 1099511628211
		}
		total += packed.Len()
		r.(flate.Resetter).Reset(&packed, nil)
		back, err := io.ReadAll(r)
		if err != nil {
			panic(err)
		}
		if !bytes.Equal(back, part) {
			panic("the text has changed")
		}
	}
	fmt.Printf("%d %d %016x\n", n, total, h)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}

// Mp3 decodes a file with go-mp3 as many times as its first argument says, and prints the hash of the sound.
package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strconv"

	"github.com/hajimehoshi/go-mp3"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	data, err := os.ReadFile(os.Args[2])
	if err != nil {
		panic(err)
	}
	if n == 0 {
		return
	}
	for range n {
		d, err := mp3.NewDecoder(bytes.NewReader(data))
		if err != nil {
			panic(err)
		}
		h := fnv.New64a()
		size, err := io.Copy(h, d)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d bytes, %x\n", size, h.Sum64())
	}
}

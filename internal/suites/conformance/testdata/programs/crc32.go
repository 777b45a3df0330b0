// Check sums of many lengths and places: those that leave for the host's kernel and those
// that do not, of both polynomials that it knows and of another.
package main

import (
	"fmt"
	"hash/crc32"
	"strings"
)

func main() {
	b := make([]byte, 200_000)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	for _, poly := range []uint32{crc32.IEEE, crc32.Castagnoli, crc32.Koopman} {
		table := crc32.MakeTable(poly)
		sum := uint32(0)
		for n := range 70 {
			sum ^= crc32.Checksum(b[n:2*n], table) + uint32(n)
		}
		for _, n := range []int{255, 256, 4095, 65536, 65537, 199_990} {
			sum = crc32.Update(sum, table, b[7:7+n])
		}
		h := crc32.New(table)
		for i := 0; i < len(b); i += 1 + i/3 {
			h.Write(b[i:min(len(b), i+i/3)])
		}
		fmt.Printf("%08x %08x %08x\n", poly, sum, h.Sum32())
	}
	fmt.Println(crc32.ChecksumIEEE(nil), crc32.ChecksumIEEE([]byte(strings.Repeat("gyr", 9))), crc32.Update(5, crc32.IEEETable, nil))
}

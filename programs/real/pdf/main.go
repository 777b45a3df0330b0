// Pdf writes a document of tables, text and drawings with fpdf, and prints its hash.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/go-pdf/fpdf"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	pdf := fpdf.New("P", "mm", "A4", "")
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	pdf.SetCreationDate(date)
	pdf.SetModificationDate(date)
	pdf.SetCatalogSort(true)
	for page := range n {
		pdf.AddPage()
		pdf.SetFont("Helvetica", "", 11)
		for row := range 30 {
			for col := range 5 {
				pdf.CellFormat(38, 6, fmt.Sprintf("%d/%d: %x", row, col, (page*977+row*31+col)*2654435761%100003), "1", 0, "R", row%2 == 0, 0, "")
			}
			pdf.Ln(-1)
		}
		pdf.MultiCell(0, 5, "The quick brown fox jumps over the lazy dog, again and again, until the line is full and another one begins below it.", "", "J", false)
		for i := range 40 {
			x := float64(i)
			pdf.Circle(20+x*4, 250+float64((i*page)%13), 1.5+x/20, "D")
			pdf.Curve(10, 240, 20+x, 260+x/3, 60+x*2, 255, "D")
		}
	}
	var out bytes.Buffer
	if err := pdf.Output(&out); err != nil {
		panic(err)
	}
	fmt.Printf("%d bytes, %x\n", out.Len(), sha256.Sum256(out.Bytes()))
}

package image

import (
	"encoding/binary"

	"github.com/gyrvm/gyr/internal/ir"
)

// The sections of sites and positions are lists of differences. Reading one block of [ir.LineBlock]
// elements requires its start and the element before it. Split notes both for every block after the
// sections that it leaves. For an image that was not split they are found on first use, by reading
// the section.

// A place is where a block of a section begins.
type place[T any] struct {
	at   int
	prev T // the element before
}

// readSite reads the site after s.
func readSite(c *cursor, s ir.Site) ir.Site {
	return ir.Site{Func: c.delta(s.Func), File: c.delta(s.File), Line: c.delta(s.Line)}
}

// readPos reads the position after p.
func readPos(c *cursor, p ir.PosEntry) ir.PosEntry {
	return ir.PosEntry{Site: c.delta(p.Site), Parent: ir.Pos(c.delta(int32(p.Parent)))}
}

// placesOf finds where the blocks of a section of n elements begin.
func placesOf[T any](im *Image, s section, n int, next func(*cursor, T) T) ([]place[T], error) {
	c := cursor{b: im.sections[s]}
	var list []place[T]
	var x T
	for i := range n {
		if i%ir.LineBlock == 0 {
			list = append(list, place[T]{c.off, x})
		}
		x = next(&c, x)
	}
	return list, c.end(sectionNames[s])
}

// appendPlaces writes where the blocks of the sites and positions begin.
func (im *Image) appendPlaces(b []byte) ([]byte, error) {
	sites, err := placesOf(im, secSites, im.numSites(), readSite)
	if err != nil {
		return nil, err
	}
	pos, err := placesOf(im, secPos, im.numPos(), readPos)
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	for _, p := range sites {
		number(p.at)
		number(int(p.prev.Func))
		number(int(p.prev.File))
		number(int(p.prev.Line))
	}
	for _, p := range pos {
		number(p.at)
		number(int(p.prev.Site))
		number(int(p.prev.Parent))
	}
	return b, err
}

// blocks is the number of blocks of n elements.
func blocks(n int) int { return (n + ir.LineBlock - 1) / ir.LineBlock }

// readPlaces reads what appendPlaces wrote.
func (im *Image) readPlaces() error {
	c := cursor{b: im.places}
	im.siteBlocks = make([]place[ir.Site], blocks(im.numSites()))
	for i := range im.siteBlocks {
		im.siteBlocks[i] = place[ir.Site]{int(c.int32()), ir.Site{Func: c.int32(), File: c.int32(), Line: c.int32()}}
	}
	im.posBlocks = make([]place[ir.PosEntry], blocks(im.numPos()))
	for i := range im.posBlocks {
		im.posBlocks[i] = place[ir.PosEntry]{int(c.int32()), ir.PosEntry{Site: c.int32(), Parent: ir.Pos(c.int32())}}
	}
	return c.end("places of lines")
}

// findPlaces finds out, once, where the blocks of the sites and positions begin.
func (im *Image) findPlaces() error {
	im.placesOnce.Do(func() {
		if im.late != nil {
			im.placesErr = im.readPlaces()
			return
		}
		im.siteBlocks, im.placesErr = placesOf(im, secSites, im.numSites(), readSite)
		if im.placesErr == nil {
			im.posBlocks, im.placesErr = placesOf(im, secPos, im.numPos(), readPos)
		}
	})
	return im.placesErr
}

// block reads block k of a section of n elements.
func block[T any](im *Image, s section, places []place[T], k, n int, next func(*cursor, T) T) ([]T, error) {
	end := im.sizes[s]
	if k+1 < len(places) {
		end = places[k+1].at
	}
	p := places[k]
	if p.at > end || end > im.sizes[s] {
		return nil, formatError("places of lines out of order")
	}
	b, err := im.latePart(s, p.at, end)
	if err != nil {
		return nil, err
	}
	c, x := cursor{b: b}, p.prev
	list := make([]T, min(n-k*ir.LineBlock, ir.LineBlock))
	for i := range list {
		x = next(&c, x)
		list[i] = x
	}
	return list, c.end(sectionNames[s])
}

// whole decodes the n elements of a section, and puts zero elements before them.
func whole[T any](im *Image, s section, zero, n int, next func(*cursor, T) T) ([]T, error) {
	c := cursor{b: im.sections[s]}
	list := make([]T, zero+n)
	var x T
	for i := range n {
		x = next(&c, x)
		list[zero+i] = x
	}
	return list, c.end(sectionNames[s])
}

// readLines reads the sites and positions. From a trusted image they are read on demand.
func (im *Image) readLines(m *ir.Module) (err error) {
	if im.trusted {
		im.readLinesLater(m)
		return nil
	}
	sites, pos := 0, 0 // elements of number 0
	if m.Base == nil {
		sites, pos = min(1, im.counts.sites), min(1, im.counts.pos)
	}
	if m.Sites, err = whole(im, secSites, sites, im.numSites(), readSite); err == nil {
		m.Pos, err = whole(im, secPos, pos, im.numPos(), readPos)
	}
	return err
}

func (im *Image) readLinesLater(m *ir.Module) {
	m.SetLines(
		ir.LineTable[ir.Site]{First: min(im.base.sites, im.counts.sites), End: im.counts.sites, Read: func(k int) ([]ir.Site, error) {
			if err := im.findPlaces(); err != nil {
				return nil, err
			}
			return block(im, secSites, im.siteBlocks, k, im.numSites(), readSite)
		}},
		ir.LineTable[ir.PosEntry]{First: min(im.base.pos, im.counts.pos), End: im.counts.pos, Read: func(k int) ([]ir.PosEntry, error) {
			if err := im.findPlaces(); err != nil {
				return nil, err
			}
			return block(im, secPos, im.posBlocks, k, im.numPos(), readPos)
		}})
}

// numSites and numPos are how many elements the sections have. An image of a module without any may lack number 0 too.
func (im *Image) numSites() int { return max(0, im.counts.sites-im.base.sites) }
func (im *Image) numPos() int   { return max(0, im.counts.pos-im.base.pos) }

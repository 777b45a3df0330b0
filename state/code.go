package state

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// Pages in files and chunks.
//
// A page is a byte for its kind and its content: nothing for zeros, all bytes, or a code that leaves
// out words of zeros. Each page has exactly one form: the code if it is shorter than the page.
//
//	code: until 512 words are told, the number of zero words (0 only at first), the number of other
//	words (0 only at last), these words
//
// Numbers are uvarints.

const (
	kindZeros = 0
	kindPlain = 1
	kindCoded = 2

	wordSize  = 8
	pageWords = PageSize / wordSize
)

var (
	errCode  = errors.New("it is not coded as it has to be")
	errPlain = errors.New("it is written in full although its code is shorter")
	errZeros = errors.New("zeros are written as nothing")
)

// appendPage appends the kind and the content of a page.
func appendPage(b, page []byte) []byte {
	if page == nil || isZero(page) {
		return append(b, kindZeros)
	}
	start := len(b)
	if b = appendCode(append(b, kindCoded), page); len(b)-start <= PageSize {
		return b
	}
	return append(append(b[:start], kindPlain), page...)
}

func appendCode(b, page []byte) []byte {
	zero := func(i int) bool { return binary.LittleEndian.Uint64(page[i*wordSize:]) == 0 }
	for i := 0; i < pageWords; {
		from := i
		for i < pageWords && zero(i) {
			i++
		}
		b = binary.AppendUvarint(b, uint64(i-from))
		from = i
		for i < pageWords && !zero(i) {
			i++
		}
		b = binary.AppendUvarint(b, uint64(i-from))
		b = append(b, page[from*wordSize:i*wordSize]...)
	}
	return b
}

// readPage reads what appendPage has appended; nil: zeros. Files of version 1 have no codes.
func readPage(in *bufio.Reader, coded bool) (*[PageSize]byte, error) {
	kind, err := in.ReadByte()
	switch {
	case err != nil:
		return nil, cut(err)
	case kind == kindZeros:
		return nil, nil
	case kind > kindCoded || kind == kindCoded && !coded:
		return nil, errHead
	}
	page := new([PageSize]byte)
	if kind == kindCoded {
		return page, readCode(in, page[:])
	}
	if _, err := io.ReadFull(in, page[:]); err != nil {
		return nil, cut(err)
	}
	switch {
	case isZero(page[:]):
		return nil, errZeros
	case coded && len(appendCode(nil, page[:])) < PageSize:
		return nil, errPlain
	}
	return page, nil
}

// readCode reads the code of a page.
func readCode(in *bufio.Reader, page []byte) error {
	size := 0
	number := func() (int, error) {
		n, err := binary.ReadUvarint(in)
		if err == nil && n > pageWords {
			err = errCode
		}
		size += len(binary.AppendUvarint(nil, n))
		return int(n), cut(err)
	}
	for i := 0; i < pageWords; {
		zeros, err := number()
		if err != nil {
			return err
		}
		words, err := number()
		switch {
		case err != nil:
			return err
		case zeros == 0 && i > 0, words == 0 && (zeros == pageWords || i+zeros < pageWords), i+zeros+words > pageWords:
			return errCode
		}
		part := page[(i+zeros)*wordSize : (i+zeros+words)*wordSize]
		if _, err := io.ReadFull(in, part); err != nil {
			return cut(err)
		}
		for w := range slices.Chunk(part, wordSize) {
			if binary.LittleEndian.Uint64(w) == 0 {
				return errCode
			}
		}
		i += zeros + words
		size += len(part)
	}
	if size >= PageSize {
		return errCode
	}
	return nil
}

package plan

// A Decoder takes apart the first instruction of code, which stands at address pc. Syntax is "gnu", "go" or
// "intel", where the processor has such; symbol, if not nil, names addresses for the text.
// It is no method of a CPU: programs that make no listings have no part of it.
type Decoder func(code []byte, syntax string, pc uint64, symbol func(uint64) (string, uint64)) Decoded

// Decoded is an instruction taken apart.
type Decoded struct {
	Len     int
	Text    string // empty without symbol
	Jumps   bool   // or calls: To
	To      uint64
	Near    uint64 // address of memory behind or before the code that it accesses, 0: none
	Context int32  // offset of the word of the context that it accesses, 0: none
}

package plan

// A Decoder decodes the first instruction of code, at address pc. syntax is "gnu", "go" or "intel",
// if the processor has it; symbol, if not nil, names addresses for the text. It is no method of a
// CPU, so programs without listings do not link it.
type Decoder func(code []byte, syntax string, pc uint64, symbol func(uint64) (string, uint64)) Decoded

// Decoded is a decoded instruction.
type Decoded struct {
	Len     int
	Text    string // empty without symbol
	Jumps   bool   // or calls: To
	To      uint64
	Near    uint64 // address of memory near the code that it accesses, 0: none
	Context int32  // offset of the word of the context that it accesses, 0: none
}

package api

// Limits bound what compiling one program may take, see Source.Limits. They count what is
// the program's own: of the standard library only what the program has instantiated and what
// is lowered for it. A field that is 0 has the value of [DefaultLimits].
type Limits struct {
	// SourceBytes are those of all files of the program's own packages. A file counts
	// as 1 KiB at least.
	SourceBytes int64
	// EmbedBytes are those of all files that go:embed names.
	EmbedBytes int64
	// Nesting is how deep syntax may be nested: brackets, operands, blocks. A
	// function literal counts as 16 levels.
	Nesting int64
	// ConstantBytes are those of all constant strings that are made by operators,
	// in one package.
	ConstantBytes int64
	// ConstantWork is the sum over all operations with untyped numbers, in one
	// package, of the bits of their operands, where a constant declaration without
	// values repeats the operations of the one before.
	ConstantWork int64
	// TypeSize are the bytes of a value of one type. The default is that of the language.
	TypeSize int64
	// TypeExpansion is how many parts the types that a package declares have, written out: fields
	// and elements, of types inside of them too, and type arguments.
	TypeExpansion int64
	// CheckWork is an estimate of the steps that type checking a package takes, above all where they grow
	// faster than the source: branches of one function, cases of a type switch with one another, selectors
	// with the fields and methods of the largest type, conversions to the largest interface.
	CheckWork int64
	// Instances are those of generic functions and types.
	Instances int64
	// Functions are those of the program as it is lowered: declared, literals, instances, and what
	// the engine makes for methods and types; those of the base are not counted.
	Functions int64
	// Operations are those of the IR of all these functions.
	Operations int64
}

// DefaultLimits returns the limits that Source.Limits has where its fields are 0.
func DefaultLimits() Limits {
	return Limits{
		SourceBytes: 1 << 30, EmbedBytes: 256 << 20, Nesting: 10_000, ConstantBytes: 1 << 28, ConstantWork: 1 << 36,
		TypeSize:      1 << 50,
		TypeExpansion: 1 << 26, CheckWork: 1 << 38, Instances: 1 << 16, Functions: 1 << 22, Operations: 1 << 30,
	}
}

// UntrustedLimits returns limits for sources of strangers: uploads, submissions, plugins. A program of a
// thousand kilobytes compiles under them, if no function of it has more than about 5,000 branches; no
// source takes more than some seconds and some hundred megabytes to be compiled or refused.
func UntrustedLimits() Limits {
	return Limits{
		SourceBytes: 1 << 20, EmbedBytes: 16 << 20, Nesting: 1000, ConstantBytes: 16 << 20, ConstantWork: 1 << 28,
		TypeSize:      1 << 32,
		TypeExpansion: 1 << 18, CheckWork: 1 << 28, Instances: 1 << 12, Functions: 1 << 16, Operations: 1 << 22,
	}
}

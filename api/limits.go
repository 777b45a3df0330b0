package api

// Limits bound what compiling one program may take, see Source.Limits. They count the program's own
// packages: its main modules, directories that replace a module, and vendor directories. The field
// Modules counts packages of the module cache. Of the standard library, the limits count what a
// program instantiates and what is lowered for it. A field that is 0 has the value of
// [DefaultLimits].
type Limits struct {
	// SourceBytes is the size of all files of the program's own packages. A file counts as at least
	// 1 KiB.
	SourceBytes int64
	// EmbedBytes is the size of all files that go:embed names.
	EmbedBytes int64
	// Nesting is how deep syntax may be nested: brackets, operands, blocks. A function literal
	// counts as 16 levels.
	Nesting int64
	// ConstantBytes is the size of all constant strings that operators make in one package.
	ConstantBytes int64
	// ConstantWork is the sum of the bits of the operands of all operations with untyped numbers in
	// one package. A constant declaration without values repeats the operations of the one before.
	ConstantWork int64
	// TypeSize is the size of a value of one type, in bytes. The default is that of the language.
	TypeSize int64
	// TypeExpansion is how many parts the types that a package declares have when they are written
	// out: fields, elements and type arguments, also of the types inside them.
	TypeExpansion int64
	// CheckWork is an estimate of the steps of type checking a package, above all where they grow
	// faster than the source: branches of one function, cases of a type switch with one another,
	// selectors with the fields and methods of the largest type, conversions to the largest
	// interface.
	CheckWork int64
	// Instances is how many instances of generic functions and types a program may have.
	Instances int64
	// Functions is how many functions the program may have after lowering: declared ones, literals,
	// instances, and those that the engine makes for methods and types. Functions of the base do
	// not count.
	Functions int64
	// Operations is how many operations the IR of all these functions may have.
	Operations int64

	// Modules are limits for packages of modules in the module cache and for the host's packages,
	// together. The fields above that Modules lacks hold for each of these packages as well.
	Modules ModuleLimits
}

// ModuleLimits bound what packages of modules may take, apart from the program's own packages. Each
// field counts as the field of Limits with its name. A field that is 0 has the value of
// [DefaultLimits].
type ModuleLimits struct {
	SourceBytes int64
	EmbedBytes  int64
	Nesting     int64
	CheckWork   int64
	// Instances counts an instance here if a module's package needs it. If only the program's own
	// packages need it, it counts for these, whatever module its generic function is from.
	Instances  int64
	Functions  int64 // an instance counts for the package of its generic function
	Operations int64
}

// DefaultLimits returns the limits that apply where the fields of Source.Limits are 0.
func DefaultLimits() Limits {
	return Limits{
		SourceBytes: 1 << 30, EmbedBytes: 256 << 20, Nesting: 10_000, ConstantBytes: 1 << 28, ConstantWork: 1 << 36,
		TypeSize:      1 << 50,
		TypeExpansion: 1 << 26, CheckWork: 1 << 38, Instances: 1 << 16, Functions: 1 << 22, Operations: 1 << 30,
		Modules: ModuleLimits{
			SourceBytes: 1 << 30, EmbedBytes: 256 << 20, Nesting: 10_000, CheckWork: 1 << 38, Instances: 1 << 16, Functions: 1 << 22,
			Operations: 1 << 30,
		},
	}
}

// UntrustedLimits returns limits for untrusted sources: uploads, submissions, plugins. A program of
// a thousand kilobytes compiles under them if none of its functions has more than about 5,000
// branches. Compiling or refusing any source takes at most some seconds and some hundred megabytes,
// besides what modules of the module cache take. These may take some four times as much as the
// largest of the modules that plug-ins commonly import (docs/embedding.md).
func UntrustedLimits() Limits {
	return Limits{
		SourceBytes: 1 << 20, EmbedBytes: 16 << 20, Nesting: 1000, ConstantBytes: 16 << 20, ConstantWork: 1 << 28,
		TypeSize:      1 << 32,
		TypeExpansion: 1 << 18, CheckWork: 1 << 28, Instances: 1 << 12, Functions: 1 << 16, Operations: 1 << 22,
		Modules: ModuleLimits{
			SourceBytes: 16 << 20, EmbedBytes: 16 << 20, Nesting: 10_000, CheckWork: 1 << 29, Instances: 1 << 13, Functions: 1 << 17,
			Operations: 1 << 23,
		},
	}
}

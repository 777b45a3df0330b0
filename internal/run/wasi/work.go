package wasi

// The gas price of a call covers its work as far as the price can know it. Some work depends on the
// contents of the guest's tree or of a granted directory. Host.Spend counts that where it is done,
// in units of gas. The number depends on the tree alone and is the same on every machine.
const (
	workEntry = 128 // an entry of a directory that is read and sorted
	workLink  = 64  // a symbolic link on the way
	workByte  = 24  // a byte of its target: two bytes may be a name to look up
	workBlock = 8   // a block of a file that is visited when the file is cut
	workStep  = 16  // a directory on the way up to the root
	workPath  = 8   // bytes of a path for a unit, where the path is assembled
)

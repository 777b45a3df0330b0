package wasi

// What a call does is in its price, in gas, as far as the price can know it. What depends on what a guest has put into its
// tree, or on what a granted directory holds, is counted where it is done, in units of gas, by Host.Spend: the number follows
// from the tree alone and is the same on every machine.
const (
	workEntry = 128 // an entry of a directory that is read and sorted
	workLink  = 64  // a symbolic link on the way
	workByte  = 24  // a byte of its target: two may be a name to look up
	workBlock = 8   // a block of a file that is looked at when the file is cut
	workStep  = 16  // a directory on the way up to the root
	workPath  = 8   // bytes of a path a unit, where it is put together
)
